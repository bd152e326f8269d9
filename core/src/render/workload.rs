//! The Deployment of a server and what protects it during a drain.

use serde_json::{Value, json};

use super::network::PORT_NAME;
use super::{DATABASE_SECRET_VERSION, Database, Place, environment, metadata, selector};
use crate::model::install::Install;

/// The port that the server listens on in its Pod.
const CONTAINER_PORT: u16 = 8080;
/// A user without a name in the image: the kubelet can tell that it is not root.
const USER: u32 = 65532;

/// The server. The number of Pods is written only if the spec has it: else an autoscaler may own it.
pub(super) fn deployment(install: &Install, place: &Place, database: &Database) -> Value {
    let mut spec = json!({
        "selector": {"matchLabels": selector(&place.name)},
        "template": {
            "metadata": {"labels": selector(&place.name)},
            "spec": pod(install, place, database),
        },
    });
    if let Some(replicas) = install.replicas {
        spec["replicas"] = json!(replicas);
    }
    let mut place = place.clone();
    if let Some(version) = &database.secret_version {
        place.annotations.insert(DATABASE_SECRET_VERSION.to_owned(), version.clone());
    }
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(&place),
        "spec": spec,
    })
}

/// Keeps all but one of several servers running during a drain; of one there is nothing to keep.
pub(super) fn disruption_budget(install: &Install, place: &Place) -> Option<Value> {
    install.replicas.filter(|replicas| *replicas > 1).map(|_| {
        json!({
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": metadata(place),
            "spec": {
                "maxUnavailable": 1,
                "selector": {"matchLabels": selector(&place.name)},
            },
        })
    })
}

fn pod(install: &Install, place: &Place, database: &Database) -> Value {
    json!({
        "serviceAccountName": place.name,
        "automountServiceAccountToken": false,
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": USER,
            "runAsGroup": USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container(install, database)],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    })
}

fn container(install: &Install, database: &Database) -> Value {
    json!({
        "name": "terdut-server",
        "image": install.image.reference(),
        "env": environment(install, database),
        "ports": [{"name": PORT_NAME, "containerPort": CONTAINER_PORT, "protocol": "TCP"}],
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": true,
        },
        // The first start migrates the database: five minutes before it is given up.
        "startupProbe": probe(5, 60),
        "readinessProbe": probe(10, 3),
        "livenessProbe": probe(10, 6),
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    })
}

fn probe(period_seconds: u32, failures: u32) -> Value {
    json!({
        "httpGet": {"path": "/healthz", "port": PORT_NAME},
        "periodSeconds": period_seconds,
        "failureThreshold": failures,
        "timeoutSeconds": 5,
    })
}
