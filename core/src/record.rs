//! What the bridge writes down before and after it makes something, as plain values.
//!
//! A team's and a server's record is a Secret in the bridge's own namespace; a child's record is an
//! annotation on the child, which reaches only objects of the team whose key the child uses. Used
//! by the bridge's controllers and its Secret store. A record counts only for the object whose UID
//! is in it. Nothing here reads or writes Kubernetes.

mod attempt;
mod child;
mod data;
mod held;
mod instance;
mod names;
mod team;

#[cfg(test)]
mod tests;

pub use attempt::{Attempt, RefusedRotation};
pub use child::ChildRecord;
pub use data::Data;
pub use held::Held;
pub use instance::{Checkpoint, CheckpointState, InstanceRecord};
pub use names::{SecretKind, account_name, secret_name, team_account_name};
pub use team::TeamRecord;
