//! The contract check: every route that we rely on, tried on a server, and what of the contract
//! holds there.
//!
//! The provider's subcommand `contract` calls it. It works in a team, with accounts and a person
//! of its own, whose names nobody else has, and removes them; it must never change an object that
//! it did not make, and never spend the bootstrap.

mod accounts;
mod ask;
mod checks;
mod clean;
mod general;
mod report;
mod shape;
mod sources;
mod switches;
mod teams;
mod users;
mod walk;

pub use checks::{CHECKS, Check, Origin};
pub use report::{Finding, Report, Verdict};

use crate::client::Client;
use terdut_core::error::ApiError;
use walk::Walk;

/// Tries the contract on the server of a client, until all is tried or `stop` is ready; then
/// removes what was made. The name is that of all objects that are made, and nobody else's.
///
/// An error is a server that cannot be tried at all: it does not answer, or does not take the key.
pub async fn check(
    client: &Client,
    name: &str,
    stop: impl Future<Output = ()>,
) -> Result<Report, ApiError> {
    let mut walk = Walk::new(client.clone(), name);
    walk.arrive().await?;
    let interrupted = tokio::select! {
        () = walk.tour() => false,
        () = stop => true,
    };
    walk.clean_up().await;
    Ok(Report { interrupted, ..walk.report() })
}

/// A name for [`check`] that nobody else has.
pub fn own_name() -> String {
    format!("terdut-contract-{:08x}", rand::random::<u32>())
}
