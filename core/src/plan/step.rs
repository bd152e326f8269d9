//! The commands of a plan.
//!
//! One step is one request. Steps that make something are carried out by the create machine
//! ([`crate::create`]), which looks before it posts; the others are sent as they are.

use crate::api::{self, AccountScope, NewSwitch, Request};
use crate::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use crate::model::EscalationRule;
use crate::problem::Problem;

/// An object that is there, or that an earlier step of the same plan makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ref<I> {
    /// It is there.
    Id(I),
    /// The plan's first step makes it.
    Made,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is documented by its request")]
pub enum Step {
    /// [`Request::CreateTeam`].
    CreateTeam { name: String },
    /// [`Request::RenameTeam`].
    RenameTeam { team: TeamId, name: String },
    /// [`Request::SetGroups`].
    SetGroups { team: Ref<TeamId>, member: String, owner: String },
    /// [`Request::DeleteTeam`].
    DeleteTeam { team: TeamId },
    /// [`Request::PutPolicy`], after a look at the users that it names.
    PutPolicy { rule: EscalationRule },
    /// [`Request::PutPolicy`] without levels.
    ResetPolicy { team: TeamId },
    /// [`Request::CreateSwitch`].
    CreateSwitch { team: TeamId, switch: NewSwitch },
    /// [`Request::DeleteSwitch`].
    DeleteSwitch { team: TeamId, switch: SwitchId },
    /// [`Request::CreateIntegration`].
    CreateSource { team: TeamId, kind: String, name: String },
    /// [`Request::RenameIntegration`].
    RenameSource { team: TeamId, source: IntegrationId, name: String },
    /// [`Request::DeleteIntegration`].
    DeleteSource { team: TeamId, source: IntegrationId },
    /// [`Request::CreateUser`].
    CreateUser { username: String, email: String },
    /// [`Request::SetTopic`].
    SetTopic { user: Ref<UserId>, topic: String },
    /// [`Request::DeleteUser`].
    DeleteUser { user: UserId },
    /// [`Request::CreateAccount`]; the machine revokes its first key.
    CreateAccount { name: String, scope: AccountScope },
    /// [`Request::DeleteAccount`]; where the route is missing, each of its keys is revoked instead.
    DeleteAccount { account: AccountId },
    /// [`Request::MintKey`].
    MintKey { account: AccountId, name: String },
    /// [`Request::RevokeKey`].
    RevokeKey { account: AccountId, key: KeyId },
}

/// What a step needs beyond itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The id that the plan's first step gave.
    pub made: Option<i64>,
    /// The server's users, for a policy that names some.
    pub users: &'a [api::User],
}

/// Why a step cannot be made a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// It names users that are not there.
    #[error("the policy names users that do not exist")]
    UnknownUsers(
        /// A problem for each of them.
        Vec<Problem>,
    ),
    /// It needs the id of an object that was not made.
    #[error("the object that the step is about was not made")]
    NothingMade,
}

impl Step {
    /// Whether it makes an object whose answer must not be lost.
    pub fn is_create(&self) -> bool {
        matches!(
            self,
            Self::CreateTeam { .. }
                | Self::CreateSwitch { .. }
                | Self::CreateSource { .. }
                | Self::CreateUser { .. }
                | Self::CreateAccount { .. }
                | Self::MintKey { .. }
        )
    }

    /// Whether it removes something.
    pub fn is_delete(&self) -> bool {
        matches!(
            self,
            Self::DeleteTeam { .. }
                | Self::ResetPolicy { .. }
                | Self::DeleteSwitch { .. }
                | Self::DeleteSource { .. }
                | Self::DeleteUser { .. }
                | Self::DeleteAccount { .. }
                | Self::RevokeKey { .. }
        )
    }

    /// The request that carries it out.
    pub fn request(&self, context: Context<'_>) -> Result<Request, StepError> {
        Ok(match self.clone() {
            Self::CreateTeam { name } => Request::CreateTeam { name },
            Self::RenameTeam { team, name } => Request::RenameTeam { team, name },
            Self::SetGroups { team, member, owner } => {
                Request::SetGroups { team: team.id(context, TeamId)?, member, owner }
            }
            Self::DeleteTeam { team } => Request::DeleteTeam { team },
            Self::PutPolicy { rule } => put_policy(&rule, context.users)?,
            Self::ResetPolicy { team } => Request::PutPolicy { team, policy: no_policy() },
            Self::CreateSwitch { team, switch } => Request::CreateSwitch { team, switch },
            Self::DeleteSwitch { team, switch } => Request::DeleteSwitch { team, switch },
            Self::CreateSource { team, kind, name } => {
                Request::CreateIntegration { team, kind, name }
            }
            Self::RenameSource { team, source, name } => {
                Request::RenameIntegration { team, integration: source, name }
            }
            Self::DeleteSource { team, source } => {
                Request::DeleteIntegration { team, integration: source }
            }
            Self::CreateUser { username, email } => Request::CreateUser { username, email },
            Self::SetTopic { user, topic } => {
                Request::SetTopic { user: user.id(context, UserId)?, topic }
            }
            Self::DeleteUser { user } => Request::DeleteUser { user },
            Self::CreateAccount { name, scope } => Request::CreateAccount { name, scope },
            Self::DeleteAccount { account } => Request::DeleteAccount { account },
            Self::MintKey { account, name } => Request::MintKey { account, name },
            Self::RevokeKey { account, key } => Request::RevokeKey { account, key },
        })
    }
}

impl<I: Copy> Ref<I> {
    fn id(self, context: Context<'_>, wrap: fn(i64) -> I) -> Result<I, StepError> {
        match self {
            Self::Id(id) => Ok(id),
            Self::Made => context.made.map(wrap).ok_or(StepError::NothingMade),
        }
    }
}

fn put_policy(rule: &EscalationRule, users: &[api::User]) -> Result<Request, StepError> {
    let policy = rule.resolve(users).map_err(StepError::UnknownUsers)?;
    Ok(Request::PutPolicy { team: rule.team, policy })
}

fn no_policy() -> api::Policy {
    api::Policy { repeat_count: 0, fallback_topic: None, levels: Vec::new() }
}
