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

/// What the chart renders to with these values.
fn rendered(helm: &Path, namespace: &str, values: &[&str]) -> String {
    let mut command = Command::new(helm);
    command.arg("template").arg("bridge").arg(deploy().join("helm/terdut-bridge"));
    command.args(["--namespace", namespace, "--kube-version", "1.33.0"]);
    command.args(values.iter().flat_map(|value| ["--set", value]));
    let output = command.output().expect("helm runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "helm template {values:?}: {said}");
    String::from_utf8(output.stdout).expect("manifests are UTF-8")
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
    let server = [
        "server.enabled=true",
        "server.spec.image.tag=v0.9.3",
        "server.spec.database.postgresClusterRef.name=pg",
    ];
    let taken = takes(&kubectl, &rendered(&helm, &own, &server)).await;
    assert!(taken.contains("terdutserver.terdut.ryuvia.com/terdut"), "{taken}");
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
