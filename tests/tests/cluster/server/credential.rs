//! The key to a server: bootstrapped once, handed in, refused, lost, replaced.

use serde_json::{Value as Json, json};
use terdut_simulator::{Fault, Owner};
use terdut_tests::cluster::{Filter, Moment, conditions, kind};

use super::scene::{NAME, Scene};

#[tokio::test]
async fn a_key_that_is_handed_in_is_used_and_nothing_is_bootstrapped() {
    let Some(scene) = Scene::shared().await else { return };
    let reference = json!({ "credentialsSecretRef": { "name": "handed-in" } });
    scene.declare(&reference).await;
    scene.waits("WaitingForCredential").await;
    let (_, key) = scene.simulator.state().add_account("by hand", None);
    scene.hand_in(&key.text).await;
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
    assert_eq!(scene.site.traffic.count(&Filter::terdut().verb("post")), 0);
    assert!(scene.records().await.is_empty(), "nothing of it is copied");
    scene.annotate("rotate-credentials", Some("now")).await;
    let (namespace, client) = (scene.namespace(), &scene.client);
    let reason = "RotationNotPossible";
    client.wait_reason(kind::SERVER, namespace, NAME, "Degraded", reason).await;
    client.wait_ready(kind::SERVER, namespace, NAME).await;
    scene.annotate("rotate-credentials", None).await;
    client
        .annotate(
            kind::SECRET,
            &scene.site.own,
            "handed-in",
            "terdut.ryuvia.com/server",
            Some("other/main"),
        )
        .await;
    scene.waits("CredentialNotPermitted").await;
    scene.delete().await;
    let keys = scene.simulator.state().keys();
    assert!(keys.iter().any(|kept| kept.id == key.id), "it is not ours to revoke");
}

#[tokio::test]
async fn a_key_that_comes_later_is_seen_at_once() {
    let Some(scene) = Scene::shared().await else { return };
    scene.bridge.stop_well().await;
    let options = scene.site.options("bridge-b").flag("resync-interval", "0");
    let slow = options.flag("retry-base", "1h").flag("retry-cap", "1h");
    let _second = scene.site.start_with(slow).await;
    scene.declare(&json!({ "credentialsSecretRef": { "name": "handed-in" } })).await;
    scene.waits("WaitingForCredential").await;
    let (_, key) = scene.simulator.state().add_account("by hand", None);
    scene.hand_in(&key.text).await;
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
}

#[tokio::test]
async fn a_server_that_others_bootstrapped_is_asked_once_and_takes_a_key() {
    let Some(scene) = Scene::shared().await else { return };
    scene.simulator.seed_admin();
    scene.declare(&json!({})).await;
    let waiting = scene.waits("WaitingForCredential").await;
    assert!(waiting.to_string().contains("credentialsSecretRef"), "{waiting}");
    scene.passes(3.0).await;
    assert_eq!(scene.bootstraps(), 1, "asked again only for something new");
    scene.annotate("reconcile-at", Some("now")).await;
    scene.until("it is asked again", || scene.bootstraps() == 2).await;
    let (_, key) = scene.simulator.state().add_account("by hand", None);
    scene.hand_in(&key.text).await;
    scene.ready(&json!({ "credentialsSecretRef": { "name": "handed-in" } })).await;
    assert_eq!(scene.bootstraps(), 2);
}

