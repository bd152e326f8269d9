//! Alertmanager's webhook, version 4. It must never ask for another key than that in the path.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use crate::access::unauthorized;
use crate::call::{Answer, Call, Outcome, Refusal};
use crate::store::{Alert, Incident, Integration, Store};
use crate::value::Matcher;

type Labels = BTreeMap<String, String>;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Message {
    version: String,
    group_key: String,
    group_labels: Labels,
    common_labels: Labels,
    alerts: Vec<MessageAlert>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MessageAlert {
    status: String,
    labels: Labels,
    annotations: Labels,
    starts_at: String,
    ends_at: String,
    #[serde(rename = "generatorURL")]
    generator_url: String,
    fingerprint: String,
}

/// `POST /api/integrations/{key}/alertmanager`.
pub(super) fn receive(store: &mut Store, call: &Call<'_>) -> Outcome {
    let key = call.places.first().map_or("", String::as_str);
    let source = store.source_of_key(key).ok_or_else(unauthorized)?.shown.clone();
    let message: Message = call.read()?;
    if message.version != "4" {
        return Err(Refusal::invalid(format!("version {:?} is not 4", message.version)));
    }
    for alert in &message.alerts {
        see_switches(store, source.team_id, &alert.labels);
        take(store, &source, &message, alert);
    }
    close_incidents(store, source.team_id);
    Ok(Answer::ok(&json!({ "received": message.alerts.len() })))
}

/// Notes that the switches of the team that match are alive.
fn see_switches(store: &mut Store, team: i64, labels: &Labels) {
    let now = store.now();
    let Some(node) = store.tables.teams.get_mut(team) else { return };
    for switch in node.switches.iter_mut() {
        if Matcher::parse(&switch.matcher).is_ok_and(|matcher| matcher.matches(labels)) {
            switch.last_seen_at = Some(now.clone());
        }
    }
}

fn take(store: &mut Store, source: &Integration, message: &Message, alert: &MessageAlert) {
    let same = |old: &&mut Alert| {
        old.integration_id == source.id
            && old.fingerprint == fingerprint(alert)
            && old.status == "firing"
    };
    let firing = alert.status != "resolved";
    match store.tables.alerts.values_mut().find(same) {
        Some(old) if firing => old.annotations.clone_from(&alert.annotations),
        Some(old) => {
            alert.status.clone_into(&mut old.status);
            alert.ends_at.clone_into(&mut old.ends_at);
            old.resolution_source = Some("alertmanager".to_owned());
        }
        None if firing => raise(store, source, message, alert),
        None => {}
    }
}

fn fingerprint(alert: &MessageAlert) -> String {
    if alert.fingerprint.is_empty() {
        let pairs = alert.labels.iter().map(|(label, value)| format!("{label}={value}"));
        return pairs.collect::<Vec<_>>().join(";");
    }
    alert.fingerprint.clone()
}

fn raise(store: &mut Store, source: &Integration, message: &Message, alert: &MessageAlert) {
    let incident_id = Some(incident(store, source.team_id, message));
    let (id, received_at) = (store.next_id(), store.now());
    let new = Alert {
        id,
        fingerprint: fingerprint(alert),
        name: alert.labels.get("alertname").cloned().unwrap_or_default(),
        status: "firing".to_owned(),
        labels: alert.labels.clone(),
        annotations: alert.annotations.clone(),
        starts_at: alert.starts_at.clone(),
        ends_at: alert.ends_at.clone(),
        generator_url: alert.generator_url.clone(),
        received_at,
        incident_id,
        resolution_source: None,
        integration_id: source.id,
        team_id: source.team_id,
    };
    store.tables.alerts.insert(id, new);
}

/// The open incident of the message's group, or a new one.
fn incident(store: &mut Store, team_id: i64, message: &Message) -> i64 {
    let open = |incident: &&Incident| {
        incident.team_id == team_id
            && incident.group_key == message.group_key
            && incident.status != "resolved"
    };
    if let Some(open) = store.tables.incidents.values().find(open) {
        return open.id;
    }
    let (id, triggered_at) = (store.next_id(), store.now());
    let common = |label: &str| message.common_labels.get(label).cloned();
    let new = Incident {
        id,
        group_key: message.group_key.clone(),
        title: common("alertname").unwrap_or_else(|| "alerts".to_owned()),
        group_labels: message.group_labels.clone(),
        status: "triggered".to_owned(),
        severity: common("severity"),
        triggered_at,
        resolved_at: None,
        team_id,
    };
    store.tables.incidents.insert(id, new);
    id
}

/// Resolves the incidents of a team of which nothing fires any more.
fn close_incidents(store: &mut Store, team: i64) {
    let now = store.now();
    let alerts = &store.tables.alerts;
    let fires = |id: i64| {
        alerts.values().any(|alert| alert.incident_id == Some(id) && alert.status == "firing")
    };
    for incident in store.tables.incidents.values_mut().filter(|i| i.team_id == team) {
        if incident.status != "resolved" && !fires(incident.id) {
            "resolved".clone_into(&mut incident.status);
            incident.resolved_at = Some(now.clone());
        }
    }
}
