//! How far a plan came: what was made, what was answered, what failed.

use std::collections::BTreeSet;

use terdut_core::api::{
    Account, ApiKey, Integration, NewIntegration, Policy, Reply, Switch, Team, User,
};
use terdut_core::create::{Failure, MadeAccount};
use terdut_core::error::{ApiError, Effect};
use terdut_core::explain::{Doing, explain};
use terdut_core::plan::{Broken, Step, StepError};
use terdut_core::problem::{Path, Problem};

/// What a plan's first step made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is what its name says")]
pub enum Made {
    Team(Team),
    User(User),
    Switch(Switch),
    Source(NewIntegration),
    Account(MadeAccount),
    Key(ApiKey),
}

impl Made {
    /// Its id.
    pub fn id(&self) -> i64 {
        match self {
            Self::Team(team) => team.id.0,
            Self::User(user) => user.id.0,
            Self::Switch(switch) => switch.id.0,
            Self::Source(source) => source.integration.id.0,
            Self::Account(made) => made.account.id.0,
            Self::Key(key) => key.id.0,
        }
    }
}

/// What had the name before, and may be taken over: plan again with `Ownership::Found`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is what its name says")]
pub enum Found {
    Team(Team),
    User(User),
    Switch(Switch),
    Source(Integration),
    Account(Account),
    Key(ApiKey),
}

/// How far a plan came.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// What was made. It exists even if a later step failed.
    pub made: Option<Made>,
    /// The ids of those that had its name before, where many may have the same.
    pub beside: BTreeSet<i64>,
    /// What was found instead; no further step was carried out.
    pub found: Option<Found>,
    /// The answers of the steps that make nothing, in order.
    pub replies: Vec<Reply>,
    /// What a person should know.
    pub warnings: Vec<Problem>,
    /// The step that failed.
    pub failed: Option<Failed>,
}

impl Progress {
    /// Whether every step was carried out.
    pub fn is_complete(&self) -> bool {
        self.failed.is_none() && self.found.is_none()
    }

    /// The team as the last answer about it showed it.
    pub fn team(&self) -> Option<&Team> {
        let answered = self.replies.iter().rev().find_map(|reply| match reply {
            Reply::Team(team) => Some(team),
            _ => None,
        });
        answered.or(match &self.made {
            Some(Made::Team(team)) => Some(team),
            _ => None,
        })
    }

    /// The person as the last answer about them showed them.
    pub fn user(&self) -> Option<&User> {
        let answered = self.replies.iter().rev().find_map(|reply| match reply {
            Reply::User(user) => Some(user),
            _ => None,
        });
        answered.or(match &self.made {
            Some(Made::User(user)) => Some(user),
            _ => None,
        })
    }

    /// The policy as the answer to its step showed it.
    pub fn policy(&self) -> Option<&Policy> {
        self.replies.iter().rev().find_map(|reply| match reply {
            Reply::Policy(policy) => policy.as_ref(),
            _ => None,
        })
    }

    /// The id of what was made.
    pub fn made_id(&self) -> Option<i64> {
        self.made.as_ref().map(Made::id)
    }
}

/// The step that failed. Those before it were carried out, those after it were not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// Its place in the plan.
    pub index: usize,
    /// The step; `None` where the plan has none.
    pub step: Option<Step>,
    /// Why it failed.
    pub why: Why,
}

/// Why a step failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// Nothing was made, or nobody can say.
    #[error("the object was not made")]
    Create(#[from] Failure),
    /// A request failed.
    #[error("a request failed")]
    Call(#[from] ApiError),
    /// The step cannot be made a request.
    #[error("the step cannot be carried out")]
    Step(#[from] StepError),
    /// The plan breaks a rule that plans must keep; nothing was done.
    #[error("the plan breaks a rule")]
    Broken(#[from] Broken),
}

impl Failed {
    /// The request's error, where one failed.
    pub fn error(&self) -> Option<&ApiError> {
        match &self.why {
            Why::Create(failure) => failure.error(),
            Why::Call(error) => Some(error),
            Why::Step(_) | Why::Broken(_) => None,
        }
    }

    /// Whether a policy may be there that was to be the first of its team.
    fn may_have_made(&self, doing: &Doing) -> bool {
        let puts = matches!(self.step, Some(Step::PutPolicy { .. }));
        let lost = self.error().is_some_and(|error| error.effect == Effect::Unknown);
        puts && lost && doing.verb == "creating"
    }

    /// What a user is told, given what was being done to which object.
    pub fn problems(&self, doing: &Doing) -> Vec<Problem> {
        match &self.why {
            Why::Create(failure) => vec![failure.problem()],
            Why::Call(error) if self.may_have_made(doing) => {
                let (kind, label, error) = (doing.kind, doing.label.clone(), error.clone());
                vec![Failure::Lost { kind, label, error }.problem()]
            }
            Why::Call(error) => vec![explain(doing, error)],
            Why::Step(StepError::UnknownUsers(problems)) => problems.clone(),
            Why::Step(error) => vec![fault(&error.to_string())],
            Why::Broken(broken) => vec![fault(&broken.to_string())],
        }
    }
}

fn fault(what: &str) -> Problem {
    let detail = format!("The plan was not carried out: {what}. Nothing was changed.");
    Problem::new(Path::root(), "A fault in the provider", detail)
        .hint("Please report it with the configuration that leads to it.")
}
