//! People and their keys. Only an admin key can make one; without it these lines are skipped.

use serde_json::Value;
use terdut_core::api::Request;
use terdut_core::error::Class;
use terdut_core::ids::{KeyId, UserId};
use terdut_core::secret::SecretString;

use super::checks::{self, Check};
use super::report::Verdict;
use super::shape;
use super::walk::{Form, Walk, id};

/// What needs a person to be made.
const WITH_A_PERSON: [&Check; 8] = [
    checks::USER_CREATE,
    checks::USER_TAKEN,
    checks::NOTIFY,
    checks::PASSWORD,
    checks::USER_KEY,
    checks::USER_KEY_REVOKE,
    checks::NAMED_USER,
    checks::USER_DELETE,
];

impl Walk {
    /// The person that was made, if the key may make one.
    pub(super) async fn people(&mut self) -> Option<UserId> {
        let client = self.client.clone();
        self.whose_key().await;
        let made = self.make_person().await;
        let users = (200, Form::List(shape::USER));
        let users = self.ask(checks::USERS, &client, Request::ListUsers, users).await;
        if users.as_ref().and_then(Value::as_array).is_some_and(|users| !users.is_empty()) {
            self.bootstrap_is_spent().await;
        }
        let user = made?;
        self.try_person(user).await;
        self.try_key(user).await;
        Some(user)
    }

    async fn whose_key(&mut self) {
        let client = self.client.clone();
        let Some(heard) = self.hear(checks::ME, &client, &Request::Me).await else { return };
        let account = heard.json.as_ref().is_some_and(|json| json["service_account"].is_object());
        // Where accounts are not shown, the key may be one's; a team's key tells that line.
        if account || heard.class() == Some(Class::NotFound) {
            let needs = "the key is a service account's; this needs a person's";
            return self.skip(&[checks::ME], needs);
        }
        let Some(json) = self.succeeded(checks::ME, heard, 200, Form::Any) else { return };
        self.formed(checks::ME, &json["user"], Form::One(shape::USER));
        let mut beside = json;
        if let Some(fields) = beside.as_object_mut() {
            fields.remove("user");
        }
        self.formed(checks::ME, &beside, Form::One(shape::PASSWORD));
    }

    async fn make_person(&mut self) -> Option<UserId> {
        let client = self.client.clone();
        let request = self.person("");
        let heard = self.hear(checks::USER_CREATE, &client, &request).await?;
        if heard.class() == Some(Class::Denied) {
            self.skip(&WITH_A_PERSON, "this needs an admin key");
            self.note(checks::INSTANCE_SCOPE, Verdict::AsAssumed, "");
            return None;
        }
        let form = Form::One(shape::USER);
        let made = self.succeeded(checks::USER_CREATE, heard, 201, form)?;
        let user = UserId(id(&made)?);
        self.made.users.push(user);
        self.refused(checks::USER_TAKEN, &client, self.person("-2"), 409).await;
        Some(user)
    }

    /// A person of our name; another e-mail address with the suffix.
    pub(super) fn person(&self, suffix: &str) -> Request {
        let email = format!("{}{suffix}@example.org", self.name);
        Request::CreateUser { username: self.name.clone(), email }
    }

    async fn try_person(&mut self, user: UserId) {
        let client = self.client.clone();
        for topic in ["terdut-contract", ""] {
            let request = Request::SetTopic { user, topic: topic.to_owned() };
            let form = (200, Form::One(shape::USER));
            if let Some(json) = self.ask(checks::NOTIFY, &client, request, form).await {
                let shown = json["ntfy_topic"].as_str().unwrap_or_default();
                self.judge(checks::NOTIFY, shown == topic, &format!("topic {shown:?}"));
            }
        }
        let password = SecretString::new(format!("{:032x}", rand::random::<u128>()));
        let request = Request::SetPassword { user, password };
        self.ask(checks::PASSWORD, &client, request, (204, Form::Any)).await;
    }

    async fn try_key(&mut self, user: UserId) {
        let client = self.client.clone();
        let request = Request::MintUserKey { user, name: self.name.clone() };
        let form = (201, Form::One(shape::NEW_KEY));
        let Some(made) = self.ask(checks::USER_KEY, &client, request, form).await else { return };
        self.key_form(&made);
        let (Some(key), Some(owner)) = (id(&made), self.client_of(&made)) else { return };
        let request = Request::RevokeUserKey { user, key: KeyId(key) };
        let form = (204, Form::Any);
        if self.ask(checks::USER_KEY_REVOKE, &client, request, form).await.is_some() {
            self.refused(checks::USER_KEY_REVOKE, &owner, Request::ListUsers, 401).await;
        }
    }

    /// Judges the form of a key that was shown.
    pub(super) fn key_form(&mut self, made: &Value) {
        let text = made["key"].as_str().unwrap_or_default();
        let fits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let seen = format!("a key of {} characters that is not hex", text.chars().count());
        self.judge(checks::KEY_FORM, fits, &seen);
    }

    /// Deletes the person while a policy names it.
    pub(super) async fn delete_named(&mut self, user: UserId) {
        let client = self.client.clone();
        let request = Request::DeleteUser { user };
        let Some(heard) = self.hear(checks::NAMED_USER, &client, &request).await else { return };
        if heard.error.is_none() {
            self.judge(checks::USER_DELETE, heard.status == 204, &heard.words());
            self.made.users.retain(|made| *made != user);
        }
        self.judge(checks::NAMED_USER, heard.status == 204, &heard.words());
    }

    /// Deletes the person, if it is still there.
    pub(super) async fn delete_user(&mut self, user: Option<UserId>) {
        let Some(user) = user.filter(|user| self.made.users.contains(user)) else { return };
        let client = self.client.clone();
        let request = Request::DeleteUser { user };
        if self.ask(checks::USER_DELETE, &client, request, (204, Form::Any)).await.is_some() {
            self.made.users.retain(|made| *made != user);
        }
    }
}
