//! The REST API's wire format: the only module with its JSON types.
//!
//! The client turns a core request into a [`WireRequest`] and a server's answer into a reply or an
//! error. All that the contract only assumes (where a field sits, whether a list may be one
//! object) is decided here, leniently: unknown fields are ignored, optional ones may be absent or
//! null. Nothing here does IO.

mod error;
mod reply;
mod request;
mod types;

pub(crate) use error::{Context, classify, method_name, redirected, unreadable};
pub(crate) use reply::{absent, decode, secrets_of};
pub(crate) use request::{WireRequest, encode};

#[cfg(test)]
mod tests;
