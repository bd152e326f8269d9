//! The bridge has no right that it does not use.
//!
//! Each right of the list is taken away in turn, resource by resource and verb by verb, and the same
//! life of all kinds is lived until the API server refuses something of that resource. The other
//! suites run under exactly the rights of the list, so that it is enough and not too much.

use std::time::Duration;

use futures::StreamExt;
use serde_json::{Value as Json, json};
use terdut_bridge::rbac::{RIGHTS, Right, Scope};
use terdut_simulator::{Fault, Simulator};
use terdut_tests::cluster::{Client, Cluster, Filter, Rights, Site, kind};

/// How many installations live side by side.
const AT_ONCE: usize = 6;
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
const PATIENCE: Duration = Duration::from_mins(1);

/// A right without which the bridge is tried.
#[derive(Debug, Clone, Copy)]
struct Without {
    scope: Scope,
    resource: &'static str,
    verb: &'static str,
}

fn singles() -> Vec<Without> {
    let of = |right: &'static Right| {
        let scope = right.scope;
        right.singles().map(move |(resource, verb)| Without { scope, resource, verb })
    };
    RIGHTS.iter().flat_map(of).collect()
}

/// Kinds of others that the bridge looks at where they are there.
async fn install_optional_kinds(client: &Client) {
    let kinds = [
        ("gateway.networking.k8s.io", "HTTPRoute", "httproutes", "v1"),
        ("acid.zalan.do", "postgresql", "postgresqls", "v1"),
    ];
    for (group, kind, plural, version) in kinds {
        let schema = json!({
            "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        });
        let version = json!({ "name": version, "served": true, "storage": true, "schema": schema });
        let mut annotations = json!({});
        annotations["api-approved.kubernetes.io"] = "unapproved, for a test".into();
        client
            .create(&json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": { "name": format!("{plural}.{group}"), "annotations": annotations },
                "spec": {
                    "group": group, "scope": "Namespaced", "versions": [version],
                    "names": { "kind": kind, "plural": plural, "singular": kind.to_lowercase() },
                },
            }))
            .await;
    }
}

fn object(kind: &str, namespace: &str, name: &str, spec: &Json) -> Json {
    json!({
        "apiVersion": "terdut.ryuvia.com/v1alpha1", "kind": kind,
        "metadata": { "name": name, "namespace": namespace }, "spec": spec,
    })
}

fn server(namespace: &str, replicas: i32, hostname: &str) -> Json {
    let networking = json!({ "hostname": hostname, "gatewayListener": "gateways/public" });
    object(
        "TerdutServer",
        namespace,
        "main",
        &json!({
            "image": { "tag": "v1" }, "replicas": replicas, "networking": networking,
            "database": { "postgresClusterRef": { "name": "pg" } },
            "allowedTeams": { "namespaces": { "from": "All" } },
        }),
    )
}

async fn declare(client: &Client, ours: &str, team: &str) {
    client
        .create(&json!({
            "apiVersion": "acid.zalan.do/v1", "kind": "postgresql",
            "metadata": { "name": "pg", "namespace": ours },
            "spec": { "databases": { "terdut": "terdut" } },
        }))
        .await;
    client
        .create(&json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {
                "name": "terdut.pg.credentials.postgresql.acid.zalan.do", "namespace": ours,
            },
            "stringData": { "password": "not for the logs at all" },
        }))
        .await;
    client.apply(&server(ours, 2, "terdut.example.com")).await;
    let reference = json!({ "name": "main", "namespace": ours });
    let below = json!({ "name": "one" });
    for (kind, spec) in [
        ("TerdutTeam", json!({ "serverRef": reference, "displayName": "Platform" })),
        (
            "TerdutDeadmanSwitch",
            json!({
                "teamRef": below, "name": "w", "matcher": "alertname=Watchdog", "timeout": "15m",
            }),
        ),
        ("TerdutAlertSource", json!({ "teamRef": below, "name": "s" })),
        (
            "TerdutEscalationRule",
            json!({
                "teamRef": below,
                "levels": [{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }],
            }),
        ),
    ] {
        client.apply(&object(kind, team, "one", &spec)).await;
    }
}

const BELOW: [terdut_tests::cluster::Kind; 4] =
    [kind::SOURCE, kind::SWITCH, kind::RULE, kind::TEAM];

/// A source that is gone gets a new key, in a new Secret.
async fn source_is_made_again(client: &Client, simulator: &Simulator, team: &str, secret: &str) {
    let before = client.get(kind::SECRET, team, secret).await["metadata"]["uid"].clone();
    let listed = simulator.state().teams().remove(0);
    simulator.state().delete_integration(listed.team.id, listed.integrations[0].id);
    client.annotate(kind::SOURCE, team, "one", "terdut.ryuvia.com/reconcile-at", Some("1")).await;
    let another = |found: Option<&Json>| found.is_some_and(|it| it["metadata"]["uid"] != before);
    client.wait(kind::SECRET, team, secret, "made again", another).await;
}

