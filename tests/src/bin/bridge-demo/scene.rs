//! What the demo plays on: a control plane, an empty terdut server, and a person's `kubectl`.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use terdut_simulator::{Options, Simulator};
use terdut_tests::cluster::{Cluster, Kind, Kubectl, Kubelet};

use crate::told::{self, Failed, Step, say};

/// Everything that runs; it ends with the demo.
#[derive(Debug)]
pub(crate) struct Scene {
    /// What makes Deployments available.
    pub(crate) kubelet: Kubelet,
    /// The terdut server, in its pods' place.
    pub(crate) simulator: Simulator,
    kubectl: Kubectl,
    /// The control plane.
    pub(crate) cluster: Cluster,
}

impl Scene {
    /// Starts it.
    pub(crate) async fn start() -> Result<Self, Failed> {
        let step = Step::begin("A control plane: etcd, kube-apiserver, kube-controller-manager");
        // It blocks for seconds, and the person may want to interrupt it.
        let cluster = tokio::task::spawn_blocking(Cluster::fresh).await;
        let cluster = cluster.map_err(|error| Failed::new(error.to_string()))?;
        let cluster = cluster.ok_or_else(|| Failed::new("there is no control plane".to_owned()))?;
        let simulator = Simulator::start(Options::default());
        say(&format!("   the API server answers at {}", cluster.url()));
        say(&format!("   an empty terdut server (simulated) answers at {}", simulator.url()));
        say("   no kubelet runs: a stand-in says that Deployments are available");
        let (kubectl, kubelet) = (cluster.kubectl(), cluster.kubelet());
        step.end();
        Ok(Self { kubelet, simulator, kubectl, cluster })
    }

    /// Types a command: prints it, runs it, prints what it says; its output. Paths are those of
    /// the repository.
    pub(crate) async fn kubectl(&self, arguments: &[&str]) -> Result<String, Failed> {
        say(&format!("$ kubectl {}", arguments.join(" ")));
        let output = self.quietly(arguments).await?;
        told::quote(&output);
        Ok(output)
    }

    /// Runs a command without a word, for what nobody should read.
    pub(crate) async fn quietly(&self, arguments: &[&str]) -> Result<String, Failed> {
        let here: Vec<String> = arguments.iter().map(|argument| in_repository(argument)).collect();
        let here: Vec<&str> = here.iter().map(String::as_str).collect();
        let ran = self.kubectl.run(&here).await;
        if ran.ok {
            return Ok(ran.stdout);
        }
        Err(Failed::new(format!("kubectl {}: {}", arguments.join(" "), ran.stderr.trim())))
    }

    /// An object, as somebody who may read everything.
    pub(crate) async fn object(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
    ) -> Result<Json, Failed> {
        let found = self.cluster.admin().find(kind, namespace, name).await;
        found.ok_or_else(|| Failed::new(format!("there is no {} {namespace}/{name}", kind.kind)))
    }
}

/// A path of the repository, wherever the demo was started.
fn in_repository(argument: &str) -> String {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf);
    match argument.split('/').next() {
        Some("deploy" | "examples") => root.join(argument).display().to_string(),
        _ => argument.to_owned(),
    }
}
