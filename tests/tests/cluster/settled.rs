//! What is settled stays so: a lost status is rebuilt, a manifest that is applied again changes
//! nothing, and no key is shown anywhere, not even at the most talkative log level.

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Bridge, Cluster, Filter, Kind, kind};

use crate::scene::{Scene, labelled, rule, source, switch, team};

const NAME: &str = "platform";
const BELOW: [Kind; 4] = [kind::TEAM, kind::RULE, kind::SWITCH, kind::SOURCE];

#[tokio::test]
async fn a_lost_status_is_rebuilt_and_nothing_is_made_anew() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &labelled()).await;
    let bridge = scene.start().await;
    let (client, guest) = (&scene.client, scene.guest());
    scene.settle(guest, "Platform").await;
    let (server, before) = (scene.on_server(), statuses(&scene).await);
    bridge.stop_well().await;
    let mark = scene.site.traffic.mark();
    for kind in BELOW {
        // A JSON null takes a field away.
        client.patch_status(kind, guest, NAME, &json!({ "status": null })).await;
    }
    client.patch_status(kind::SERVER, scene.host(), "main", &json!({ "status": null })).await;
    let _next = scene.start().await;
    client.wait_ready(kind::SERVER, scene.host(), "main").await;
    for kind in BELOW {
        client.wait_ready(kind, guest, NAME).await;
    }
    assert_eq!(statuses(&scene).await, before);
    assert_eq!(scene.on_server(), server);
    assert_eq!(scene.site.traffic.count(&Filter::terdut().writes().after(mark)), 0);
}

/// The statuses of a team and its children, times aside.
async fn statuses(scene: &Scene<'_>) -> Vec<Json> {
    let mut statuses = Vec::new();
    for kind in BELOW {
        let mut status = scene.client.get(kind, scene.guest(), NAME).await["status"].take();
        for condition in status["conditions"].as_array_mut().expect("it has conditions") {
            condition["lastTransitionTime"].take();
        }
        statuses.push(status);
    }
    statuses
}

#[tokio::test]
async fn a_manifest_that_is_applied_again_makes_no_difference() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &labelled()).await;
    let _bridge = scene.start().await;
    let guest = scene.guest();
    scene.settle(guest, "Platform").await;
    let manifests = [
        team(guest, NAME, (scene.host(), "main"), "Platform"),
        rule(guest, NAME),
        switch(guest, NAME),
        source(guest, NAME),
        crate::scene::server(scene.host(), "main", &labelled()),
    ];
    for manifest in &manifests {
        let (kind, metadata) = (Kind::of(manifest), &manifest["metadata"]);
        let text = |field: &str| metadata[field].as_str().unwrap_or_default();
        let mut live = scene.client.get(kind, text("namespace"), text("name")).await;
        let mut applied = scene.client.try_apply(manifest, "dryRun=All").await.expect();
        for object in [&mut live, &mut applied] {
            // It also holds the time of the apply.
            object["metadata"]["managedFields"].take();
        }
        assert_eq!(applied, live);
    }
}

#[tokio::test]
async fn no_key_is_shown_anywhere() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &labelled()).await;
    let options = scene.site.options("bridge-a").flag("log-level", "trace");
    let bridge = scene.site.start_with(options).await;
    let guest = scene.guest();
    scene.settle(guest, "Platform").await;
    let key = "terdut.ryuvia.com/rotate-credentials";
    scene.client.annotate(kind::TEAM, guest, NAME, key, Some("now")).await;
    let revoked = Filter::terdut().verb("delete").of("/api/service-accounts/{}/keys/{}");
    terdut_tests::harness::wait_for(
        "the key is replaced",
        std::time::Duration::from_secs(30),
        || async { scene.site.traffic.count(&revoked) > 0 },
    )
    .await;
    let shown = shown(&scene, &bridge).await;
    let secrets = scene.site.traffic.secrets();
    // The handed-in key, the team's two, and the webhook's.
    assert!(secrets.len() >= 4, "{} keys were seen", secrets.len());
    for secret in &secrets {
        assert!(!shown.contains(secret.as_str()), "a key is shown");
    }
    bridge.check_logs();
}

/// All that people can read without a right to Secrets, and the metrics.
async fn shown(scene: &Scene<'_>, bridge: &Bridge) -> String {
    let mut shown = bridge.get("/metrics").await.1;
    for namespace in [scene.host(), scene.guest()] {
        for kind in Kind::OURS.into_iter().chain([kind::EVENT, kind::DEPLOYMENT, kind::SERVICE]) {
            shown.extend(scene.client.list(kind, namespace).await.iter().map(Json::to_string));
        }
    }
    shown
}
