//! The chart and the kustomizations: an API server takes all that they render, and the guides of
//! `docs/bridge` do what they say.

mod guide;
mod handover;
mod upgrade;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use terdut_tests::cluster::{Cluster, Kubectl, helm};

fn deploy() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy")
}

/// What the chart renders to with these values, or why it does not.
fn templated(helm: &Path, namespace: &str, values: &[&str]) -> Result<String, String> {
    let mut command = Command::new(helm);
    command.arg("template").arg("bridge").arg(deploy().join("helm/terdut-bridge"));
    command.args(["--namespace", namespace, "--kube-version", "1.33.0"]);
    command.args(values.iter().flat_map(|value| ["--set", value]));
    let output = command.output().expect("helm runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

fn rendered(helm: &Path, namespace: &str, values: &[&str]) -> String {
    templated(helm, namespace, values)
        .unwrap_or_else(|said| panic!("helm template {values:?}: {said}"))
}

async fn takes(kubectl: &Kubectl, manifests: &str) -> String {
    kubectl.apply(manifests, &["--dry-run=server", "--validate=strict"]).await.expect_ok()
}

#[tokio::test]
async fn what_the_chart_renders_is_taken_with_every_way_of_choosing_namespaces() {
    let (Some(cluster), Some(helm)) = (Cluster::shared(), helm()) else { return };
    let kubectl = cluster.kubectl();
    let own = cluster.namespace("chart", &json!({})).await;
    let tenant = cluster.namespace("tenant", &json!({})).await;
    let named = format!("tenants.namespaces={{{tenant}}}");
    let ways: [&[&str]; 4] = [
        &[],
        &[&named],
        &[&named, "tenants.watchOnly=true"],
        &["tenants.clusterWide=true", "networkPolicy.enabled=false", "log.level=debug"],
    ];
    for values in ways {
        let taken = takes(&kubectl, &rendered(&helm, &own, values)).await;
        assert!(taken.contains("deployment.apps/"), "{values:?}: {taken}");
    }
    for place in [format!("server.namespace={tenant}"), "tenants.clusterWide=true".to_owned()] {
        let server = [&SERVER[..], &[&named, &place]].concat();
        let taken = takes(&kubectl, &rendered(&helm, &own, &server)).await;
        assert!(taken.contains("terdutserver.terdut.ryuvia.com/terdut"), "{taken}");
    }
}

const SERVER: [&str; 3] = [
    "server.enabled=true",
    "server.spec.image.tag=v0.9.3",
    "server.spec.database.postgresClusterRef.name=pg",
];

#[test]
fn values_that_cannot_work_are_refused_and_none_opens_what_it_does_not_name() {
    let Some(helm) = helm() else { return };
    let refused = templated(&helm, "own", &SERVER).expect_err("no namespace is granted");
    assert!(refused.contains("add it to tenants.namespaces"), "{refused}");
    let none = ["networkPolicy.apiServerPorts=null", "networkPolicy.serverPorts=null"];
    let open = rendered(&helm, "own", &none);
    let policy = open.split("\n---").find(|one| one.contains("kind: NetworkPolicy"));
    let egress = policy.and_then(|text| text.split_once("egress:")).map(|(_, egress)| egress);
    let egress = egress.expect("there is one");
    assert_eq!(egress.matches("ports:").count(), 1, "only DNS is left: {egress}");
    assert_eq!(egress.matches("port: 53").count(), 2, "{egress}");
}

#[tokio::test]
async fn what_the_kustomizations_render_is_taken() {
    let Some(cluster) = Cluster::shared() else { return };
    let kubectl = cluster.kubectl();
    // The base makes its own namespace, which a dry run does not keep.
    kubectl.run(&["create", "namespace", "terdut-bridge"]).await;
    for folder in ["base", "cluster-wide", "tenant"] {
        let path = deploy().join("kustomize").join(folder);
        let text = kubectl.run(&["kustomize", &path.display().to_string()]).await.expect_ok();
        takes(&kubectl, &text).await;
    }
}
