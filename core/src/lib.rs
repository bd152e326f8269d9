//! The resource core: what terdut's objects are, when two of them mean the same, and which steps
//! close a difference.
//!
//! Called by the provider, the client and the bridge. It is pure: no IO, no clock, no
//! randomness, no environment. What it needs of those comes in as arguments.

pub mod api;
pub mod claims;
pub mod consent;
pub mod create;
pub mod credential;
pub mod dependents;
pub mod ephemeral;
pub mod error;
pub mod explain;
pub mod export;
pub mod ids;
pub mod import_id;
pub mod lookup;
pub mod model;
pub mod near;
pub mod plan;
pub mod presence;
pub mod problem;
pub mod record;
pub mod removal;
pub mod render;
pub mod retention;
pub mod secret;
pub mod test_alert;
mod text;
pub mod value;
pub mod yaml;
