//! The steps, in the order in which a person takes them.

use terdut_tests::cluster::{Bridge, BridgeOptions};

use crate::scene::Scene;
use crate::told::{Failed, Step, say};
use crate::{alert, server};

/// Where the bridge is, as `deploy/kustomize` installs it.
const OWN: &str = "terdut-bridge";
/// Where the terdut server runs, and where the team works, as `examples/bridge` says.
const NAMESPACES: [&str; 2] = ["platform-oncall", "platform"];
const CHILDREN: &str = "terdutteam,terdutescalationrule,terdutdeadmanswitch,terdutalertsource";

/// Custom resources, namespaces, rights, and the bridge itself.
pub(crate) async fn install(scene: &Scene) -> Result<Bridge, Failed> {
    let step = Step::begin("The bridge: its kinds, its rights, its namespace");
    scene.kubectl(&["apply", "--server-side", "-k", "deploy/kustomize/base"]).await?;
    step.end();
    let step = Step::begin("Two namespaces, and the bridge's rights in them");
    scene.kubectl(&["apply", "-f", "examples/bridge/namespaces.yaml"]).await?;
    for namespace in NAMESPACES {
        let tenant = ["apply", "--server-side", "-k", "deploy/kustomize/tenant", "-n", namespace];
        scene.kubectl(&tenant).await?;
        scene.kubelet.look_after(namespace);
    }
    step.end();
    let step = Step::begin("The bridge starts");
    say("   as a process beside the cluster, with the rights of its service account and no others");
    let token = scene.cluster.service_account(OWN, "terdut-bridge").await;
    let options = BridgeOptions::new("demo").flag("namespace", OWN).flag("log-level", "info");
    let options = options.flag("server-url", scene.simulator.url());
    let bridge = scene.cluster.start_bridge(&options, &token).await;
    step.end();
    Ok(bridge)
}

/// The five manifests, from nothing to nothing.
pub(crate) async fn show(scene: &Scene) -> Result<(), Failed> {
    let step = Step::begin("One manifest of each kind");
    scene.kubectl(&["apply", "-f", "examples/bridge"]).await?;
    step.end();
    ready(scene).await?;
    let step = Step::begin("What Kubernetes says");
    scene.kubectl(&["get", "terdut", "--all-namespaces"]).await?;
    step.end();
    let step = Step::begin("What is on the terdut server now");
    server::show(scene);
    step.end();
    alert::send(scene).await?;
    // The team's first: a server that is deleted keeps its database, with every team in it.
    let step = Step::begin("The team's namespace is deleted, and the server is clean");
    scene.kubectl(&["delete", "namespace", NAMESPACES[1]]).await?;
    server::must_be_clean(scene)?;
    step.end();
    let step = Step::begin("The server's namespace is deleted, and the bridge gives its key back");
    scene.kubectl(&["delete", "namespace", NAMESPACES[0]]).await?;
    server::must_hold_no_key(scene)?;
    step.end();
    Ok(())
}

async fn ready(scene: &Scene) -> Result<(), Failed> {
    let step = Step::begin("All five are ready");
    let wait = ["wait", "--for=condition=Ready", "--timeout=60s"];
    let objects: [&[&str]; 2] =
        [&["terdutserver/terdut", "-n", NAMESPACES[0]], &[CHILDREN, "--all", "-n", NAMESPACES[1]]];
    for object in objects {
        let waited = scene.kubectl(&[&wait, object].concat()).await;
        if waited.is_err() {
            // The conditions say why, better than `kubectl wait` does.
            scene.kubectl(&["get", "terdut", "--all-namespaces", "-o", WHY]).await?;
        }
        waited?;
    }
    step.end();
    Ok(())
}

const WHY: &str =
    "custom-columns=KIND:.kind,NAME:.metadata.name,CONDITIONS:.status.conditions[*].message";