/// All that the rights are for: created, changed, drifted, deleted.
async fn live(site: &Site<'_>, simulator: &Simulator) {
    let client = site.client().within(PATIENCE);
    let (ours, team) = (site.tenant(0), site.tenant(1));
    declare(&client, ours, team).await;
    for kind in BELOW {
        client.wait_ready(kind, team, "one").await;
    }
    // One replica and no hostname: the budget and the route go.
    client.apply(&server(ours, 1, "")).await;
    let secret = "one-terdut-webhook";
    source_is_made_again(&client, simulator, team, secret).await;
    // The label by which the Secret is watched is put back.
    let bare = json!({ "metadata": { "labels": { MANAGED_BY: null } } });
    client.patch(kind::SECRET, team, secret, &bare).await;
    client.annotate(kind::SOURCE, team, "one", "terdut.ryuvia.com/reconcile-at", Some("2")).await;
    let labelled = |found: Option<&Json>| {
        found.is_some_and(|it| it["metadata"]["labels"][MANAGED_BY] != Json::Null)
    };
    client.wait(kind::SECRET, team, secret, "labelled again", labelled).await;
    client
        .annotate(kind::TEAM, team, "one", "terdut.ryuvia.com/rotate-credentials", Some("1"))
        .await;
    client.wait_ready(kind::SERVER, ours, "main").await;
    for kind in BELOW {
        client.delete(kind, team, "one").await;
    }
    for kind in BELOW {
        client.wait_gone(kind, team, "one").await;
    }
    client.delete(kind::SERVER, ours, "main").await;
    client.wait_gone(kind::SERVER, ours, "main").await;
}

/// The watch over that kind is silent while the bridge writes: it looks itself before it goes on.
async fn live_blind(site: &Site<'_>, simulator: &Simulator, resource: &str) {
    let client = site.client().within(PATIENCE);
    let (ours, team) = (site.tenant(0), site.tenant(1));
    declare(&client, ours, team).await;
    for kind in BELOW {
        client.wait_ready(kind, team, "one").await;
    }
    client.wait_ready(kind::SERVER, ours, "main").await;
    site.traffic.stall(Filter::api().verb("watch").of(resource));
    simulator.fault(Fault::on("GET", "*").error(403, "not now").always());
    // A list is remembered for half a minute.
    tokio::time::sleep(PATIENCE).await;
}

/// Lives under all rights but one until the API server refuses; whether it did.
async fn is_missed(cluster: &Cluster, without: Without) -> bool {
    let site = Site::new(cluster, 2).await;
    let less = |rights: Rights| rights.without(without.resource, without.verb);
    match without.scope {
        Scope::Own => {
            site.revoke(&site.own).await;
            site.grant(&site.own, &less(Rights::own())).await;
        }
        Scope::Tenant | Scope::Watched | Scope::Namespaces => {
            for number in [0, 1] {
                let namespace = site.tenant(number);
                site.revoke(namespace).await;
                site.grant(namespace, &less(Rights::tenant(namespace))).await;
            }
        }
    }
    let simulator = site.serve(site.tenant(0), "main");
    let options = site.options("bridge-a").flag("resync-interval", "1s");
    let _bridge = site.spawn(options);
    let refused = || {
        let of = Filter::api().of(without.resource);
        site.traffic.matching(&of).iter().any(|entry| entry.status == Some(403))
    };
    let until = async {
        while !refused() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let looks = without.scope == Scope::Watched && without.verb == "get";
    let life = async {
        if looks {
            live_blind(&site, &simulator, without.resource).await;
        } else {
            live(&site, &simulator).await;
        }
    };
    tokio::select! {
        () = until => true,
        () = life => refused(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_right_is_missed_when_it_is_taken_away() {
    let Some(cluster) = Cluster::fresh() else { return };
    install_optional_kinds(&cluster.admin()).await;
    // Lists and watches of namespaces are for a bridge that looks into all of them.
    let singles = singles().into_iter().filter(|one| one.scope != Scope::Namespaces);
    let tried = futures::stream::iter(singles)
        .map(|one| {
            let cluster = &cluster;
            async move { (one, is_missed(cluster, one).await) }
        })
        .buffer_unordered(AT_ONCE)
        .collect::<Vec<_>>()
        .await;
    assert!(tried.len() > 50, "the list was gone through: {}", tried.len());
    let unused: Vec<_> = tried.iter().filter(|(_, missed)| !missed).map(|(one, _)| one).collect();
    assert!(unused.is_empty(), "rights that nothing needs: {unused:#?}");
}
