//! What holds for every route: keys, errors, unknown routes, the spent bootstrap.

use http::Method;
use terdut_core::api::Request;
use terdut_core::error::{ApiError, Class};
use terdut_core::secret::SecretString;

use super::ask::{self, ask_raw};
use super::checks;
use super::report::Verdict;
use super::shape;
use super::walk::{Form, Walk};

impl Walk {
    /// Whether the server answers and takes the key at all; else there is nothing to try.
    pub(super) async fn arrive(&mut self) -> Result<(), ApiError> {
        let client = self.client.clone();
        let health = ask::ask(&client, &Request::Health).await?;
        self.succeeded(checks::HEALTH, health, 200, Form::Any);
        let teams = ask::ask(&client, &Request::ListTeams).await?;
        if teams.class() == Some(Class::Denied)
            && let Some(error) = teams.error
        {
            return Err(error);
        }
        if let Some(teams) = self.heard(checks::TEAMS, Ok(teams)) {
            self.succeeded(checks::TEAMS, teams, 200, Form::List(shape::TEAM));
        }
        Ok(())
    }

    pub(super) async fn general(&mut self) {
        self.without_a_good_key().await;
        self.unknown_route().await;
        let client = self.client.clone();
        let on_call = self.hear(checks::ON_CALL, &client, &Request::OnCall).await;
        match on_call {
            Some(heard) if heard.class() == Some(Class::NotFound) => {
                self.note(checks::ON_CALL, Verdict::AsAssumed, "");
            }
            Some(heard) => {
                self.succeeded(checks::ON_CALL, heard, 200, Form::One(shape::ENTRY));
            }
            None => {}
        }
        if let Some(alerts) = self.hear(checks::ALERTS, &client, &Request::ListFiring).await {
            self.succeeded(checks::ALERTS, alerts, 200, Form::Any);
        }
    }

    async fn without_a_good_key(&mut self) {
        let nobody = self.client.without_token();
        self.refused(checks::NO_KEY, &nobody, Request::ListTeams, 401).await;
        // Of a key's form, and nobody's.
        let stranger = self.client.with_token(&SecretString::new("0".repeat(64)));
        self.refused(checks::UNKNOWN_KEY, &stranger, Request::ListTeams, 401).await;
    }

    async fn unknown_route(&mut self) {
        let route = "/api/terdut-contract";
        let heard = ask_raw(&self.client, (Method::GET, route), route, None).await;
        let Some(heard) = self.heard(checks::NO_ROUTE, heard) else { return };
        let known = heard.class() == Some(Class::TooOld);
        self.judge(checks::NO_ROUTE, known, &heard.words());
    }

    /// Never called before a user was seen: the one bootstrap must not be spent.
    pub(super) async fn bootstrap_is_spent(&mut self) {
        let client = self.client.clone();
        let (username, email) = (self.name.clone(), format!("{}@example.org", self.name));
        let request = Request::Bootstrap { username, email };
        self.refused(checks::BOOTSTRAP_SPENT, &client, request, 403).await;
    }
}
