//! The same wish closes the same difference by the same steps, from Terraform and from Kubernetes.
//!
//! One life in two languages, step by step: a wish, or something that somebody else does on the
//! server. After each step the requests that write are compared, method, route and body, in the order
//! in which each object saw them. Keys and accounts are left out: each tool has its own.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_simulator::{Assumptions, Logged, Options, Simulator};
use terdut_tests::cluster::{Client, Cluster, Kind, Site, kind};
use terdut_tests::harness::{Binary, Program, Workspace, wait_for};

const SOON: Duration = Duration::from_mins(1);

/// What is wished for, in words that both languages are made from.
#[derive(Debug, Clone)]
struct Wish {
    team: &'static str,
    groups: Option<(&'static str, &'static str)>,
    /// Repeat count, fallback topic, the first level's timeout, whom it pages.
    rule: (i64, &'static str, &'static str, Option<&'static str>),
    /// Name, matcher, timeout, severity.
    switch: (&'static str, &'static str, &'static str, Option<&'static str>),
    /// Kind, name.
    source: (Option<&'static str>, &'static str),
}

const FIRST: Wish = Wish {
    team: "Platform",
    groups: Some(("members", "owners")),
    rule: (2, "fallback", "5m", Some("alice")),
    switch: ("watchdog", "alertname=Watchdog,cluster=prod", "60m", None),
    source: (None, "alertmanager"),
};

/// The same in another spelling.
const SPELLED: Wish = Wish {
    team: " Platform ",
    rule: (2, "fallback", "300s", Some("alice")),
    switch: ("watchdog", " cluster=prod, alertname=Watchdog", "1h", Some("critical")),
    source: (Some("alertmanager"), "alertmanager "),
    ..FIRST
};

/// All that can be changed in place, and the switch.
const CHANGED: Wish = Wish {
    team: "Platform team",
    groups: Some(("members", "leads")),
    rule: (0, "", "10m", None),
    switch: ("watchdog", "alertname=Watchdog", "30m", Some("high")),
    source: (None, "renamed"),
};

/// What only a new object can give, and what is taken back.
const REPLACED: Wish = Wish {
    groups: None,
    switch: ("other", "alertname=Watchdog", "30m", Some("high")),
    source: (Some("webhook"), "renamed"),
    ..CHANGED
};

impl Wish {
    fn terraform(&self) -> String {
        let text =
            |value: Option<&str>| value.map_or("null".to_owned(), |text| format!("{text:?}"));
        let groups = self.groups.map_or("null".to_owned(), |(member, owner)| {
            format!("{{ member_group = {member:?}, owner_group = {owner:?} }}")
        });
        let (repeat, topic, timeout, user) = self.rule;
        let target = user.map_or("{ kind = \"oncall\" }".to_owned(), |user| {
            format!("{{ kind = \"user\", username = {user:?} }}")
        });
        let (name, matcher, switch_timeout, severity) = self.switch;
        let (severity, kind) = (text(severity), text(self.source.0));
        let (team, source) = (self.team, self.source.1);
        format!(
            r#"
terraform {{
  required_providers {{
    terdut = {{ source = "ryuvia/terdut" }}
  }}
}}
resource "terdut_team" "one" {{
  name = {team:?}
  oidc = {groups}
}}
resource "terdut_escalation_rule" "one" {{
  team_id        = terdut_team.one.id
  repeat_count   = {repeat}
  fallback_topic = {topic:?}
  levels         = [{{ timeout = {timeout:?}, targets = [{target}] }}]
}}
resource "terdut_deadman_switch" "one" {{
  team_id  = terdut_team.one.id
  name     = {name:?}
  matcher  = {matcher:?}
  timeout  = {switch_timeout:?}
  severity = {severity}
}}
resource "terdut_alert_source" "one" {{
  team_id = terdut_team.one.id
  kind    = {kind}
  name    = {source:?}
}}
"#
        )
    }