#[tokio::test]
async fn a_bootstrap_whose_answer_is_lost_is_told_and_one_whose_key_is_kept_goes_on() {
    let Some(scene) = Scene::shared().await else { return };
    let bootstrap = Filter::terdut().verb("post").of("/api/bootstrap");
    scene.site.traffic.kill_at(bootstrap, 1, Moment::After);
    scene.declare(&json!({})).await;
    scene.until("the bridge is killed", || scene.bridge.ended()).await;
    assert_eq!(scene.simulator.state().users().len(), 1);
    let _second = scene.site.start_with(scene.site.options("bridge-b")).await;
    let lost = scene.waits("BootstrapStateLost").await;
    assert_eq!(conditions::reason(&lost, "Bootstrapped"), Some("BootstrapStateLost"));
    assert!(lost.to_string().contains("empty database"), "{lost}");
    scene.delete().await;
    assert!(scene.records().await.is_empty());

    let Some(scene) = Scene::shared().await else { return };
    let account = Filter::terdut().verb("post").of("/api/service-accounts");
    scene.site.traffic.kill_at(account, 1, Moment::After);
    scene.declare(&json!({})).await;
    scene.until("the bridge is killed", || scene.bridge.ended()).await;
    let _second = scene.site.start_with(scene.site.options("bridge-b")).await;
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
    assert_eq!((scene.bootstraps(), scene.simulator.state().keys().len()), (1, 1));
    assert_eq!(scene.records().await, ["instance-credentials"]);
}

#[tokio::test]
async fn a_bootstrap_that_nobody_answers_is_asked_for_again() {
    let Some(scene) = Scene::shared().await else { return };
    // More often than one pass asks.
    let silent = Fault::on("POST", "/api/bootstrap").times(6).drop_before();
    scene.simulator.fault(silent);
    scene.declare(&json!({})).await;
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
    assert_eq!((scene.bootstraps(), scene.simulator.state().users().len()), (7, 1));
    assert_eq!(scene.records().await, ["instance-credentials"]);
}

#[tokio::test]
async fn a_password_lets_the_first_person_in() {
    let Some(scene) = Scene::shared().await else { return };
    let person = json!({ "username": "root", "email": "root@example.org",
        "passwordSecretRef": { "name": "root", "key": "password" } });
    scene.declare(&json!({ "bootstrap": person })).await;
    scene.waits("WaitingForCredential").await;
    assert_eq!(scene.bootstraps(), 0, "it can be done only once");
    scene.secret("root", &json!({ "password": "a good long password" })).await;
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
    let person = scene.simulator.state().user("root").expect("the person is there");
    let password = scene.simulator.state().password(person.id);
    assert_eq!(password.as_deref(), Some("a good long password"));
    assert_eq!(scene.events("NobodyCanLogIn").await, 0);
}

#[tokio::test]
async fn the_key_of_a_bootstrap_is_kept_in_spite_of_the_api_server() {
    let Some(scene) = Scene::shared().await else { return };
    let checkpoint = Filter::api().verb("update").of("secrets");
    let busy = json!({ "kind": "Status", "apiVersion": "v1", "code": 503, "status": "Failure" });
    scene.site.traffic.answer(checkpoint.clone(), 503, busy);
    scene.declare(&json!({})).await;
    let tried = || scene.site.traffic.count(&checkpoint) >= 2;
    scene.until("the checkpoint is written again", tried).await;
    scene.site.traffic.restore();
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
    assert_eq!((scene.bootstraps(), scene.keys().len()), (1, 1));
}

#[tokio::test]
async fn a_password_that_is_refused_is_named_and_the_key_is_kept() {
    let Some(scene) = Scene::shared().await else { return };
    scene.secret("root", &json!({ "password": "short" })).await;
    let person = json!({ "username": "root", "email": "root@example.org",
        "passwordSecretRef": { "name": "root", "key": "password" } });
    scene.declare(&json!({ "bootstrap": person })).await;
    let told = scene.waits("Invalid").await;
    assert!(told.to_string().contains("password"), "{told}");
    assert_eq!(conditions::status(&told, "Bootstrapped"), Some("True"), "there is a key: {told}");
    scene.secret("root", &json!({ "password": "long enough for anybody" })).await;
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
    assert_eq!((scene.bootstraps(), scene.keys().len()), (1, 1));
}

