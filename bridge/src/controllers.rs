//! One controller a kind: what a pass does.
//!
//! Called by the engine. A reconcile reads as a table of contents: what it decides is core's or a
//! pure function beside it, what it asks goes through `kube`, `secrets` and `access`. A pass may be
//! dropped at any await and is made again.

mod alert_source;
mod child;
mod deadman_switch;
mod ending;
mod escalation_rule;
mod halt;
mod server;
mod team;
mod wishes;

#[cfg(test)]
mod tests;

pub use alert_source::AlertSourceController;
pub use deadman_switch::DeadmanSwitchController;
pub use escalation_rule::EscalationRuleController;
pub use server::ServerController;
pub use team::TeamController;
