//! A team, its groups and its escalation policy.

use serde_json::Value;
use terdut_core::api::{Level, Policy, Request, Target};
use terdut_core::error::Class;
use terdut_core::ids::{TeamId, UserId};

use super::ask::Heard;
use super::checks;
use super::report::Verdict;
use super::shape;
use super::walk::{Form, Walk, id};

const ONE_TEAM: (u16, Form) = (200, Form::One(shape::TEAM));

impl Walk {
    /// The walk's own team.
    pub(super) async fn team(&mut self) -> Option<TeamId> {
        let client = self.client.clone();
        let create = |name: &str| Request::CreateTeam { name: name.to_owned() };
        let form = (201, Form::One(shape::TEAM));
        let name = self.name.clone();
        let made = self.ask(checks::TEAM_CREATE, &client, create(&name), form).await?;
        let team = TeamId(id(&made)?);
        self.made.teams.push(team);
        self.refused(checks::TEAM_TAKEN, &client, create(&name), 409).await;
        self.refused(checks::INVALID, &client, create(""), 400).await;
        let renamed = format!("{name}-2");
        let request = Request::RenameTeam { team, name: renamed.clone() };
        if let Some(json) = self.ask(checks::TEAM_RENAME, &client, request, ONE_TEAM).await {
            let seen = format!("the name is {}", json["name"]);
            self.judge(checks::TEAM_RENAME, json["name"] == renamed.as_str(), &seen);
        }
        self.groups(team).await;
        Some(team)
    }

    async fn groups(&mut self, team: TeamId) {
        let client = self.client.clone();
        for (member, owner) in [("terdut-members", "terdut-owners"), ("terdut-members", "")] {
            let request =
                Request::SetGroups { team, member: member.to_owned(), owner: owner.to_owned() };
            let Some(json) = self.ask(checks::GROUPS, &client, request, ONE_TEAM).await else {
                return;
            };
            let shown = |field: &str| json[field].as_str().unwrap_or_default();
            let found = (shown("oidc_member_group"), shown("oidc_owner_group"));
            self.judge(checks::GROUPS, found == (member, owner), &format!("{found:?}"));
        }
    }

    pub(super) async fn policy(&mut self, team: TeamId, user: Option<UserId>) {
        let client = self.client.clone();
        if let Some(heard) =
            self.hear(checks::NO_POLICY, &client, &Request::GetPolicy { team }).await
        {
            self.no_policy(&heard);
        }
        let form = (200, Form::One(shape::POLICY));
        let put = Request::PutPolicy { team, policy: policy(user) };
        if let Some(json) = self.ask(checks::POLICY_PUT, &client, put, form).await {
            let timeout = &json["levels"][0]["timeout"];
            self.judge(checks::POLICY_TIMEOUT, *timeout == "1h30m0s", &format!("{timeout}"));
        }
        let get = Request::GetPolicy { team };
        if let Some(json) = self.ask(checks::POLICY_READ, &client, get, form).await {
            let seen = (json["repeat_count"].as_i64(), json["fallback_topic"].as_str());
            let same = seen == (Some(2), Some("terdut-contract"));
            self.judge(checks::POLICY_READ, same, &format!("{seen:?}"));
        }
        if let Some(user) = user {
            self.delete_named(user).await;
        }
        self.reset(team).await;
    }

    fn no_policy(&mut self, heard: &Heard) {
        if heard.class() == Some(Class::TooOld) {
            return self.note(checks::NO_POLICY, Verdict::Missing, "the server has no such route");
        }
        let seen = match heard.json.as_ref().filter(|_| heard.error.is_none()) {
            Some(Value::Object(fields)) if fields.is_empty() => "200 with {}".to_owned(),
            Some(json) if has_no_levels(json) => "200 with a policy without levels".to_owned(),
            _ => heard.words(),
        };
        self.judge(checks::NO_POLICY, heard.class() == Some(Class::NotFound), &seen);
    }

    async fn reset(&mut self, team: TeamId) {
        let client = self.client.clone();
        let policy = Policy { repeat_count: 0, fallback_topic: None, levels: Vec::new() };
        let put = Request::PutPolicy { team, policy };
        self.ask(checks::POLICY_RESET, &client, put, (200, Form::Any)).await;
        let get = Request::GetPolicy { team };
        let Some(heard) = self.hear(checks::POLICY_RESET, &client, &get).await else { return };
        let gone = heard.class() == Some(Class::NotFound)
            || (heard.error.is_none() && heard.json.as_ref().is_none_or(has_no_levels));
        self.judge(checks::POLICY_RESET, gone, "the policy is still there");
    }

    /// Deletes the team with a switch and a source in it.
    pub(super) async fn delete_team(&mut self, team: TeamId) {
        let client = self.client.clone();
        let request = Request::DeleteTeam { team };
        let form = (204, Form::Any);
        if self.ask(checks::TEAM_DELETE, &client, request, form).await.is_none() {
            return;
        }
        self.made.teams.retain(|made| *made != team);
        let below = Request::ListSwitches { team };
        let Some(heard) = self.hear(checks::TEAM_DELETE, &client, &below).await else { return };
        let gone = heard.class() == Some(Class::NotFound);
        self.judge(checks::TEAM_DELETE, gone, "its switches are still there");
    }
}

fn policy(user: Option<UserId>) -> Policy {
    let targets = [Target::OnCall].into_iter().chain(user.map(Target::User)).collect();
    let levels = vec![Level { timeout: "90m".to_owned(), targets }];
    Policy { repeat_count: 2, fallback_topic: Some("terdut-contract".to_owned()), levels }
}

fn has_no_levels(json: &Value) -> bool {
    json["levels"].as_array().is_none_or(Vec::is_empty)
}
