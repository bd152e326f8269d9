//! What a plan shows of `terdut_server`: core's decision, written into the planned values.
//!
//! Pure: planning calls no API.

use terdut_core::model::server::{self, Fresh, ServerPlan};
use terdut_core::value::{Input, ServerUrl};
use terdut_plugin::attr::Attr;

use super::model::{ServerModel, input, prior};
use super::record::Record;

/// Decides, and writes into the planned values what will be new.
pub(super) fn plan(
    config: &ServerModel,
    before: Option<(&ServerModel, &Record)>,
    planned: &mut ServerModel,
) -> ServerPlan {
    let held = before.map(|(state, record)| prior(state, record));
    let decided = server::plan(&input(config), held.as_ref());
    if !matches!(config.service_account_name, Attr::Known(_)) {
        planned.service_account_name = attribute(&decided.account_name);
    }
    match before {
        None => plan_new(config, planned, decided.fresh),
        Some((state, _)) => plan_changed(state, planned, &decided),
    }
    decided
}

fn attribute(input: &Input<String>) -> Attr<String> {
    match input {
        Input::Absent => Attr::Null,
        Input::Unknown => Attr::Unknown,
        Input::Given(text) => Attr::Known(text.clone()),
    }
}

fn plan_new(config: &ServerModel, planned: &mut ServerModel, fresh: Fresh) {
    planned.id = id(&config.url);
    planned.service_account_id = Attr::Unknown;
    planned.token = Attr::Unknown;
    planned.token_key_id = Attr::Unknown;
    planned.previous_key_id = Attr::Unknown;
    planned.bootstrap_token = if fresh.bootstrap_token { Attr::Unknown } else { Attr::Null };
    planned.bootstrapped = match &config.bootstrap {
        Attr::Null => false.into(),
        Attr::Unknown => Attr::Unknown,
        Attr::Known(_) => true.into(),
    };
}

/// The URL at creation, without a trailing slash.
pub(super) fn id(url: &Attr<String>) -> Attr<String> {
    url.clone().map(|text| {
        let parsed = text.parse::<ServerUrl>();
        parsed.map_or(text, |url| url.to_string())
    })
}

fn plan_changed(state: &ServerModel, planned: &mut ServerModel, decided: &ServerPlan) {
    let fresh = decided.fresh;
    planned.id = state.id.clone();
    planned.bootstrapped = state.bootstrapped;
    planned.service_account_id = kept(&state.service_account_id, fresh.account);
    planned.token = kept(&state.token, fresh.token);
    planned.token_key_id = kept(&state.token_key_id, fresh.token);
    planned.previous_key_id = kept(&state.previous_key_id, fresh.token);
    planned.bootstrap_token = if decided.gives_up_bootstrap_token {
        // A null that stays null would be no change, and the key would never be revoked.
        if state.bootstrap_token.is_null() { Attr::Unknown } else { Attr::Null }
    } else {
        kept(&state.bootstrap_token, fresh.bootstrap_token)
    };
}

fn kept<T: Clone>(prior: &Attr<T>, is_new: bool) -> Attr<T> {
    if is_new { Attr::Unknown } else { prior.clone() }
}
