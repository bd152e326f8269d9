//! The walk: what it has made, what it has noted, and how an answer becomes a verdict.
//!
//! The areas of the contract are one file each beside this; each adds its steps to [`Walk`]. A
//! step that cannot go on returns nothing, and what would have followed is not checked.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use terdut_core::api::Request;
use terdut_core::error::{ApiError, Class};
use terdut_core::ids::{AccountId, KeyId, TeamId, UserId};
use terdut_core::secret::SecretString;

use super::ask::{self, Heard};
use super::checks::{self, CHECKS, Check};
use super::report::{Finding, Report, Verdict};
use super::shape::{self, Shape};
use crate::client::Client;

/// What an answer has to look like.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// Whatever it is.
    Any,
    /// An object.
    One(Shape),
    /// A list of objects.
    List(Shape),
}

/// What is on the server because of the walk.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) teams: Vec<TeamId>,
    pub(super) users: Vec<UserId>,
    pub(super) accounts: Vec<AccountId>,
    pub(super) keys: Vec<(AccountId, KeyId)>,
}

/// One walk over a server.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) client: Client,
    pub(super) name: String,
    pub(super) made: Made,
    pub(super) left_behind: Vec<String>,
    noted: BTreeMap<&'static str, (Verdict, String)>,
    unknown: BTreeSet<String>,
    paged: BTreeSet<String>,
}

impl Walk {
    pub(super) fn new(client: Client, name: &str) -> Self {
        Self {
            client,
            name: name.to_owned(),
            made: Made::default(),
            left_behind: Vec::new(),
            noted: BTreeMap::new(),
            unknown: BTreeSet::new(),
            paged: BTreeSet::new(),
        }
    }

    /// Everything there is to try, in an order in which each step has what it needs.
    pub(super) async fn tour(&mut self) {
        self.general().await;
        let user = self.people().await;
        if let Some(team) = self.team().await {
            self.policy(team, user).await;
            self.switches(team).await;
            self.sources(team).await;
            self.accounts(team).await;
            self.delete_team(team).await;
        }
        self.delete_user(user).await;
    }

    /// Notes a verdict; of several on one line the worst stays.
    pub(super) fn note(&mut self, check: &'static Check, verdict: Verdict, seen: &str) {
        let seen = self.client.clean(seen);
        let known = self.noted.entry(check.id).or_insert((verdict, String::new()));
        if verdict > known.0 || known.1.is_empty() {
            *known = (known.0.max(verdict), seen);
        }
    }

    /// Notes whether a line holds, and what was seen where it does not.
    pub(super) fn judge(&mut self, check: &'static Check, holds: bool, seen: &str) {
        if holds {
            self.note(check, Verdict::AsAssumed, "");
        } else {
            self.note(check, Verdict::Differs, seen);
        }
    }

    /// Notes that a line cannot be tried.
    pub(super) fn skip(&mut self, checks: &[&'static Check], why: &str) {
        for check in checks {
            self.note(check, Verdict::NotChecked, why);
        }
    }

    /// Asks, and notes it where there is no answer.
    pub(super) async fn hear(
        &mut self,
        check: &'static Check,
        client: &Client,
        request: &Request,
    ) -> Option<Heard> {
        let heard = ask::ask(client, request).await;
        self.heard(check, heard)
    }

    /// The answer, unless none came.
    pub(super) fn heard(
        &mut self,
        check: &'static Check,
        heard: Result<Heard, ApiError>,
    ) -> Option<Heard> {
        let heard = match heard {
            Ok(heard) => heard,
            Err(error) => {
                self.note(check, Verdict::Differs, &format!("no answer: {}", error.said));
                return None;
            }
        };
        if let Some(further) = &heard.further {
            self.paged.insert(format!("{}: {further}", check.route));
        }
        Some(heard)
    }

    /// Asks what has to succeed; the answer, if there is one to go on with.
    pub(super) async fn ask(
        &mut self,
        check: &'static Check,
        client: &Client,
        request: Request,
        (status, form): (u16, Form),
    ) -> Option<Value> {
        let heard = self.hear(check, client, &request).await?;
        self.succeeded(check, heard, status, form)
    }

    /// Judges an answer that has to be a success.
    pub(super) fn succeeded(
        &mut self,
        check: &'static Check,
        heard: Heard,
        status: u16,
        form: Form,
    ) -> Option<Value> {
        if heard.class() == Some(Class::TooOld) {
            self.note(check, Verdict::Missing, "the server has no such route");
            return None;
        }
        self.judge(check, heard.status == status, &heard.words());
        if heard.error.is_some() {
            return None;
        }
        let readable = heard.unreadable.unwrap_or_default();
        self.judge(check, readable.is_empty(), &format!("cannot be read: {readable}"));
        let json = heard.json.unwrap_or_default();
        self.formed(check, &json, form);
        Some(json)
    }

    /// Judges the form of an answer.
    pub(super) fn formed(&mut self, check: &'static Check, json: &Value, form: Form) {
        let departures = match form {
            Form::Any => return,
            Form::One(shape) => shape::object(json, shape),
            Form::List(shape) => shape::list(json, shape),
        };
        self.judge(check, departures.faults.is_empty(), &departures.faults.join(", "));
        let named = |field: String| format!("`{field}` in {}", check.route);
        self.unknown.extend(departures.unknown.into_iter().map(named));
    }

    /// Asks what has to be refused with a status, in the server's own words.
    pub(super) async fn refused(
        &mut self,
        check: &'static Check,
        client: &Client,
        request: Request,
        status: u16,
    ) {
        let Some(heard) = self.hear(check, client, &request).await else { return };
        if heard.class() == Some(Class::TooOld) {
            return self.note(check, Verdict::Missing, "the server has no such route");
        }
        let own_word = heard.error.as_ref().is_some_and(|error| error.own_word);
        // What is refused for lack of a key may be refused by whoever stands in front.
        let holds = heard.status == status && (own_word || matches!(status, 401 | 403));
        self.judge(check, holds, &heard.words());
    }

    /// A client with a key of an answer.
    pub(super) fn client_of(&self, key: &Value) -> Option<Client> {
        let text = key["key"].as_str()?;
        Some(self.client.with_token(&SecretString::new(text)))
    }

    /// What was found.
    pub(super) fn report(mut self) -> Report {
        let joined = |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>().join("; ");
        let (pages, fields) = (joined(&self.paged), joined(&self.unknown));
        self.judge(checks::PAGES, pages.is_empty(), &pages);
        self.judge(checks::FIELDS, fields.is_empty(), &fields);
        let findings = CHECKS.iter().map(|check| self.finding(check)).collect();
        let server = self.client.server().to_string();
        Report { server, findings, left_behind: self.left_behind, interrupted: false }
    }

    fn finding(&self, check: &'static Check) -> Finding {
        let unreached = || (Verdict::NotChecked, "what it needs was not there".to_owned());
        let (verdict, seen) = self.noted.get(check.id).cloned().unwrap_or_else(unreached);
        Finding { check, verdict, seen }
    }
}

/// The id in an answer.
pub(super) fn id(json: &Value) -> Option<i64> {
    json["id"].as_i64()
}
