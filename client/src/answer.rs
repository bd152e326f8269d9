//! What a server's answer means, without a server.
//!
//! For fuzzing and property tests, which throw any bytes at it. The client reads with the same
//! functions; nothing is decided here.

use bytes::Bytes;
use http::StatusCode;
use terdut_core::api::{Reply, Request};
use terdut_core::error::ApiError;

use crate::said::Secrets;
use crate::wire::{self, Context};

/// The reply or the error that an answer is read as; the pages are those of a list, or one body.
/// A status that is none counts as 500.
pub fn read_answer(request: &Request, status: u16, pages: &[Bytes]) -> Result<Reply, ApiError> {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let secrets = Secrets::default();
    let wire = wire::encode(request);
    let context = Context { method: &wire.method, route: wire.route, secrets: &secrets };
    if status.is_success() {
        return wire::read(context, request, status, pages);
    }
    let body = pages.first().map_or(&[][..], |page| page);
    let error = wire::classify(context, status, body);
    wire::absent(request, &error).ok_or(error)
}
