//! Alert sources and their webhook, which gets a message without alerts: nobody is paged.

use http::Method;
use serde_json::{Value, json};
use terdut_core::api::Request;
use terdut_core::ids::{IntegrationId, TeamId};

use super::ask::ask_raw;
use super::checks;
use super::shape;
use super::walk::{Form, Walk, id};

const WEBHOOK: &str = "/api/integrations/{key}/alertmanager";

impl Walk {
    /// Leaves a source in the team: its deletion has to take it along.
    pub(super) async fn sources(&mut self, team: TeamId) {
        let client = self.client.clone();
        let form = (201, Form::One(shape::NEW_SOURCE));
        let made = self.ask(checks::SOURCE_CREATE, &client, source(team, "one"), form).await;
        let list = (200, Form::List(shape::SOURCE));
        let listed = Request::ListIntegrations { team };
        if let Some(list) = self.ask(checks::SOURCES, &client, listed, list).await {
            self.shows_no_key(&list);
        }
        let Some(made) = made else { return };
        self.webhook(&made).await;
        self.names_and_kinds(team).await;
        let Some(integration) = id(&made).map(IntegrationId) else { return };
        self.rename_source(team, integration).await;
        self.ask(checks::SOURCE_CREATE, &client, source(team, "two"), form).await;
        let delete = Request::DeleteIntegration { team, integration };
        self.ask(checks::SOURCE_DELETE, &client, delete, (204, Form::Any)).await;
    }

    fn shows_no_key(&mut self, list: &Value) {
        let with_key = |row: &Value| row.get("key").is_some() || row.get("url").is_some();
        let leaks = list.as_array().is_some_and(|rows| rows.iter().any(with_key));
        self.judge(checks::SOURCES, !leaks, "the list shows keys");
    }

    async fn webhook(&mut self, made: &Value) {
        let key = made["key"].as_str().unwrap_or_default();
        self.key_form(made);
        let url = made["url"].as_str().unwrap_or_default();
        let path = WEBHOOK.replace("{key}", key);
        self.judge(checks::SOURCE_URL, url.ends_with(&path), "a url of another form");
        let body = json!({
            "version": "4", "groupKey": "{}:{}", "status": "resolved", "receiver": "terdut",
            "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {}, "externalURL": "",
            "alerts": [],
        });
        let nobody = self.client.without_token();
        let heard = ask_raw(&nobody, (Method::POST, WEBHOOK), &path, Some(&body)).await;
        if let Some(heard) = self.heard(checks::WEBHOOK, heard) {
            self.succeeded(checks::WEBHOOK, heard, 200, Form::Any);
        }
    }

    async fn names_and_kinds(&mut self, team: TeamId) {
        let client = self.client.clone();
        self.refused(checks::SOURCE_TAKEN, &client, source(team, "one"), 409).await;
        let name = "terdut-contract-kind".to_owned();
        let other = Request::CreateIntegration { team, kind: "webhook".to_owned(), name };
        self.refused(checks::SOURCE_KINDS, &client, other, 400).await;
    }

    async fn rename_source(&mut self, team: TeamId, integration: IntegrationId) {
        let client = self.client.clone();
        let name = "terdut-contract-renamed";
        let request = Request::RenameIntegration { team, integration, name: name.to_owned() };
        let form = (200, Form::One(shape::SOURCE));
        if let Some(json) = self.ask(checks::SOURCE_RENAME, &client, request, form).await {
            let seen = format!("the name is {}", json["name"]);
            self.judge(checks::SOURCE_RENAME, json["name"] == name, &seen);
        }
    }
}

fn source(team: TeamId, name: &str) -> Request {
    let name = format!("terdut-contract-{name}");
    Request::CreateIntegration { team, kind: "alertmanager".to_owned(), name }
}