#[tokio::test]
async fn a_key_is_replaced_on_demand_and_kept_where_the_server_refuses() {
    let Some(scene) = Scene::shared().await else { return };
    scene.ready(&json!({})).await;
    let first = scene.keys();
    scene.annotate("rotate-credentials", Some("1")).await;
    let rotated = || {
        let keys = scene.keys();
        keys.len() == 1 && keys != first
    };
    scene.until("another key is the only one", rotated).await;
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
    scene.annotate("rotate-credentials", Some("")).await;
    let kept = scene.keys();
    scene.passes(3.0).await;
    assert_eq!(scene.keys(), kept, "an empty value asks for nothing");
    let refuse = Fault::on("POST", "/api/service-accounts/{id}/keys").always();
    scene.simulator.fault(refuse.error(403, "not for you"));
    scene.annotate("rotate-credentials", Some("2")).await;
    let (namespace, client) = (scene.namespace(), &scene.client);
    let reason = "RotationDenied";
    let denied = client.wait_reason(kind::SERVER, namespace, NAME, "Degraded", reason).await;
    assert_eq!(conditions::status(&denied, "Ready"), Some("True"), "the key stays in use");
    let asked = Filter::terdut().verb("post").of("/api/service-accounts/{}/keys");
    let count = scene.site.traffic.count(&asked);
    scene.passes(3.0).await;
    assert_eq!(scene.site.traffic.count(&asked), count, "not asked again by itself");
    // Another trouble between, or another replica, forgets nothing.
    scene.site.traffic.cut_off(Filter::terdut());
    scene.waits("Unreachable").await;
    scene.site.traffic.restore();
    client.wait_ready(kind::SERVER, namespace, NAME).await;
    client.wait_reason(kind::SERVER, namespace, NAME, "Degraded", reason).await;
    scene.bridge.stop_well().await;
    let _second = scene.site.start_with(scene.site.options("bridge-b")).await;
    scene.simulator.clear_faults();
    scene.annotate("reconcile", Some("disabled")).await;
    client.wait_reason(kind::SERVER, namespace, NAME, "Synced", "Paused").await;
    scene.annotate("reconcile", None).await;
    client.wait_ready(kind::SERVER, namespace, NAME).await;
    assert_eq!(scene.site.traffic.count(&asked), count, "not asked again by another");
    // A person does it.
    let before = scene.keys();
    scene.annotate("rotate-credentials", Some("3")).await;
    let replaced = || {
        let keys = scene.keys();
        keys.len() == 1 && keys != before
    };
    scene.until("the key is replaced", replaced).await;
    let calm = |server: &Json| conditions::status(server, "Degraded") != Some("True");
    scene.becomes(kind::SERVER, "no longer degraded", calm).await;
}

#[tokio::test]
async fn a_key_is_replaced_when_it_is_old() {
    let Some(scene) = Scene::shared().await else { return };
    scene.bridge.stop_well().await;
    let options = scene.site.options("bridge-b").flag("resync-interval", "500ms");
    let _second = scene.site.start_with(options.flag("rotate-credentials-after", "4s")).await;
    scene.ready(&json!({})).await;
    let mut seen = scene.keys();
    for _ in 0..2 {
        let replaced = || {
            let keys = scene.keys();
            keys.len() == 1 && keys != seen
        };
        scene.until("an old key is replaced by one", replaced).await;
        seen = scene.keys();
    }
    assert_eq!(scene.bootstraps(), 1);
    assert_eq!(scene.simulator.state().accounts().len(), 1, "the same account");
}

#[tokio::test]
async fn a_key_that_the_server_does_not_know_is_told_and_an_empty_database_begins_anew() {
    let Some(scene) = Scene::shared().await else { return };
    scene.ready(&json!({})).await;
    let key = scene.simulator.state().keys()[0].clone();
    scene.simulator.state().revoke_key(key.id);
    scene.waits("WaitingForCredential").await;
    for user in scene.simulator.state().users() {
        scene.simulator.state().delete_user(user.id);
    }
    if let Owner::Account(account) = key.owner {
        scene.simulator.state().delete_account(account);
    }
    scene.annotate("reconcile-at", Some("now")).await;
    scene.client.wait_ready(kind::SERVER, scene.namespace(), NAME).await;
    assert_eq!(scene.keys().len(), 1);
}
