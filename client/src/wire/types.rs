//! The JSON shapes that a server answers with, and what they mean as core's facts.
//!
//! Only [`super::reply`] reads them. A field that the contract calls optional may be absent or
//! null; one that nothing can be done without is required, and its absence makes the answer
//! unreadable.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Error, Value};
use terdut_core::api::{
    Account, AccountScope, Alert, ApiKey, Bootstrapped, Integration, Level, Me, NewAccount,
    NewIntegration, Policy, ScheduleEntry, Switch, Target, Team, User,
};
use terdut_core::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use terdut_core::secret::SecretString;

/// Null as the type's empty value: Go writes an empty list as `null`.
fn or_empty<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// An optional text: absent, null and empty are the same.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.filter(|text| !text.is_empty()))
}

#[derive(Deserialize)]
pub(super) struct WireUser {
    id: UserId,
    username: String,
    #[serde(default, deserialize_with = "or_empty")]
    email: String,
    #[serde(default, deserialize_with = "text")]
    ntfy_topic: Option<String>,
    #[serde(default, deserialize_with = "text")]
    created_at: Option<String>,
}

impl From<WireUser> for User {
    fn from(wire: WireUser) -> Self {
        let WireUser { id, username, email, ntfy_topic, created_at } = wire;
        Self { id, username, email, ntfy_topic, created_at }
    }
}

#[derive(Deserialize)]
pub(super) struct WireAlert {
    #[serde(default, deserialize_with = "or_empty")]
    status: String,
    #[serde(default, deserialize_with = "or_empty")]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    incident_id: Option<i64>,
}

impl From<WireAlert> for Alert {
    fn from(wire: WireAlert) -> Self {
        Self { status: wire.status, labels: wire.labels, incident: wire.incident_id }
    }
}

#[derive(Deserialize)]
pub(super) struct WireKey {
    id: KeyId,
    #[serde(default, deserialize_with = "or_empty")]
    name: String,
    #[serde(default, deserialize_with = "text")]
    key: Option<String>,
    #[serde(default, deserialize_with = "text")]
    created_at: Option<String>,
}

impl From<WireKey> for ApiKey {
    fn from(wire: WireKey) -> Self {
        let WireKey { id, name, key, created_at } = wire;
        Self { id, name, key: key.map(SecretString::new), created_at }
    }
}

#[derive(Deserialize)]
pub(super) struct WireAccount {
    id: AccountId,
    name: String,
    #[serde(default, deserialize_with = "or_empty")]
    scope: String,
    #[serde(default)]
    team_id: Option<TeamId>,
    #[serde(default, deserialize_with = "text")]
    created_at: Option<String>,
}

impl From<WireAccount> for Account {
    fn from(wire: WireAccount) -> Self {
        let scope = match (wire.scope.as_str(), wire.team_id) {
            ("instance", _) => AccountScope::Instance,
            ("team", Some(team)) => AccountScope::Team(team),
            _ => AccountScope::Other(wire.scope),
        };
        Self { id: wire.id, name: wire.name, scope, created_at: wire.created_at }
    }
}

/// A new account: nested under `service_account`, or flat beside its key.
///
/// Read from a `Value`: with exact numbers, serde can neither flatten nor try variants in turn.
pub(super) fn new_account(mut body: Value) -> Result<NewAccount, Error> {
    let key = ["key", "api_key"].into_iter().find_map(|name| body.get(name).cloned());
    let account = match body.get_mut("service_account") {
        Some(nested) => nested.take(),
        None => body,
    };
    let account: WireAccount = serde_json::from_value(account)?;
    let key = minted(serde_json::from_value(key.unwrap_or_default())?)?;
    Ok(NewAccount { account: account.into(), key })
}

/// A key from an answer that must show it.
pub(super) fn minted(wire: WireKey) -> Result<ApiKey, Error> {
    if wire.key.is_none() {
        return Err(Error::missing_field("key"));
    }
    Ok(wire.into())
}

#[derive(Deserialize)]
pub(super) struct WireBootstrapped {
    user: WireUser,
    #[serde(alias = "key")]
    api_key: WireKey,
}

impl WireBootstrapped {
    pub(super) fn into_fact(self) -> Result<Bootstrapped, Error> {
        Ok(Bootstrapped { user: self.user.into(), key: minted(self.api_key)? })
    }
}

