//! terdut's objects: what they are for a user, what they may hold, when two of them mean the same.
//!
//! Each kind has a `…Spec` (the face that both schemas are projected from), an `…Input` (what a user
//! wrote, each attribute absent, unknown or given), a `Desired…` (validated, attributes may be
//! unknown), the known form that a plan's steps are made of, and an `Observed…` (what is there, from
//! the server's facts or from a stored state). [`crate::plan::plan`] compares the two.

mod alert_source;
mod check;
mod deadman_switch;
mod escalation_rule;
pub mod install;
mod kind;
mod rotation;
pub mod server;
mod service_account;
mod service_account_key;
mod team;
mod timeouts;
mod user;

#[cfg(test)]
mod tests;

pub use alert_source::{
    AlertSource, AlertSourceInput, AlertSourceSpec, DEFAULT_KIND, DesiredAlertSource,
    ObservedAlertSource,
};
pub use deadman_switch::{
    DEFAULT_SEVERITY, DeadmanSwitch, DeadmanSwitchInput, DeadmanSwitchSpec, DesiredDeadmanSwitch,
    ObservedDeadmanSwitch,
};
pub use escalation_rule::{
    DesiredEscalationRule, DesiredLevel, DesiredTarget, EscalationRule, EscalationRuleInput,
    EscalationRuleSpec, Level, LevelInput, LevelSpec, ObservedEscalationRule, ObservedLevel,
    ObservedTarget, Target, TargetInput, TargetKind, TargetSpec, is_same_policy,
};
pub use kind::Kind;
pub use rotation::rotates;
pub use service_account::{
    DesiredServiceAccount, ObservedServiceAccount, Scope, ServiceAccount, ServiceAccountInput,
    ServiceAccountSpec,
};
pub use service_account_key::{
    DEFAULT_KEY_NAME, DesiredServiceAccountKey, ObservedServiceAccountKey, ServiceAccountKey,
    ServiceAccountKeyInput, ServiceAccountKeySpec,
};
pub use team::{DesiredTeam, ObservedTeam, OidcInput, OidcSpec, Team, TeamInput, TeamSpec};
pub use timeouts::{Timeouts, TimeoutsInput};
pub use user::{DesiredUser, ObservedUser, User, UserInput, UserSpec};

use crate::plan::{Differences, Step};

/// What a plan has to know of a kind. The implementor is the kind's known form.
pub trait Model: Sized {
    /// The kind.
    const KIND: Kind;
    /// Whether one that was found by name and differs may be deleted and made again when adoption
    /// is allowed: only where the API has no update and nothing is lost by it.
    const ADOPTS_BY_REPLACING: bool = false;
    /// Whether one that was found and means the same is taken up without leave: only where it is
    /// made by overwriting, so that nothing of anybody's is changed by it.
    const TAKES_UP_SAME: bool = false;
    /// Whether a successor is made before the old one is removed.
    const SUCCESSOR_FIRST: bool = false;
    /// Summary and detail of what is lost by a replacement.
    const REPLACE_WARNING: Option<(&'static str, &'static str)> = None;
    /// Summary and detail of what an adoption cannot give.
    const ADOPT_WARNING: Option<(&'static str, &'static str)> = None;
    /// The validated wish.
    type Desired;
    /// What is there.
    type Observed;

    /// The wish, if all of it is known.
    fn known(desired: &Self::Desired) -> Option<Self>;
    /// Where the two do not mean the same.
    fn differences(desired: &Self::Desired, observed: &Self::Observed) -> Differences;
    /// The steps that make it.
    fn create(&self) -> Vec<Step>;
    /// The steps that change what is there.
    fn update(&self, observed: &Self::Observed, differences: &Differences) -> Vec<Step>;
    /// The steps that remove what is there.
    fn delete(observed: &Self::Observed) -> Vec<Step>;
    /// The id by which it is imported.
    fn import_id(observed: &Self::Observed) -> String;
    /// How it is called in a message.
    fn label(observed: &Self::Observed) -> String;
}
