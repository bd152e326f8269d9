//! Reasons of those who are refused: by the API server, by a terdut server, by the manifest.

use serde_json::json;
use terdut_simulator::{Fault, Owner};
use terdut_tests::cluster::{Cluster, Rights, Site, conditions, kind};

use crate::scene::{self, Scene, from, team};

const VERBS: [&str; 7] = ["get", "list", "watch", "create", "update", "patch", "delete"];

/// What a bridge may do in a tenant's namespace, without any right on Secrets.
fn without_secrets(namespace: &str) -> Rights {
    let all = Rights::tenant(namespace);
    VERBS.iter().fold(all, |rights, verb| rights.without("secrets", verb))
}

pub(super) async fn a_namespace_without_rights_keeps_nobody_else_from_going_on(cluster: &Cluster) {
    let site = Site::new(cluster, 3).await;
    let poor = site.tenant(2).to_owned();
    site.revoke(&poor).await;
    site.grant(&poor, &without_secrets(&poor)).await;
    let scene = Scene::over(site, &from("All")).await;
    let _bridge = scene.start().await;
    scene.add_team(&poor, "poor", "Poor").await;
    scene.add_children(&poor, "poor").await;
    let said = scene.client.wait_reason(kind::TEAM, &poor, "poor", "Ready", "NamespaceNotGranted");
    let said = said.await;
    assert!(scene::message(&said, "Ready").contains("tenants.namespaces"), "{said}");
    scene.children_say(&poor, "poor", "NamespaceNotGranted").await;
    scene.settle(scene.guest(), "Rich").await;
    assert_eq!(scene.simulator.state().team_count(), 1);
    scene.site.grant(&poor, &Rights::tenant(&poor)).await;
    scene.client.wait_ready(kind::TEAM, &poor, "poor").await;
    scene.children_ready(&poor, "poor").await;
}

pub(super) async fn a_team_key_that_is_refused_is_minted_again(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    let id = scene.settle(guest, "Platform").await;
    let state = || scene.simulator.state();
    let account = state().accounts().into_iter().find(|one| one.team_id == Some(id));
    let account = account.expect("the team's account");
    let revoked = state().keys_of(Owner::Account(account.id));
    assert_eq!(revoked.len(), 1);
    state().revoke_key(revoked[0].id);
    client.patch(kind::RULE, guest, "platform", &json!({ "spec": { "repeatCount": 3 } })).await;
    client.wait_ready(kind::RULE, guest, "platform").await;
    client.wait_ready(kind::TEAM, guest, "platform").await;
    scene.children_ready(guest, "platform").await;
    let keys = state().keys_of(Owner::Account(account.id));
    assert!(keys.len() == 1 && keys[0].id != revoked[0].id, "one key, and a new one: {keys:?}");
    assert_eq!(state().accounts().len(), 1, "the same account");
    let policy = state().team(id).and_then(|team| team.policy);
    assert_eq!(policy.map(|policy| policy.repeat_count), Some(3));
}

pub(super) async fn an_instance_key_that_is_refused_waits_for_another(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    scene.settle(guest, "Platform").await;
    for key in scene.simulator.state().keys() {
        if matches!(key.owner, Owner::User(_)) {
            scene.simulator.state().revoke_key(key.id);
        }
    }
    let rename = json!({ "spec": { "displayName": "Renamed" } });
    client.patch(kind::TEAM, guest, "platform", &rename).await;
    let denied = client.wait_reason(kind::TEAM, guest, "platform", "Ready", "Denied").await;
    assert!(scene::message(&denied, "Ready").contains("handed in"), "{denied}");
    scene.hand_in(scene.host(), "main", &scene.simulator.seed_admin()).await;
    client.wait_ready(kind::TEAM, guest, "platform").await;
    assert!(scene.simulator.state().team_named("Renamed").is_some());
}

pub(super) async fn a_server_without_the_route_is_too_old_until_it_has_it(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    scene.simulator.fault(Fault::on("GET", "/api/teams").always().no_route());
    let _bridge = scene.start().await;
    scene.add_team(guest, "platform", "Platform").await;
    client.wait_reason(kind::TEAM, guest, "platform", "Ready", "ServerTooOld").await;
    scene.simulator.clear_faults();
    client.wait_ready(kind::TEAM, guest, "platform").await;
    // A route of the children's that is missing is no team that is gone.
    scene.simulator.fault(Fault::on("*", "/api/teams/{id}/deadman-switches").always().no_route());
    scene.add_children(guest, "platform").await;
    client.wait_reason(kind::SWITCH, guest, "platform", "Ready", "ServerTooOld").await;
    scene.simulator.clear_faults();
    scene.children_ready(guest, "platform").await;
    assert_eq!(scene.simulator.state().team_count(), 1);
}

pub(super) async fn what_the_server_refuses_is_invalid_until_it_is_changed(cluster: &Cluster) {
    let scene = Scene::new(cluster, 2, &from("All")).await;
    let (client, guest) = (&scene.client, scene.guest());
    let _bridge = scene.start().await;
    scene.add_team(guest, "platform", "Platform").await;
    let mut source = scene::source(guest, "platform");
    source["spec"]["kind"] = "webhook".into();
    client.apply(&source).await;
    let refused = client.wait_reason(kind::SOURCE, guest, "platform", "Ready", "Invalid").await;
    assert_eq!(conditions::reason(&refused, "Synced"), Some("Invalid"));
    source["spec"]["kind"] = "alertmanager".into();
    client.apply(&source).await;
    client.wait_ready(kind::SOURCE, guest, "platform").await;
    // What the server cannot take is the object's own affair.
    let other = team(guest, "other", (scene.host(), "main"), "Other");
    client.apply(&other).await;
    client.wait_ready(kind::TEAM, guest, "other").await;
}