/// Who a key belongs to: under `user` or `service_account`, or one of the two flat.
pub(super) fn me(mut body: Value) -> Result<Me, Error> {
    let has_password = body.get("has_password").and_then(Value::as_bool).unwrap_or_default();
    if let Some(account) = body.get_mut("service_account") {
        return Ok(Me::Account(serde_json::from_value::<WireAccount>(account.take())?.into()));
    }
    let is_flat_user = body.get("username").is_some();
    let user = match body.get_mut("user") {
        Some(nested) => nested.take(),
        None if is_flat_user => body,
        None => return Ok(Me::Account(serde_json::from_value::<WireAccount>(body)?.into())),
    };
    let user = serde_json::from_value::<WireUser>(user)?.into();
    Ok(Me::User { user, has_password })
}

#[derive(Deserialize)]
pub(super) struct WireTeam {
    id: TeamId,
    name: String,
    #[serde(default, deserialize_with = "text")]
    oidc_member_group: Option<String>,
    #[serde(default, deserialize_with = "text")]
    oidc_owner_group: Option<String>,
}

impl From<WireTeam> for Team {
    fn from(wire: WireTeam) -> Self {
        let WireTeam { id, name, oidc_member_group, oidc_owner_group } = wire;
        Self { id, name, oidc_member_group, oidc_owner_group }
    }
}

#[derive(Deserialize)]
pub(super) struct WirePolicy {
    #[serde(default, deserialize_with = "or_empty")]
    repeat_count: i64,
    #[serde(default, deserialize_with = "text")]
    fallback_topic: Option<String>,
    #[serde(default, deserialize_with = "or_empty")]
    levels: Vec<WireLevel>,
}

#[derive(Deserialize)]
struct WireLevel {
    timeout: String,
    #[serde(default, deserialize_with = "or_empty")]
    targets: Vec<WireTarget>,
}

#[derive(Deserialize)]
struct WireTarget {
    kind: String,
    #[serde(default)]
    user_id: Option<UserId>,
}

impl WirePolicy {
    /// A policy without levels is none.
    pub(super) fn into_policy(self) -> Option<Policy> {
        let levels: Vec<Level> = self.levels.into_iter().map(Level::from).collect();
        let Self { repeat_count, fallback_topic, .. } = self;
        (!levels.is_empty()).then_some(Policy { repeat_count, fallback_topic, levels })
    }
}

impl From<WireLevel> for Level {
    fn from(wire: WireLevel) -> Self {
        Self {
            timeout: wire.timeout,
            targets: wire.targets.into_iter().map(Target::from).collect(),
        }
    }
}

impl From<WireTarget> for Target {
    fn from(wire: WireTarget) -> Self {
        match (wire.kind.as_str(), wire.user_id) {
            ("oncall", _) => Self::OnCall,
            ("user", Some(user)) => Self::User(user),
            (_, user) => Self::Other { kind: wire.kind, user },
        }
    }
}

#[derive(Deserialize)]
pub(super) struct WireSwitch {
    id: SwitchId,
    name: String,
    #[serde(default, deserialize_with = "or_empty")]
    matcher: String,
    #[serde(default, deserialize_with = "or_empty")]
    timeout: String,
    #[serde(default, deserialize_with = "or_empty")]
    severity: String,
}

impl From<WireSwitch> for Switch {
    fn from(wire: WireSwitch) -> Self {
        let WireSwitch { id, name, matcher, timeout, severity } = wire;
        Self { id, name, matcher, timeout, severity }
    }
}

#[derive(Deserialize)]
pub(super) struct WireIntegration {
    id: IntegrationId,
    #[serde(default, deserialize_with = "or_empty")]
    kind: String,
    name: String,
}

impl From<WireIntegration> for Integration {
    fn from(wire: WireIntegration) -> Self {
        let WireIntegration { id, kind, name } = wire;
        Self { id, kind, name }
    }
}

#[derive(Deserialize)]
pub(super) struct WireNewIntegration {
    id: IntegrationId,
    #[serde(default, deserialize_with = "or_empty")]
    kind: String,
    name: String,
    key: String,
    #[serde(default, deserialize_with = "or_empty")]
    url: String,
}

impl From<WireNewIntegration> for NewIntegration {
    fn from(wire: WireNewIntegration) -> Self {
        let WireNewIntegration { id, kind, name, key, url } = wire;
        Self {
            integration: Integration { id, kind, name },
            key: SecretString::new(key),
            url: SecretString::new(url),
        }
    }
}

#[derive(Deserialize)]
pub(super) struct WireScheduleEntry {
    user_id: UserId,
    #[serde(default, deserialize_with = "or_empty")]
    username: String,
    #[serde(default, deserialize_with = "or_empty")]
    date: String,
}

impl From<WireScheduleEntry> for ScheduleEntry {
    fn from(wire: WireScheduleEntry) -> Self {
        let WireScheduleEntry { user_id, username, date } = wire;
        Self { user_id, username, date }
    }
}
