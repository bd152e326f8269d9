//! The Terraform plugin protocol as a library.
//!
//! Called by the provider, which brings resources, data sources and functions. It knows nothing of
//! terdut, and it never writes to the standard output beyond the handshake line.

#![forbid(clippy::print_stdout, reason = "standard output carries the handshake")]

pub mod action;
pub mod attr;
pub mod codec;
pub mod data_source;
pub mod diagnostics;
pub mod engine;
pub mod ephemeral;
pub mod function;
pub mod list;
pub mod model;
pub mod number;
mod offered;
pub mod path;
pub mod prelude;
pub mod provider;
pub mod registries;
pub mod resource;
pub mod schema;
pub mod serve;
pub mod ty;
pub mod value;

/// The guide's example has to compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Guide;
