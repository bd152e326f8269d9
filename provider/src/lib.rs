//! The Terraform and OpenTofu provider for terdut, as a library that its program and tests use.
//!
//! A kind of object is one file in `resources/`: a schema, a model and four short functions
//! ([`object::Object`]). All that kinds have in common (planning, create, read, update, delete,
//! import, identity) is written once, beside it. Nothing here prints to standard output.

#![forbid(clippy::print_stdout, reason = "standard output carries the handshake")]

pub mod actions;
pub mod attributes;
pub mod context;
pub mod data_sources;
pub mod ephemeral;
pub mod equality;
pub mod functions;
pub mod list_resources;
pub mod object;
pub mod projection;
pub mod provider;
pub mod report;
pub mod resources;
pub mod rotation;
pub mod settings;
pub mod timeouts;
