//! The strict host: a protocol client that plays Terraform's part, rule by rule.
//!
//! The suites use [`Host`] (one provider process), [`World`] (a state file with the plan, apply,
//! refresh, import and destroy of one host) and the values they hand back. The host never repairs
//! an answer as Terraform does for old SDKs: each deviation is a [`Violation`].

mod json;
mod process;
mod proposed;
mod rules;
mod schema;
mod session;
mod tls;
mod types;
mod value;
mod wire;
mod world;

#[cfg(test)]
mod fake;

pub use json::{config_from_json, state_from_json, to_json};
pub use process::{Host, Uninvited, time_to_schema};
pub use proposed::proposed_new;
pub use rules::{Rule, Violation, Violations};
pub use schema::{Attribute, Block, Nesting, Schema, Shape};
pub use session::{
    Diagnostic, Failure, Held, Invoked, ListAnswer, Listed, Opened, Profile, Schemas, Session,
};
pub use types::Type;
pub use value::{Number, Path, PathStep, Refinement, Value};
pub use world::{Action, ApplyOutcome, Change, ImportBy, PlanOutcome, World};
