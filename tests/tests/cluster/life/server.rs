//! A `TerdutServer`: what it renders to, its credential, and what is left of it.

use serde_json::{Value as Json, json};
use terdut_simulator::Owner;
use terdut_tests::cluster::{Kind, kind};

use super::stage::{SERVER, Stage};

const RENDERED: [Kind; 3] = [kind::DEPLOYMENT, kind::SERVICE, kind::SERVICE_ACCOUNT];

async fn deployment(stage: &Stage) -> Json {
    stage.client.get(kind::DEPLOYMENT, stage.namespace(kind::SERVER), SERVER).await
}

fn image(deployment: &Json) -> &Json {
    &deployment["spec"]["template"]["spec"]["containers"][0]["image"]
}

#[tokio::test]
async fn a_server_is_rendered_and_bootstrapped_and_keeps_no_admin_key() {
    let Some(stage) = Stage::with_server().await else { return };
    let namespace = stage.namespace(kind::SERVER);
    let server = stage.client.get(kind::SERVER, namespace, SERVER).await;
    for kind in RENDERED {
        let object = stage.client.get(kind, namespace, SERVER).await;
        assert_eq!(object["metadata"]["ownerReferences"][0]["uid"], server["metadata"]["uid"]);
    }
    let deployment = deployment(&stage).await;
    assert_eq!(image(&deployment), "git.ryuvia.com/niklas/terdut-server:v0.9.3");
    let environment = &deployment["spec"]["template"]["spec"]["containers"][0]["env"];
    let environment = environment.as_array().unwrap();
    let password = environment.iter().find(|variable| variable["name"] == "PGPASSWORD").unwrap();
    assert_eq!(
        password["valueFrom"]["secretKeyRef"],
        json!({ "name": "postgres", "key": "password" })
    );
    let store = stage.simulator.state();
    let admins = store.keys().into_iter().filter(|key| matches!(key.owner, Owner::User(_)));
    assert_eq!(admins.count(), 0, "the admin key of the bootstrap is revoked");
    let uid = server["metadata"]["uid"].as_str().unwrap();
    let account = store.account(&format!("terdut-operator-{}", &uid[..8])).expect("an account");
    assert_eq!(store.keys_of(Owner::Account(account.id)).len(), 1);
    let prefix = format!("{namespace}.{SERVER}-");
    let expected = format!("{prefix}instance-credentials");
    assert_eq!(stage.own_secrets(&prefix).await, std::slice::from_ref(&expected));
    assert_eq!(
        server["status"]["credentialsSecretRef"],
        json!({ "name": expected, "key": "token" })
    );
}

#[tokio::test]
async fn a_change_reaches_the_deployment_and_drift_is_put_right() {
    let Some(stage) = Stage::with_server().await else { return };
    let namespace = stage.namespace(kind::SERVER).to_owned();
    let mut server = stage.server();
    server["spec"]["image"]["tag"] = "v0.9.4".into();
    server["spec"]["replicas"] = 2.into();
    stage.apply(&server).await;
    stage.ready(kind::SERVER, SERVER).await;
    let changed = deployment(&stage).await;
    assert_eq!(image(&changed), "git.ryuvia.com/niklas/terdut-server:v0.9.4");
    assert_eq!(changed["spec"]["replicas"], 2);
    stage.client.get(kind::BUDGET, &namespace, SERVER).await;
    let container = json!([{ "name": changed["spec"]["template"]["spec"]["containers"][0]["name"], "image": "example.org/other:1" }]);
    let drift = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": SERVER, "namespace": namespace },
        "spec": {
            "selector": changed["spec"]["selector"],
            "template": {
                "metadata": { "labels": changed["spec"]["template"]["metadata"]["labels"] },
                "spec": { "containers": container },
            },
        },
    });
    let drifted = stage.client.apply(&drift).await;
    assert_eq!(image(&drifted), "example.org/other:1");
    let right = |found: Option<&Json>| found.is_some_and(|found| image(found) == image(&changed));
    stage.client.wait(kind::DEPLOYMENT, &namespace, SERVER, "put right", right).await;
    server["spec"]["replicas"] = 1.into();
    stage.apply(&server).await;
    stage.client.wait_gone(kind::BUDGET, &namespace, SERVER).await;
}

#[tokio::test]
async fn a_deleted_server_leaves_nothing_in_the_cluster_and_no_key_on_the_server() {
    let Some(stage) = Stage::with_server().await else { return };
    let namespace = stage.namespace(kind::SERVER).to_owned();
    stage.delete(kind::SERVER, SERVER).await;
    for kind in RENDERED {
        stage.client.wait_gone(kind, &namespace, SERVER).await;
    }
    assert!(stage.own_secrets(&format!("{namespace}.{SERVER}-")).await.is_empty());
    stage.until("its key is revoked", || stage.simulator.state().keys().is_empty()).await;
}
