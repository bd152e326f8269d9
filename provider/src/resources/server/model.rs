//! `terdut_server` as Terraform holds it, and its translation to and from core's terms.
//!
//! Nothing is decided here: configuration becomes core's input, state and private data become what
//! was there before, and facts become state.

use std::collections::BTreeMap;

use terdut_core::credential::{Facts, HeldAccount, HeldKey};
use terdut_core::model::server::{BootstrapInput, DEFAULT_ACCOUNT, PriorServer, ServerInput};
use terdut_core::secret::SecretString;
use terdut_core::value::Input;
use terdut_plugin::attr::Attr;
use terdut_plugin::model::Sensitive;
use terdut_plugin::number::Number;

use super::record::Record;
use crate::attributes::{input as given, parsed};
use crate::timeouts::TimeoutsModel;

terdut_plugin::model! {
    /// A server and our key on it.
    pub struct ServerModel {
        pub id: Attr<String>,
        pub url: Attr<String>,
        pub admin_token_wo: Attr<Sensitive>,
        pub admin_token_wo_version: Attr<Number>,
        pub admin_token: Attr<Sensitive>,
        pub bootstrap: Attr<BootstrapModel>,
        pub keep_bootstrap_token: Attr<bool>,
        pub service_account_name: Attr<String>,
        pub rotate_when_changed: Attr<BTreeMap<String, Attr<String>>>,
        pub adopt_existing: Attr<bool>,
        pub service_account_id: Attr<String>,
        pub token: Attr<Sensitive>,
        pub token_key_id: Attr<String>,
        pub previous_key_id: Attr<String>,
        pub bootstrap_token: Attr<Sensitive>,
        pub bootstrapped: Attr<bool>,
        pub timeouts: Attr<TimeoutsModel>,
    }

    /// The first person of an empty server.
    pub struct BootstrapModel {
        pub username: Attr<String>,
        pub email: Attr<String>,
        pub password_wo: Attr<Sensitive>,
        pub password: Attr<Sensitive>,
    }
}

/// What the user wrote.
pub(super) fn input(config: &ServerModel) -> ServerInput {
    ServerInput {
        url: given(&config.url),
        admin_token_wo: secret(&config.admin_token_wo),
        admin_token_wo_version: given(&config.admin_token_wo_version).map(|n| n.to_string()),
        admin_token: secret(&config.admin_token),
        bootstrap: given(&config.bootstrap).map(|bootstrap| bootstrap_input(&bootstrap)),
        keep_bootstrap_token: given(&config.keep_bootstrap_token),
        service_account_name: text(&config.service_account_name),
        rotate_when_changed: given(&config.rotate_when_changed).map(watched_now),
        adopt_existing: given(&config.adopt_existing),
    }
}

fn bootstrap_input(bootstrap: &BootstrapModel) -> BootstrapInput {
    BootstrapInput {
        username: given(&bootstrap.username),
        email: given(&bootstrap.email),
        password_wo: secret(&bootstrap.password_wo),
        password: secret(&bootstrap.password),
    }
}

/// An empty text is none.
fn text(attribute: &Attr<String>) -> Input<String> {
    match given(attribute) {
        Input::Given(text) if text.is_empty() => Input::Absent,
        other => other,
    }
}

fn secret(attribute: &Attr<Sensitive>) -> Input<SecretString> {
    text(&attribute.clone().map(Sensitive::into_exposed)).map(SecretString::new)
}

/// What was there before a change.
pub(super) fn prior(state: &ServerModel, record: &Record) -> PriorServer {
    PriorServer {
        url: state.url.as_deref().and_then(|url| url.parse().ok()),
        admin_token_wo_version: state.admin_token_wo_version.known().map(ToString::to_string),
        admin_token: held_secret(&state.admin_token),
        service_account_name: account_name(state),
        rotate_when_changed: state.rotate_when_changed.clone().into_known().map(watched_before),
        keep_bootstrap_token: state.keep_bootstrap_token.known() == Some(&true),
        imported: state.bootstrapped.is_null(),
        facts: facts(state, record),
        refused: record.refused,
    }
}

/// An empty name was taken for the default.
fn account_name(state: &ServerModel) -> Option<String> {
    let name = state.service_account_name.as_deref()?.trim();
    Some(if name.is_empty() { DEFAULT_ACCOUNT } else { name }.to_owned())
}

fn watched_now(values: BTreeMap<String, Attr<String>>) -> BTreeMap<String, Input<String>> {
    values.into_iter().map(|(key, value)| (key, given(&value))).collect()
}

fn watched_before(values: BTreeMap<String, Attr<String>>) -> BTreeMap<String, Option<String>> {
    values.into_iter().map(|(key, value)| (key, value.into_known())).collect()
}

pub(super) fn held_secret(attribute: &Attr<Sensitive>) -> Option<SecretString> {
    attribute.known().map(|secret| SecretString::new(secret.expose()))
}

/// What is held: the state says which keys, the private record what of it is ours.
pub(super) fn facts(state: &ServerModel, record: &Record) -> Facts {
    let current = parsed(&state.service_account_id);
    Facts {
        current: current.map(|id| HeldAccount {
            id,
            name: account_name(state),
            made: record.made,
            key: held_secret(&state.token)
                .map(|token| HeldKey { id: parsed(&state.token_key_id), token }),
            previous: parsed(&state.previous_key_id),
            spare: record.spare.clone(),
        }),
        ..record.facts()
    }
}

/// Writes what is held into the state.
pub(super) fn settle(model: &mut ServerModel, facts: &Facts) {
    let current = facts.current.as_ref();
    let key = current.and_then(|account| account.key.as_ref());
    let exposed = |token: &SecretString| Sensitive::new(token.expose());
    model.service_account_id = current.map(|account| account.id.to_string()).into();
    model.token = key.map(|key| exposed(&key.token)).into();
    model.token_key_id = key.and_then(|key| key.id).map(|id| id.to_string()).into();
    model.previous_key_id =
        current.and_then(|account| account.previous).map(|id| id.to_string()).into();
    let keeps = model.keep_bootstrap_token.known() == Some(&true);
    let kept = facts.admin.as_ref().filter(|_| keeps);
    model.bootstrap_token = kept.map(|admin| exposed(&admin.token)).into();
}
