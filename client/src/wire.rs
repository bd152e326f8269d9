//! The REST API's wire format: the only module with its JSON types.
//!
//! The client turns a core request into a [`WireRequest`] and a server's answer into a reply or an
//! error. All that the contract only assumes (where a field sits, whether a list may be one
//! object) is decided here, leniently: unknown fields are ignored, optional ones may be absent or
//! null. Nothing here does IO.

pub(crate) mod alert;
mod error;
mod reply;
mod request;
mod types;

use bytes::Bytes;
use http::StatusCode;
use terdut_core::api::{Reply, Request};
use terdut_core::error::ApiError;

pub(crate) use error::{Context, classify, method_name, redirected};
pub(crate) use reply::{absent, decode, secrets_of};
pub(crate) use request::{WireRequest, encode};

/// The reply in a success, or the error of one that cannot be read.
pub(crate) fn read(
    context: Context<'_>,
    request: &Request,
    status: StatusCode,
    pages: &[Bytes],
) -> Result<Reply, ApiError> {
    decode(request, pages).map_err(|unreadable| {
        let body = pages.get(unreadable.page).map_or(&[][..], |page| page);
        error::unreadable(context, status, body, &unreadable.why)
    })
}

#[cfg(test)]
mod tests;
