//! Removes what the walk made: by the ids that it saw, and by its name, which nobody else has,
//! for what was made and not answered. What cannot be removed is told.

use terdut_core::api::{Reply, Request};
use terdut_core::error::Class;
use terdut_core::ids::{AccountId, TeamId};

use super::walk::Walk;

impl Walk {
    pub(super) async fn clean_up(&mut self) {
        self.find_lost().await;
        for team in std::mem::take(&mut self.made.teams) {
            self.remove_team(team).await;
        }
        for account in std::mem::take(&mut self.made.accounts) {
            self.remove_account(account).await;
        }
        for (account, key) in std::mem::take(&mut self.made.keys) {
            let request = Request::RevokeKey { account, key };
            self.remove(request, &format!("key {key} of service account {account}")).await;
        }
        for user in std::mem::take(&mut self.made.users) {
            self.remove(Request::DeleteUser { user }, &format!("user {user}")).await;
        }
    }

    async fn find_lost(&mut self) {
        let own = |name: &str| name.starts_with(&self.name);
        if let Ok(Reply::Teams(teams)) = self.client.call_fresh(Request::ListTeams).await {
            let lost = teams.iter().filter(|team| own(&team.name)).map(|team| team.id);
            let lost: Vec<_> = lost.filter(|id| !self.made.teams.contains(id)).collect();
            self.made.teams.extend(lost);
        }
        let all = Request::ListAccounts { name: None };
        if let Ok(Reply::Accounts(accounts)) = self.client.call_fresh(all).await {
            let lost = accounts.iter().filter(|account| own(&account.name)).map(|it| it.id);
            let lost: Vec<_> = lost.filter(|id| !self.made.accounts.contains(id)).collect();
            self.made.accounts.extend(lost);
        }
        if let Ok(Reply::Users(users)) = self.client.call_fresh(Request::ListUsers).await {
            let lost = users.iter().filter(|user| own(&user.username)).map(|user| user.id);
            let lost: Vec<_> = lost.filter(|id| !self.made.users.contains(id)).collect();
            self.made.users.extend(lost);
        }
    }

    /// A server that does not take all below a team along is helped.
    async fn remove_team(&mut self, team: TeamId) {
        if self.is_removed(Request::DeleteTeam { team }).await.is_ok() {
            return;
        }
        if let Ok(Reply::Switches(switches)) =
            self.client.call_fresh(Request::ListSwitches { team }).await
        {
            for switch in switches.iter().map(|switch| switch.id) {
                self.is_removed(Request::DeleteSwitch { team, switch }).await.ok();
            }
        }
        if let Ok(Reply::Integrations(sources)) =
            self.client.call_fresh(Request::ListIntegrations { team }).await
        {
            for integration in sources.iter().map(|source| source.id) {
                self.is_removed(Request::DeleteIntegration { team, integration }).await.ok();
            }
        }
        self.remove(Request::DeleteTeam { team }, &format!("team {team}")).await;
    }

    /// Where accounts cannot be deleted, their keys are revoked: the account stays, and opens
    /// nothing.
    async fn remove_account(&mut self, account: AccountId) {
        let Err(why) = self.is_removed(Request::DeleteAccount { account }).await else {
            self.made.keys.retain(|(owner, _)| *owner != account);
            return;
        };
        if self.is_absent(account).await {
            // It went with its team.
            self.made.keys.retain(|(owner, _)| *owner != account);
            return;
        }
        if let Ok(Reply::Keys(keys)) = self.client.call_fresh(Request::ListKeys { account }).await {
            let lost = keys.iter().map(|key| (account, key.id));
            let lost: Vec<_> = lost.filter(|key| !self.made.keys.contains(key)).collect();
            self.made.keys.extend(lost);
        }
        self.left_behind.push(format!("service account {account}, without keys ({why})"));
    }

    /// Whether a complete list lacks the account.
    async fn is_absent(&self, account: AccountId) -> bool {
        let all = Request::ListAccounts { name: None };
        match self.client.call_fresh(all).await {
            Ok(Reply::Accounts(accounts)) => !accounts.iter().any(|it| it.id == account),
            _ => false,
        }
    }

    async fn remove(&mut self, request: Request, what: &str) {
        if let Err(why) = self.is_removed(request).await {
            self.left_behind.push(format!("{what} ({why})"));
        }
    }

    /// Gone, or why not.
    async fn is_removed(&self, request: Request) -> Result<(), String> {
        match self.client.call_fresh(request).await {
            Ok(_) => Ok(()),
            Err(error) if error.class == Class::NotFound => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}
