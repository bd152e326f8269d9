//! A team's escalation policy.
//!
//! There is one for each team, put as a whole. A policy without levels is no policy. The order of
//! levels and of targets is meaning.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod observed;
mod validate;
mod wire;

pub use observed::{ObservedEscalationRule, ObservedLevel, ObservedTarget};

use super::{Kind, Model};
use crate::api;
use crate::ids::TeamId;
use crate::plan::{Differences, Step};
use crate::value::{Field, GoDuration, Input, Name};

/// A team's escalation policy: who is paged, and who next when nobody answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EscalationRuleSpec {
    /// How often the levels are walked again when nobody answered, 0 to 100 times.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100), extend("default" = 0))]
    pub repeat_count: Option<i64>,
    /// The ntfy topic that is used when nobody answered on any level. Absent and empty mean none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub fallback_topic: Option<String>,
    /// The levels, in the order in which they are walked: 1 to 20.
    #[schemars(length(min = 1, max = 20))]
    pub levels: Vec<LevelSpec>,
}

/// One level of an escalation policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LevelSpec {
    /// How long an answer is waited for before the next level: a Go duration, 1m to 24h.
    pub timeout: String,
    /// Who is paged, in order: 1 to 20.
    #[schemars(length(min = 1, max = 20))]
    pub targets: Vec<TargetSpec>,
}

/// Who a level pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetSpec {
    /// `oncall`: whoever is on call. `user`: one person.
    #[schemars(extend("enum" = ["oncall", "user"]))]
    pub kind: String,
    /// The person's log-in name. Required with the kind `user`, not allowed otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub username: Option<String>,
}

/// What a user wrote.
#[derive(Debug, Clone, Default)]
pub struct EscalationRuleInput {
    /// The team's id.
    pub team_id: Input<String>,
    /// Repeat count.
    pub repeat_count: Input<i64>,
    /// Fallback topic.
    pub fallback_topic: Input<String>,
    /// Levels; an element may be unknown as a whole.
    pub levels: Input<Vec<Input<LevelInput>>>,
}

/// What a user wrote about a level.
#[derive(Debug, Clone, Default)]
pub struct LevelInput {
    /// Timeout.
    pub timeout: Input<String>,
    /// Targets; an element may be unknown as a whole.
    pub targets: Input<Vec<Input<TargetInput>>>,
}

/// What a user wrote about a target.
#[derive(Debug, Clone, Default)]
pub struct TargetInput {
    /// Kind.
    pub kind: Input<String>,
    /// Log-in name.
    pub username: Input<String>,
}

impl EscalationRuleSpec {
    /// The same as an input, in a team.
    pub fn input(&self, team_id: Input<String>) -> EscalationRuleInput {
        let target = |target: &TargetSpec| {
            let kind = Input::Given(target.kind.clone());
            Input::Given(TargetInput { kind, username: target.username.clone().into() })
        };
        let level = |level: &LevelSpec| {
            let targets = Input::Given(level.targets.iter().map(target).collect());
            Input::Given(LevelInput { timeout: Input::Given(level.timeout.clone()), targets })
        };
        EscalationRuleInput {
            team_id,
            repeat_count: self.repeat_count.into(),
            fallback_topic: self.fallback_topic.clone().into(),
            levels: Input::Given(self.levels.iter().map(level).collect()),
        }
    }
}

/// The validated wish. An empty topic is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredEscalationRule {
    /// Team.
    pub team: Field<TeamId>,
    /// Repeat count.
    pub repeat_count: Field<i64>,
    /// Fallback topic.
    pub fallback_topic: Field<String>,
    /// Levels.
    pub levels: Field<Vec<Field<DesiredLevel>>>,
}

/// One level of a validated wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredLevel {
    /// Timeout.
    pub timeout: Field<GoDuration>,
    /// Targets.
    pub targets: Field<Vec<Field<DesiredTarget>>>,
}

/// One target of a validated wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredTarget {
    /// Kind.
    pub kind: Field<TargetKind>,
    /// Log-in name; known to be none for the kind oncall.
    pub username: Field<Option<Name>>,
}

/// The kinds of targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// Whoever is on call.
    OnCall,
    /// One person.
    User,
}

/// A policy of which all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EscalationRule {
    /// Team.
    pub team: TeamId,
    /// Repeat count.
    pub repeat_count: i64,
    /// Fallback topic.
    pub fallback_topic: String,
    /// Levels.
    pub levels: Vec<Level>,
}

/// A level of which all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Timeout.
    pub timeout: GoDuration,
    /// Targets.
    pub targets: Vec<Target>,
}

/// A target of which all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Whoever is on call.
    OnCall,
    /// The person of that log-in name.
    User(Name),
}

impl DesiredLevel {
    fn known(&self) -> Option<Level> {
        let targets: Option<_> =
            self.targets.known()?.iter().map(|target| target.known()?.known()).collect();
        Some(Level { timeout: *self.timeout.known()?, targets: targets? })
    }
}

impl DesiredTarget {
    fn known(&self) -> Option<Target> {
        match (self.kind.known()?, self.username.known()?) {
            (TargetKind::OnCall, _) => Some(Target::OnCall),
            (TargetKind::User, username) => username.clone().map(Target::User),
        }
    }
}

/// Whether two policies of the server say the same, however they spell it.
pub fn is_same_policy(one: &api::Policy, other: &api::Policy) -> bool {
    let topic = |policy: &api::Policy| policy.fallback_topic.clone().unwrap_or_default();
    let level =
        |level: &api::Level| (level.timeout.parse::<GoDuration>().ok(), level.targets.clone());
    let levels = |policy: &api::Policy| policy.levels.iter().map(level).collect::<Vec<_>>();
    one.repeat_count == other.repeat_count
        && topic(one) == topic(other)
        && levels(one) == levels(other)
}

impl Model for EscalationRule {
    const KIND: Kind = Kind::EscalationRule;
    /// A PUT that has acted and whose answer was lost with the process leaves just that.
    const TAKES_UP_SAME: bool = true;
    type Desired = DesiredEscalationRule;
    type Observed = ObservedEscalationRule;

    fn known(desired: &DesiredEscalationRule) -> Option<Self> {
        let levels: Option<_> =
            desired.levels.known()?.iter().map(|level| level.known()?.known()).collect();
        Some(Self {
            team: *desired.team.known()?,
            repeat_count: *desired.repeat_count.known()?,
            fallback_topic: desired.fallback_topic.known()?.clone(),
            levels: levels?,
        })
    }

    fn differences(desired: &DesiredEscalationRule, there: &ObservedEscalationRule) -> Differences {
        let mut found = Differences::default();
        found.team(&desired.team, there.team);
        found.update("repeat_count", &desired.repeat_count, |count| *count == there.repeat_count);
        let same = |topic: &String| *topic == there.fallback_topic;
        found.update("fallback_topic", &desired.fallback_topic, same);
        found.update("levels", &desired.levels, |levels| there.has_levels(levels));
        found
    }

    fn create(&self) -> Vec<Step> {
        vec![Step::PutPolicy { rule: self.clone() }]
    }

    fn update(&self, _: &ObservedEscalationRule, differences: &Differences) -> Vec<Step> {
        if differences.updates.is_empty() { Vec::new() } else { self.create() }
    }

    fn delete(observed: &ObservedEscalationRule) -> Vec<Step> {
        vec![Step::ResetPolicy { team: observed.team }]
    }

    fn import_id(observed: &ObservedEscalationRule) -> String {
        observed.team.to_string()
    }

    fn label(observed: &ObservedEscalationRule) -> String {
        format!("of team {}", observed.team)
    }
}