    fn manifests(&self, namespace: &str) -> [(Kind, Json); 4] {
        let object = |kind: Kind, mut spec: Json| {
            // Terraform's null is a field that is left out.
            spec.as_object_mut()
                .into_iter()
                .for_each(|spec| spec.retain(|_, value| !value.is_null()));
            let metadata = json!({ "name": "one", "namespace": namespace });
            let manifest = json!({
                "apiVersion": kind.api_version(), "kind": kind.kind, "metadata": metadata,
                "spec": spec,
            });
            (kind, manifest)
        };
        let team = json!({ "name": "one" });
        let groups = self
            .groups
            .map(|(member, owner)| json!({ "memberGroup": member, "ownerGroup": owner }));
        let (repeat, topic, timeout, user) = self.rule;
        let target = user.map_or(
            json!({ "kind": "oncall" }),
            |user| json!({ "kind": "user", "username": user }),
        );
        let (name, matcher, switch_timeout, severity) = self.switch;
        [
            object(
                kind::TEAM,
                json!({
                    "serverRef": { "name": "main", "namespace": namespace },
                    "displayName": self.team, "oidc": groups,
                }),
            ),
            object(
                kind::RULE,
                json!({
                    "teamRef": team, "repeatCount": repeat, "fallbackTopic": topic,
                    "levels": [{ "timeout": timeout, "targets": [target] }],
                }),
            ),
            object(
                kind::SWITCH,
                json!({
                    "teamRef": team, "name": name, "matcher": matcher, "timeout": switch_timeout,
                    "severity": severity,
                }),
            ),
            object(
                kind::SOURCE,
                json!({
                    "teamRef": team, "kind": self.source.0, "name": self.source.1,
                }),
            ),
        ]
    }
}

/// One step of the life.
#[derive(Debug, Clone)]
enum Step {
    Wish(Wish),
    /// Somebody changes the server behind our back; the wish stays.
    Drift(fn(&Simulator)),
    /// Everything goes.
    Delete,
}

fn steps() -> Vec<(&'static str, Step)> {
    vec![
        ("create", Step::Wish(FIRST)),
        ("another spelling", Step::Wish(SPELLED)),
        ("change", Step::Wish(CHANGED)),
        (
            "renamed, changed, deleted outside",
            Step::Drift(|simulator| {
                let state = simulator.state();
                let team = state.teams().remove(0);
                let id = team.team.id;
                state.rename_team(id, "Somebody's");
                state.set_policy(id, None);
                state.delete_switch(id, team.switches[0].id);
                state.rename_integration(id, team.integrations[0].id, "theirs");
            }),
        ),
        ("replace", Step::Wish(REPLACED)),
        (
            "the source is gone",
            Step::Drift(|simulator| {
                let team = simulator.state().teams().remove(0);
                simulator.state().delete_integration(team.team.id, team.integrations[0].id);
            }),
        ),
        ("delete", Step::Delete),
    ]
}

fn server() -> Simulator {
    let assumptions = Assumptions { other_integration_kinds: true, ..Assumptions::default() };
    let simulator = Simulator::start(Options { assumptions, ..Options::default() });
    simulator.seed_admin();
    simulator.state().add_user("alice", "alice@example.com");
    simulator
}

fn key(simulator: &Simulator) -> String {
    simulator.state().add_account("handed-in", None).1.text
}

/// The writes of one step: for each kind of object, one after another.
fn writes(simulator: &Simulator) -> BTreeMap<String, Vec<(String, String, Json)>> {
    let mut found: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for request in simulator.requests().into_iter().filter(Logged::writes) {
        if request.route.starts_with("/api/service-accounts") {
            continue;
        }
        let kind = ["deadman-switches", "integrations", "escalation"]
            .into_iter()
            .find(|kind| request.route.contains(kind))
            .unwrap_or("teams");
        let step = (request.method.clone(), request.route.clone(), request.json());
        found.entry(kind.to_owned()).or_default().push(step);
    }
    simulator.clear_requests();
    found
}

struct Terraform {
    simulator: Simulator,
    workspace: Workspace,
}

impl Terraform {
    async fn start(program: &Program) -> Self {
        let simulator = server();
        let mut workspace = Workspace::new(program, &Binary::provider(), "terdut");
        workspace.set_env("TERDUT_URL", simulator.url());
        workspace.set_env("TERDUT_TOKEN", &key(&simulator));
        workspace.write("main.tf", &FIRST.terraform());
        workspace.init().await;
        simulator.clear_requests();
        Self { simulator, workspace }
    }

