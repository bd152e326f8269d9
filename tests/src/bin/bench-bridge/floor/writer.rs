//! One object's writes, in the bridge's order.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::PostParams;
use kube::{Resource, ResourceExt};
use serde_json::{Value as Json, json};
use terdut_bridge::clock::Clock;
use terdut_bridge::crd::names::annotation;
use terdut_bridge::crd::{
    Kind, TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutTeam,
};
use terdut_bridge::fence::Fence;
use terdut_bridge::kube::{Kube, config};
use terdut_bridge::metrics::Metrics;
use terdut_bridge::status::{self, Report};
use terdut_core::ids::TeamId;
use terdut_core::model;
use terdut_core::record::ChildRecord;
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::Api;

use super::Ids;
use crate::place::{LATENCY, OWN, Place};

/// The bridge's Kubernetes client, and a terdut server of its own.
#[derive(Debug)]
pub(super) struct Writer {
    kube: Kube,
    terdut: Api,
    _simulator: Simulator,
}

impl Writer {
    /// With the rights of the bridge's own account.
    pub(super) async fn prepare(place: &Place<'_>) -> Self {
        let simulator = Simulator::start(Options { latency: LATENCY, ..Options::default() });
        let terdut = Api::bootstrap(simulator.url()).await;
        let file = place.cluster.kubeconfig("floor", &place.token);
        let config = config::load(Some(&file)).await.expect("the kubeconfig is good");
        let kube = Kube::new(&config, &Fence::open(), &Metrics::new()).expect("a client");
        Self { kube, terdut, _simulator: simulator }
    }

    /// A team: finalizer, Secret, the team itself, its account, Secret with the key, status.
    pub(super) async fn team(&self, team: TerdutTeam) -> (String, i64) {
        let namespace = namespace_of(&team);
        let team = self.kube.start(&team, &[]).await.expect("a finalizer");
        let secret = secret(OWN, &format!("{namespace}.record"), &[("name", "a record")]);
        let secret = self.create(&secret).await;
        let id = self.terdut.team(&team.spec.display_name).await;
        let groups = json!({ "member_group": "members", "owner_group": "" });
        self.terdut.put(&format!("/api/teams/{id}/oidc-groups"), &groups).await;
        let account = json!({ "name": namespace, "scope": "team", "team_id": id });
        self.terdut.post("/api/service-accounts", &account).await;
        let secret = with_data(secret, &[("token", &"k".repeat(64)), ("name", "a record")]);
        let name = secret.name_any();
        let api = self.kube.api::<Secret>(OWN);
        api.replace(&name, &PostParams::default(), &secret).await.expect("a Secret");
        let shown = json!({
            "teamID": id.to_string(),
            "credentialsSecretRef": { "name": name, "key": "token" },
        });
        self.show(&team, shown).await;
        (namespace, id)
    }

    /// A rule: record, the policy, record, status.
    pub(super) async fn rule(&self, rule: TerdutEscalationRule, ids: &Ids) {
        let id = ids[&namespace_of(&rule)];
        let rule = self.record(&rule, model::Kind::EscalationRule, id, None).await;
        let level = json!({ "timeout": "5m0s", "targets": [{ "kind": "oncall" }] });
        let policy = json!({ "repeat_count": 2, "levels": [level, level] });
        self.terdut.put(&format!("/api/teams/{id}/escalation"), &policy).await;
        let rule = self.record(&rule, model::Kind::EscalationRule, id, Some(id)).await;
        self.show(&rule, json!({})).await;
    }

    /// A switch: record, the switch, record, status.
    pub(super) async fn switch(&self, switch: TerdutDeadmanSwitch, ids: &Ids) {
        let team = ids[&namespace_of(&switch)];
        let switch = self.record(&switch, model::Kind::DeadmanSwitch, team, None).await;
        let body = json!({
            "name": switch.name_any(),
            "matcher": format!("alertname=Watchdog,cluster={}", switch.name_any()),
            "timeout": "15m0s",
            "severity": "critical",
        });
        let id = self.terdut.id_of(&format!("/api/teams/{team}/deadman-switches"), &body).await;
        let switch = self.record(&switch, model::Kind::DeadmanSwitch, team, Some(id)).await;
        let shown = json!({ "switchID": id.to_string(), "applied": body });
        self.show(&switch, shown).await;
    }

    /// A source: record, the source, its webhook's Secret, record, status.
    pub(super) async fn source(&self, source: TerdutAlertSource, ids: &Ids) {
        let team = ids[&namespace_of(&source)];
        let source = self.record(&source, model::Kind::AlertSource, team, None).await;
        let body = json!({ "kind": "alertmanager", "name": source.name_any() });
        let id = self.terdut.id_of(&format!("/api/teams/{team}/integrations"), &body).await;
        let name = format!("{}-terdut-webhook", source.name_any());
        let data = [("url", "http://127.0.0.1:8080/api/integrations/key"), ("key", "key")];
        let mut webhook = secret(&namespace_of(&source), &name, &data);
        webhook.metadata.owner_references =
            source.controller_owner_ref(&()).map(|owner| vec![owner]);
        self.create(&webhook).await;
        let source = self.record(&source, model::Kind::AlertSource, team, Some(id)).await;
        let shown =
            json!({ "integrationID": id.to_string(), "webhookURLSecretRef": { "name": name } });
        self.show(&source, shown).await;
    }

    /// The finalizer and a record as long as the bridge's.
    async fn record<K: Kind>(
        &self,
        object: &K,
        kind: model::Kind,
        team: i64,
        id: Option<i64>,
    ) -> K {
        let record = ChildRecord {
            uid: object.uid().unwrap_or_default(),
            team: TeamId(team),
            kind,
            name: object.name_any(),
            before: BTreeSet::new(),
            id,
        };
        let written = self.kube.start(object, &[(annotation::RECORD, record.text())]).await;
        written.expect("a record")
    }

    /// The status, with the conditions of an object that is ready.
    async fn show<K: Kind>(&self, object: &K, mut shown: Json) {
        let generation = object.meta().generation.unwrap_or_default();
        let now = Time(Clock::boot().wall());
        let conditions = status::conditions(&[], &Report::ready(), generation, &now);
        shown["conditions"] = serde_json::to_value(conditions).expect("conditions are JSON");
        shown["observedGeneration"] = generation.into();
        let status = serde_json::from_value(shown).expect("it is a status");
        self.kube.apply_status(object, &status).await.expect("a status");
    }

    async fn create(&self, secret: &Secret) -> Secret {
        let api = self.kube.api::<Secret>(&secret.namespace().unwrap_or_default());
        api.create(&PostParams::default(), secret).await.expect("a Secret")
    }
}

fn namespace_of<K: Resource>(object: &K) -> String {
    object.namespace().unwrap_or_default()
}

fn secret(namespace: &str, name: &str, data: &[(&str, &str)]) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.namespace = Some(namespace.to_owned());
    secret.metadata.name = Some(name.to_owned());
    let managed = ("app.kubernetes.io/managed-by".to_owned(), "terdut-bridge-bench".to_owned());
    secret.metadata.labels = Some([managed].into());
    with_data(secret, data)
}

fn with_data(secret: Secret, data: &[(&str, &str)]) -> Secret {
    let data = data.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    Secret { string_data: Some(data.collect()), ..secret }
}
