//! A site without a bridge: its rights are the chart's, and Deployments become available.

use std::time::Duration;

use serde_json::json;
use terdut_tests::cluster::{Cluster, Site, conditions, kind};

#[tokio::test]
async fn a_deployment_becomes_available_unless_its_pods_are_broken() {
    let Some(cluster) = Cluster::shared() else { return };
    let site = Site::new(cluster, 1).await;
    let (client, namespace) = (site.client(), site.tenant(0));
    let labels = json!({ "app": "a" });
    let pod = json!({
        "metadata": { "labels": labels },
        "spec": { "containers": [{ "name": "a", "image": "example.org/a:1" }] },
    });
    let mut deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": "a", "namespace": namespace },
        "spec": { "replicas": 2, "selector": { "matchLabels": labels }, "template": pod },
    });
    client.apply(&deployment).await;
    let available = |wanted: &'static str| {
        move |found: Option<&serde_json::Value>| {
            found.is_some_and(|found| {
                found["status"]["observedGeneration"] == found["metadata"]["generation"]
                    && conditions::status(found, "Available") == Some(wanted)
            })
        }
    };
    let wait = async |wanted| {
        client.wait(kind::DEPLOYMENT, namespace, "a", "settled", available(wanted)).await
    };
    assert_eq!(wait("True").await["status"]["availableReplicas"], 2);
    site.kubelet.break_pods(namespace, "a");
    deployment["spec"]["replicas"] = 3.into();
    client.apply(&deployment).await;
    wait("False").await;
    site.kubelet.mend_pods(namespace, "a");
    let settled = wait("True").await;
    assert_eq!(settled["status"]["readyReplicas"], 3);
    let version = settled["metadata"]["resourceVersion"].clone();
    tokio::time::timeout(
        Duration::from_secs(1),
        client.wait(kind::DEPLOYMENT, namespace, "a", "written again", |found| {
            found.is_some_and(|found| found["metadata"]["resourceVersion"] != version)
        }),
    )
    .await
    .expect_err("a settled Deployment is left alone");
}

#[tokio::test]
async fn a_bridge_may_do_in_its_tenants_namespaces_what_the_chart_says_and_nothing_beside() {
    let Some(cluster) = Cluster::shared() else { return };
    let site = Site::new(cluster, 1).await;
    let account = format!("system:serviceaccount:{}:terdut-bridge", site.own);
    let kubectl = cluster.kubectl();
    let may = async |verb: &str, resource: &str, namespace: &str| {
        let arguments = ["auth", "can-i", verb, resource, "--as", &account, "-n", namespace];
        kubectl.run(&arguments).await.stdout.trim() == "yes"
    };
    let tenant = site.tenant(0);
    assert!(may("patch", "deployments.apps", tenant).await);
    assert!(may("create", "secrets", &site.own).await);
    assert!(!may("get", "secrets", "default").await);
    assert!(!may("get", "pods", tenant).await);
    site.revoke(tenant).await;
    assert!(!may("patch", "deployments.apps", tenant).await);
}
