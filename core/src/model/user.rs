//! A person.
//!
//! The API changes only the ntfy topic in place; another name or address replaces the person, with
//! all that belongs to them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check;
use super::{Kind, Model};
use crate::api;
use crate::ids::UserId;
use crate::plan::{Differences, Ref, Step};
use crate::problem::{Findings, Path};
use crate::value::{Email, Field, Input, Name};

/// A person who can be on call and be paged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserSpec {
    /// The log-in name, unique on the server.
    #[schemars(length(min = 1, max = 253))]
    pub username: String,
    /// The e-mail address, unique on the server. Upper and lower case do not matter.
    #[schemars(length(min = 3, max = 253))]
    pub email: String,
    /// The ntfy topic on which this person is paged. Absent and empty mean none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub ntfy_topic: Option<String>,
}

/// What a user wrote.
#[derive(Debug, Clone, Default)]
pub struct UserInput {
    /// Log-in name.
    pub username: Input<String>,
    /// E-mail address.
    pub email: Input<String>,
    /// ntfy topic.
    pub ntfy_topic: Input<String>,
}

impl From<&UserSpec> for UserInput {
    fn from(spec: &UserSpec) -> Self {
        Self {
            username: Input::Given(spec.username.clone()),
            email: Input::Given(spec.email.clone()),
            ntfy_topic: spec.ntfy_topic.clone().into(),
        }
    }
}

/// The validated wish. An empty topic is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredUser {
    /// Log-in name.
    pub username: Field<Name>,
    /// E-mail address.
    pub email: Field<Email>,
    /// ntfy topic.
    pub ntfy_topic: Field<String>,
}

/// A person of whom all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Log-in name.
    pub username: Name,
    /// E-mail address.
    pub email: Email,
    /// ntfy topic.
    pub ntfy_topic: String,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedUser {
    /// Its id.
    pub id: UserId,
    /// Log-in name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// ntfy topic; empty: none.
    pub ntfy_topic: String,
}

impl From<&api::User> for ObservedUser {
    fn from(user: &api::User) -> Self {
        Self {
            id: user.id,
            username: user.username.clone(),
            email: user.email.clone(),
            ntfy_topic: user.ntfy_topic.clone().unwrap_or_default(),
        }
    }
}

impl UserInput {
    /// The wish, or all that is wrong with it.
    pub fn validate(&self, findings: &mut Findings) -> Option<DesiredUser> {
        let username = check::required(findings, &Path::of("username"), &self.username);
        let email = check::required(findings, &Path::of("email"), &self.email);
        let ntfy_topic = check::text(findings, &Path::of("ntfy_topic"), &self.ntfy_topic);
        Some(DesiredUser { username: username?, email: email?, ntfy_topic: ntfy_topic? })
    }
}

impl User {
    fn set_topic(&self, user: Ref<UserId>) -> Step {
        Step::SetTopic { user, topic: self.ntfy_topic.clone() }
    }
}

impl Model for User {
    const KIND: Kind = Kind::User;
    const REPLACE_WARNING: Option<(&'static str, &'static str)> = Some((
        "The user's schedule and escalation targets are lost",
        "terdut cannot change a user's name or e-mail address: the user is deleted and made again \
         with another id. Their days on call, their keys and their place in escalation policies go \
         with the old one.",
    ));
    type Desired = DesiredUser;
    type Observed = ObservedUser;

    fn known(desired: &DesiredUser) -> Option<Self> {
        Some(Self {
            username: desired.username.known()?.clone(),
            email: desired.email.known()?.clone(),
            ntfy_topic: desired.ntfy_topic.known()?.clone(),
        })
    }

    fn differences(desired: &DesiredUser, observed: &ObservedUser) -> Differences {
        const WHY: &str = "terdut cannot change it on an existing user";
        let mut found = Differences::default();
        found.replace_text("username", &desired.username, &observed.username, Name::is, WHY);
        found.replace_text("email", &desired.email, &observed.email, Email::is, WHY);
        found.update("ntfy_topic", &desired.ntfy_topic, |topic| *topic == observed.ntfy_topic);
        found
    }

    fn create(&self) -> Vec<Step> {
        let (username, email) = (self.username.to_string(), self.email.to_string());
        let mut steps = vec![Step::CreateUser { username, email }];
        if !self.ntfy_topic.is_empty() {
            steps.push(self.set_topic(Ref::Made));
        }
        steps
    }

    fn update(&self, observed: &ObservedUser, differences: &Differences) -> Vec<Step> {
        if differences.updates("ntfy_topic") {
            vec![self.set_topic(Ref::Id(observed.id))]
        } else {
            Vec::new()
        }
    }

    fn delete(observed: &ObservedUser) -> Vec<Step> {
        vec![Step::DeleteUser { user: observed.id }]
    }

    fn import_id(observed: &ObservedUser) -> String {
        observed.id.to_string()
    }

    fn label(observed: &ObservedUser) -> String {
        observed.username.clone()
    }
}
