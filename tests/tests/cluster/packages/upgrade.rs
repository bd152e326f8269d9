//! The chart's life on a cluster of its own, by the commands of `docs/bridge/install.md`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Client, Cluster, Kind, Kubectl, kind, manifests};
use terdut_tests::harness::wait_for;

use super::guide::{Guide, Shell};

const CHART: &str = "deploy/helm/terdut-bridge";
/// Where the page gets a release from, and what stands in its place here.
const RELEASED: [(&str, &str); 2] = [
    ("oci://ghcr.io/ryuvia/charts/terdut-bridge --version X.Y.Z", CHART),
    ("docker run --rm ghcr.io/ryuvia/terdut-bridge:X.Y.Z crds", "terdut-bridge crds"),
];
/// What the older CRD does not have yet: a field of the spec and a column.
const FIELD: &str = "severity";
const COLUMN: &str = "Timeout";
const SOON: Duration = Duration::from_secs(30);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The page's commands, with what this source makes instead of a release.
fn of_this_source(commands: &str) -> String {
    let replace = |text: String, (released, here): (&str, &str)| text.replace(released, here);
    let commands = RELEASED.into_iter().fold(commands.to_owned(), replace);
    assert!(!commands.contains("ghcr.io"), "{commands}");
    commands
}

/// Copies the chart, its CRD of switches being an older one.
async fn older_chart(shell: &Shell) -> String {
    let copy = shell.folder().join("older");
    let command = format!("cp -r {CHART} {}", copy.display());
    shell.run_in(&root(), &command).await;
    let file = copy.join("crds/terdutdeadmanswitches.yaml");
    let [mut crd] = manifests::read(&file).try_into().expect("one CRD");
    let version = &mut crd["spec"]["versions"][0];
    let fields = &mut version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"];
    fields.as_object_mut().expect("fields").remove(FIELD).expect("the field is there");
    let columns = version["additionalPrinterColumns"].as_array_mut().expect("columns");
    columns.retain(|column| column["name"] != COLUMN);
    std::fs::write(&file, crd.to_string()).expect("a file can be written");
    copy.display().to_string()
}

/// As if nobody had installed the project's kinds yet.
async fn without_crds(client: &Client) {
    for kind in Kind::OURS {
        let name = format!("{}.{}", kind.plural, kind.group);
        client.delete(kind::CRD, "", &name).await;
        client.wait_gone(kind::CRD, "", &name).await;
    }
}

fn switch() -> Json {
    json!({
        "apiVersion": kind::SWITCH.api_version(), "kind": kind::SWITCH.kind,
        "metadata": { "name": "watchdog", "namespace": "platform" },
        "spec": {
            "teamRef": { "name": "platform-team" }, "name": "watchdog",
            "matcher": "alertname=Watchdog", "timeout": "15m",
        },
    })
}

async fn switches(kubectl: &Kubectl) -> String {
    kubectl.run(&["get", "terdutdeadmanswitches", "-n", "platform"]).await.expect_ok()
}

#[tokio::test]
async fn an_upgrade_by_the_guide_brings_new_fields_and_an_uninstall_keeps_what_people_declared() {
    let Some(cluster) = Cluster::fresh() else { return };
    let (client, kubectl) = (cluster.admin(), cluster.kubectl());
    let Some(shell) = Shell::new(&kubectl) else { return };
    let guide = Guide::read("install.md");
    without_crds(&client).await;
    for namespace in ["platform", "platform-oncall"] {
        kubectl.run(&["create", "namespace", namespace]).await.expect_ok();
    }

    let older = older_chart(&shell).await;
    let install = of_this_source(&guide.commands("## With Helm"));
    shell.run_in(&root(), &install.replace(CHART, &older)).await;
    let with_server = format!(
        "helm upgrade terdut-bridge {older} --namespace terdut-bridge --reuse-values \
         --set server.enabled=true,server.namespace=platform,server.spec.image.tag=v0.9.3 \
         --set server.spec.database.postgresClusterRef.name=pg"
    );
    shell.run(&with_server).await;
    let before = client.create(&switch()).await;
    let mut newer = switch();
    newer["spec"][FIELD] = "warning".into();
    let refused = kubectl.apply(&newer.to_string(), &[]).await.expect_refused();
    assert!(refused.contains(FIELD), "{refused}");
    assert!(!switches(&kubectl).await.contains(&COLUMN.to_uppercase()));

    shell.run_in(&root(), &of_this_source(&guide.commands("## Upgrading"))).await;
    let there = client.get(kind::SWITCH, "platform", "watchdog").await;
    assert_eq!(there["metadata"]["uid"], before["metadata"]["uid"]);
    assert_eq!(there["spec"], before["spec"]);
    // The API server serves what a CRD says a moment after it was changed.
    let taken = || async { kubectl.apply(&newer.to_string(), &[]).await.ok };
    wait_for("the new field is taken", SOON, taken).await;
    let there = client.get(kind::SWITCH, "platform", "watchdog").await;
    assert_eq!(there["spec"][FIELD], "warning");
    assert!(switches(&kubectl).await.contains(&COLUMN.to_uppercase()));
    let server = client.get(kind::SERVER, "platform", "terdut").await;

    let said = shell.run_in(&root(), &guide.commands("## Uninstalling")).await;
    assert!(!said.contains("platform/"), "a finalizer waits: {said}");
    assert!(said.contains("[TerdutServer] terdut"), "helm says what it keeps: {said}");
    client.wait_gone(kind::DEPLOYMENT, "terdut-bridge", "terdut-bridge").await;
    let kept = client.get(kind::SERVER, "platform", "terdut").await;
    assert_eq!(kept["metadata"]["uid"], server["metadata"]["uid"]);
    client.get(kind::SWITCH, "platform", "watchdog").await;
}
