//! The requests as methods with their own types.
//!
//! For callers that ask one thing: data sources, subcommands. Machines use `Client::call`.

use terdut_core::api::{
    Account, AccountScope, ApiKey, Bootstrapped, Integration, Me, NewAccount, NewIntegration,
    NewSwitch, Policy, Reply, Request, ScheduleEntry, Shared, Switch, Team, User,
};
use terdut_core::error::ApiError;
use terdut_core::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use terdut_core::secret::SecretString;

use crate::client::Client;

macro_rules! calls {
    ($(
        $(#[$doc:meta])*
        $name:ident($($argument:ident: $type:ty),*) -> $fact:ty = $request:expr => $reply:ident;
    )+) => {
        impl Client {$(
            $(#[$doc])*
            pub async fn $name(&self, $($argument: $type),*) -> Result<$fact, ApiError> {
                match self.call($request).await? {
                    Reply::$reply(fact) => Ok(fact),
                    _ => unreachable!("a request is decoded as its own reply"),
                }
            }
        )+}
    };
}

macro_rules! deeds {
    ($(
        $(#[$doc:meta])*
        $name:ident($($argument:ident: $type:ty),*) = $request:expr;
    )+) => {
        impl Client {$(
            $(#[$doc])*
            pub async fn $name(&self, $($argument: $type),*) -> Result<(), ApiError> {
                self.call($request).await.map(drop)
            }
        )+}
    };
}

calls! {
    /// The one bootstrap of an empty server.
    bootstrap(username: String, email: String) -> Bootstrapped
        = Request::Bootstrap { username, email } => Bootstrapped;
    /// Who the key belongs to.
    me() -> Me = Request::Me => Me;
    /// All people.
    users() -> Shared<User> = Request::ListUsers => Users;
    /// Adds a person.
    create_user(username: String, email: String) -> User
        = Request::CreateUser { username, email } => User;
    /// Sets a person's topic; empty clears it.
    set_topic(user: UserId, topic: String) -> User = Request::SetTopic { user, topic } => User;
    /// Makes a person's key.
    mint_user_key(user: UserId, name: String) -> ApiKey
        = Request::MintUserKey { user, name } => Key;
    /// Service accounts: of one exact name, or all.
    accounts(name: Option<String>) -> Shared<Account>
        = Request::ListAccounts { name } => Accounts;
    /// Makes a service account with its first key.
    create_account(name: String, scope: AccountScope) -> NewAccount
        = Request::CreateAccount { name, scope } => NewAccount;
    /// An account's keys, without the keys themselves.
    keys(account: AccountId) -> Shared<ApiKey> = Request::ListKeys { account } => Keys;
    /// Makes a further key of an account.
    mint_key(account: AccountId, name: String) -> ApiKey
        = Request::MintKey { account, name } => Key;
    /// All teams.
    teams() -> Shared<Team> = Request::ListTeams => Teams;
    /// Makes a team.
    create_team(name: String) -> Team = Request::CreateTeam { name } => Team;
    /// Renames a team.
    rename_team(team: TeamId, name: String) -> Team = Request::RenameTeam { team, name } => Team;
    /// Sets a team's OIDC groups; an empty one is cleared.
    set_groups(team: TeamId, member: String, owner: String) -> Team
        = Request::SetGroups { team, member, owner } => Team;
    /// A team's escalation policy, if it has one.
    policy(team: TeamId) -> Option<Policy> = Request::GetPolicy { team } => Policy;
    /// Replaces a team's escalation policy; no levels resets it.
    put_policy(team: TeamId, policy: Policy) -> Option<Policy>
        = Request::PutPolicy { team, policy } => Policy;
    /// A team's dead man's switches.
    switches(team: TeamId) -> Shared<Switch> = Request::ListSwitches { team } => Switches;
    /// Makes a dead man's switch.
    create_switch(team: TeamId, switch: NewSwitch) -> Switch
        = Request::CreateSwitch { team, switch } => Switch;
    /// A team's alert sources, without their keys.
    integrations(team: TeamId) -> Shared<Integration>
        = Request::ListIntegrations { team } => Integrations;
    /// Makes an alert source; its key is shown only here.
    create_integration(team: TeamId, kind: String, name: String) -> NewIntegration
        = Request::CreateIntegration { team, kind, name } => NewIntegration;
    /// Renames an alert source.
    rename_integration(team: TeamId, integration: IntegrationId, name: String) -> Integration
        = Request::RenameIntegration { team, integration, name } => Integration;
    /// Who is on call now, if anybody is.
    on_call() -> Option<ScheduleEntry> = Request::OnCall => OnCall;
}

deeds! {
    /// Whether the server answers at all.
    health() = Request::Health;
    /// Removes a person.
    delete_user(user: UserId) = Request::DeleteUser { user };
    /// Sets a person's password.
    set_password(user: UserId, password: SecretString) = Request::SetPassword { user, password };
    /// Revokes a person's key.
    revoke_user_key(user: UserId, key: KeyId) = Request::RevokeUserKey { user, key };
    /// Removes a service account.
    delete_account(account: AccountId) = Request::DeleteAccount { account };
    /// Revokes an account's key.
    revoke_key(account: AccountId, key: KeyId) = Request::RevokeKey { account, key };
    /// Removes a team with all that belongs to it.
    delete_team(team: TeamId) = Request::DeleteTeam { team };
    /// Removes a dead man's switch.
    delete_switch(team: TeamId, switch: SwitchId) = Request::DeleteSwitch { team, switch };
    /// Removes an alert source.
    delete_integration(team: TeamId, integration: IntegrationId)
        = Request::DeleteIntegration { team, integration };
}
