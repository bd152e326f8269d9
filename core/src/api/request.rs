//! The requests and the replies to them.

use super::facts::{
    Account, Alert, ApiKey, Bootstrapped, Integration, Me, NewAccount, NewIntegration, Policy,
    ScheduleEntry, Shared, Switch, Team, User,
};
use crate::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use crate::secret::SecretString;

/// What the keys of a service account may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountScope {
    /// Teams, team-scoped accounts, reading users, everything below any team.
    Instance,
    /// One team's policy, switches, sources, schedule and OIDC groups; reading users.
    Team(TeamId),
    /// A scope that this version does not know.
    Other(String),
}

/// What a new dead man's switch is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSwitch {
    /// Its name.
    pub name: String,
    /// Matcher.
    pub matcher: String,
    /// A Go duration.
    pub timeout: String,
    /// Severity.
    pub severity: String,
}

/// What is asked of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is documented by its route")]
pub enum Request {
    /// `GET /healthz`, without a key.
    Health,
    /// `POST /api/bootstrap`, without a key.
    Bootstrap { username: String, email: String },
    /// `GET /api/me`.
    Me,
    /// `GET /api/users`.
    ListUsers,
    /// `POST /api/users`.
    CreateUser { username: String, email: String },
    /// `DELETE /api/users/{id}`.
    DeleteUser { user: UserId },
    /// `PUT /api/users/{id}/password`.
    SetPassword { user: UserId, password: SecretString },
    /// `PUT /api/users/{id}/notify`; an empty topic clears.
    SetTopic { user: UserId, topic: String },
    /// `POST /api/users/{id}/api-keys`.
    MintUserKey { user: UserId, name: String },
    /// `DELETE /api/users/{id}/api-keys/{key_id}`.
    RevokeUserKey { user: UserId, key: KeyId },
    /// `GET /api/service-accounts`, of one exact name or all.
    ListAccounts { name: Option<String> },
    /// `POST /api/service-accounts`.
    CreateAccount { name: String, scope: AccountScope },
    /// `DELETE /api/service-accounts/{id}`.
    DeleteAccount { account: AccountId },
    /// `GET /api/service-accounts/{id}/keys`.
    ListKeys { account: AccountId },
    /// `POST /api/service-accounts/{id}/keys`.
    MintKey { account: AccountId, name: String },
    /// `DELETE /api/service-accounts/{id}/keys/{key_id}`.
    RevokeKey { account: AccountId, key: KeyId },
    /// `GET /api/teams`.
    ListTeams,
    /// `POST /api/teams`.
    CreateTeam { name: String },
    /// `PUT /api/teams/{id}`.
    RenameTeam { team: TeamId, name: String },
    /// `PUT /api/teams/{id}/oidc-groups`; an empty group clears.
    SetGroups { team: TeamId, member: String, owner: String },
    /// `DELETE /api/teams/{id}`, with all that belongs to it.
    DeleteTeam { team: TeamId },
    /// `GET /api/teams/{id}/escalation`.
    GetPolicy { team: TeamId },
    /// `PUT /api/teams/{id}/escalation`, the whole policy; no levels resets it.
    PutPolicy { team: TeamId, policy: Policy },
    /// `GET /api/teams/{id}/deadman-switches`.
    ListSwitches { team: TeamId },
    /// `POST /api/teams/{id}/deadman-switches`.
    CreateSwitch { team: TeamId, switch: NewSwitch },
    /// `DELETE /api/teams/{id}/deadman-switches/{id}`.
    DeleteSwitch { team: TeamId, switch: SwitchId },
    /// `GET /api/teams/{id}/integrations`.
    ListIntegrations { team: TeamId },
    /// `POST /api/teams/{id}/integrations`.
    CreateIntegration { team: TeamId, kind: String, name: String },
    /// `PATCH /api/teams/{id}/integrations/{id}`.
    RenameIntegration { team: TeamId, integration: IntegrationId, name: String },
    /// `DELETE /api/teams/{id}/integrations/{id}`.
    DeleteIntegration { team: TeamId, integration: IntegrationId },
    /// `GET /api/schedule/current`.
    OnCall,
    /// `GET /api/alerts?status=firing`, as many as the server shows at once.
    ListFiring,
}

/// What the server answered. The variant is fixed by the request.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each variant is documented by its requests")]
pub enum Reply {
    /// Health, a DELETE, a password: nothing to read.
    Done,
    /// Bootstrap.
    Bootstrapped(Bootstrapped),
    /// Me.
    Me(Me),
    /// A user that was made or changed.
    User(User),
    Users(Shared<User>),
    /// A key that was minted; `key` is present.
    Key(ApiKey),
    Keys(Shared<ApiKey>),
    Accounts(Shared<Account>),
    NewAccount(NewAccount),
    /// A team that was made or changed.
    Team(Team),
    Teams(Shared<Team>),
    /// `None`: the team has no policy.
    Policy(Option<Policy>),
    /// A switch that was made.
    Switch(Switch),
    Switches(Shared<Switch>),
    NewIntegration(NewIntegration),
    /// An integration that was renamed.
    Integration(Integration),
    Integrations(Shared<Integration>),
    /// Alerts that fire.
    Alerts(Shared<Alert>),
    /// `None`: nobody is on call.
    OnCall(Option<ScheduleEntry>),
}