    async fn take(&self, step: &Step) {
        match step {
            Step::Wish(wish) => self.workspace.write("main.tf", &wish.terraform()),
            Step::Drift(drift) => drift(&self.simulator),
            Step::Delete => {
                self.workspace
                    .run(&["destroy", "-no-color", "-input=false", "-auto-approve"])
                    .await
                    .expect_ok();
                return;
            }
        }
        self.workspace.try_apply(&[]).await.expect_ok();
    }
}

struct Kubernetes<'a> {
    simulator: Simulator,
    site: Site<'a>,
    client: Client,
}

impl<'a> Kubernetes<'a> {
    async fn start(cluster: &'a Cluster) -> (Self, terdut_tests::cluster::Bridge) {
        let (site, simulator) = (Site::new(cluster, 1).await, server());
        site.routes.lead(site.tenant(0), "main", simulator.url());
        let bridge = site.start_with(site.options("bridge-a").flag("resync-interval", "0")).await;
        let client = site.client();
        let at = format!("{}/main", site.tenant(0));
        client
            .create(&json!({
                "apiVersion": "v1", "kind": "Secret",
                "metadata": {
                    "name": "key", "namespace": site.own,
                    "labels": { "terdut.ryuvia.com/credential": "true" },
                    "annotations": { "terdut.ryuvia.com/server": at },
                },
                "stringData": { "token": key(&simulator) },
            }))
            .await;
        client
            .apply(&json!({
                "apiVersion": kind::SERVER.api_version(), "kind": kind::SERVER.kind,
                "metadata": { "name": "main", "namespace": site.tenant(0) },
                "spec": {
                    "image": { "tag": "v1" }, "credentialsSecretRef": { "name": "key" },
                    "database": {
                        "dsn": "postgres://a@b/c", "passwordSecretRef": { "name": "postgres" },
                    },
                    "allowedTeams": { "namespaces": { "from": "Same" } },
                },
            }))
            .await;
        simulator.clear_requests();
        (Self { simulator, site, client }, bridge)
    }

    async fn take(&self, step: &Step, round: usize) {
        let namespace = self.site.tenant(0);
        match step {
            Step::Wish(wish) => {
                for (_, manifest) in wish.manifests(namespace) {
                    self.client.apply(&manifest).await;
                }
            }
            Step::Drift(drift) => {
                drift(&self.simulator);
                // The team first, as Terraform goes from what is referred to.
                for kind in [kind::TEAM, kind::RULE, kind::SWITCH, kind::SOURCE] {
                    let value = format!("{round}");
                    let asked = "terdut.ryuvia.com/reconcile-at";
                    self.client.annotate(kind, namespace, "one", asked, Some(&value)).await;
                }
            }
            Step::Delete => {
                for kind in [kind::RULE, kind::SWITCH, kind::SOURCE, kind::TEAM] {
                    self.client.delete(kind, namespace, "one").await;
                    self.client.wait_gone(kind, namespace, "one").await;
                }
                return;
            }
        }
        for kind in [kind::TEAM, kind::RULE, kind::SWITCH, kind::SOURCE] {
            self.client.wait_ready(kind, namespace, "one").await;
        }
    }
}

/// What there is on a server, without ids and times.
fn there(simulator: &Simulator) -> Json {
    let teams = simulator.state().teams();
    let mut teams = serde_json::to_value(teams).expect("a team's state is JSON");
    strip(&mut teams);
    teams
}

fn strip(value: &mut Json) {
    match value {
        Json::Object(fields) => {
            fields.retain(|name, _| !matches!(name.as_str(), "id" | "team_id" | "created_at"));
            fields.values_mut().for_each(strip);
        }
        Json::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_tools_take_the_same_steps_for_the_same_difference() {
    let (Some(cluster), Some(program)) = (Cluster::shared(), Program::terraform()) else { return };
    let terraform = Terraform::start(&program).await;
    let (kubernetes, _bridge) = Kubernetes::start(cluster).await;
    for (round, (name, step)) in steps().iter().enumerate() {
        terraform.take(step).await;
        kubernetes.take(step, round).await;
        // A drift is repaired by the next pass; what is left then is the same.
        let same = || async { there(&terraform.simulator) == there(&kubernetes.simulator) };
        let what = format!("{name}: both servers are alike");
        wait_for(&what, SOON, same).await;
        assert_eq!(writes(&terraform.simulator), writes(&kubernetes.simulator), "{name}");
    }
    assert_eq!(there(&kubernetes.simulator), json!([]));
}
