//! The key for one run: opened, closed, and swept by a later run if the one before was killed.

use serde_json::{Value as Json, json};
use terdut_simulator::{Fault, Key};
use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Opened, Profile, to_json};

use crate::scene::Scene;

const KEY: &str = "terdut_service_account_key";

fn config(scene: &Scene) -> Json {
    json!({ "service_account_id": scene.fixture.account, "name_suffix": "ci", "max_age": "10m" })
}

async fn opened(scene: &Scene) -> Opened {
    let opened = scene.world.session().open_ephemeral(KEY, &config(scene)).await;
    opened.unwrap_or_else(|failure| panic!("{failure}"))
}

/// The keys that runs have made and that are there.
fn of_runs(scene: &Scene) -> Vec<Key> {
    let keys = scene.simulator.state().keys().into_iter();
    keys.filter(|key| key.name.starts_with("tf-ephemeral-")).collect()
}

fn id(opened: &Opened) -> i64 {
    let id = to_json(&opened.result)["id"].as_str().and_then(|id| id.parse().ok());
    id.expect("an id")
}

/// Ends the provider as the kernel does when memory is short; the same host starts another one.
async fn kill(scene: &mut Scene) {
    scene.world.session().may_die();
    let pid = scene.world.pid().expect("it runs").to_string();
    let sent = std::process::Command::new("kill").args(["-KILL", &pid]).status();
    assert!(sent.expect("kill runs").success());
    let binary = Binary::provider().with_env("TF_LOG", "TRACE");
    scene.world.resume(Host::start(&binary, Profile::modern()).await).await;
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
}

/// Lets a key that a run left be as old as the rule wants: its name tells its age.
fn age(scene: &Scene, key: i64) {
    scene
        .simulator
        .state()
        .rename_key(key, "tf-ephemeral-1000000000-0000002a-ci")
        .expect("the key");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_lives_from_its_opening_to_its_closing() {
    let scene = Scene::start().await;
    let opened = opened(&scene).await;
    assert!(opened.warnings.is_empty(), "{:?}", opened.warnings);
    let key = to_json(&opened.result)["token"].as_str().expect("a key").to_owned();
    let there = of_runs(&scene);
    assert_eq!(there.iter().map(|key| key.text.clone()).collect::<Vec<_>>(), [key]);
    assert!(there[0].name.ends_with("-ci"), "{}", there[0].name);
    let told = scene.world.session().close_ephemeral(KEY, &opened).await.expect("it closes");
    assert!(told.is_empty() && of_runs(&scene).is_empty(), "{told:?}");
    // A second closing finds nothing to do.
    scene.world.session().close_ephemeral(KEY, &opened).await.expect("it is closed");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_killed_before_closing_leaves_a_key_that_a_later_run_sweeps() {
    let mut scene = Scene::start().await;
    let first = id(&opened(&scene).await);
    kill(&mut scene).await;
    assert_eq!(of_runs(&scene).iter().map(|key| key.id).collect::<Vec<_>>(), [first]);

    // It may be of a run that goes on beside this one, so it stays while it is young.
    let second = opened(&scene).await;
    let there: Vec<_> = of_runs(&scene).iter().map(|key| key.id).collect();
    assert_eq!(there, [first, id(&second)]);
    scene.world.session().close_ephemeral(KEY, &second).await.expect("it closes");

    age(&scene, first);
    let third = opened(&scene).await;
    assert!(third.warnings.is_empty(), "{:?}", third.warnings);
    let there: Vec<_> = of_runs(&scene).iter().map(|key| key.id).collect();
    assert_eq!(there, [id(&third)], "the old one is swept before the new one is made");
    scene.world.session().close_ephemeral(KEY, &third).await.expect("it closes");
    assert!(of_runs(&scene).is_empty());
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_touches_neither_another_accounts_keys_nor_a_persons() {
    let scene = Scene::start().await;
    let owner = |account: &str| terdut_simulator::Owner::Account(account.parse().unwrap());
    let state = scene.simulator.state();
    let old = "tf-ephemeral-1000000000-0000002a-ci";
    let other = state.add_key(owner(&scene.fixture.other_account), old).id;
    let person = state.add_key(owner(&scene.fixture.account), "tf-ephemeral-mine").id;
    let left = state.add_key(owner(&scene.fixture.account), old).id;
    let opened = opened(&scene).await;
    let there: Vec<_> = of_runs(&scene).iter().map(|key| key.id).collect();
    assert_eq!(there, [other, person, id(&opened)], "only {left} is gone");
    scene.world.session().close_ephemeral(KEY, &opened).await.expect("it closes");
    scene.world.close().await;
}

const KEYS: &str = "/api/service-accounts/{id}/keys";

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_text_is_as_good_as_none() {
    let scene = Scene::start().await;
    let config =
        json!({ "service_account_id": scene.fixture.account, "name_suffix": "", "max_age": "" });
    let opened = scene.world.session().open_ephemeral(KEY, &config).await;
    let opened = opened.unwrap_or_else(|failure| panic!("{failure}"));
    let there = of_runs(&scene);
    assert!(!there[0].name.ends_with('-'), "{}", there[0].name);
    scene.world.session().close_ephemeral(KEY, &opened).await.expect("it closes");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_leaves_no_key_beside_the_one_that_is_opened() {
    let post = || Fault::on("POST", KEYS);
    for (fault, was_seen) in [(post().drop_after(), true), (post().drop_before(), false)] {
        let scene = Scene::start().await;
        scene.simulator.fault(fault.clone());
        let opened = opened(&scene).await;
        let told = opened.warnings.iter().any(|one| one.says("may still appear"));
        assert_eq!((told, opened.warnings.len()), (!was_seen, usize::from(!was_seen)), "{fault:?}");
        let there: Vec<_> = of_runs(&scene).iter().map(|key| key.id).collect();
        assert_eq!(there, [id(&opened)], "{fault:?}");
        scene.world.session().close_ephemeral(KEY, &opened).await.expect("it closes");
        assert!(of_runs(&scene).is_empty());
        scene.world.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_costs_no_other_run_of_the_same_second_its_key() {
    let scene = Scene::start().await;
    let mut live = vec![id(&opened(&scene).await)];
    // More than one, since a second may end between two.
    for _ in 0..3 {
        scene.simulator.fault(Fault::on("POST", KEYS).drop_after());
        live.push(id(&opened(&scene).await));
        let there: Vec<_> = of_runs(&scene).iter().map(|key| key.id).collect();
        assert_eq!(there, live, "each run's key still works");
    }
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_may_be_left_is_told_with_the_run_that_revokes_it() {
    let scene = Scene::start().await;
    scene.simulator.fault(Fault::on("GET", KEYS).always().error(403, "no lists"));
    scene.simulator.fault(Fault::on("POST", KEYS).drop_after());
    let failure = scene.world.session().open_ephemeral(KEY, &config(&scene)).await.unwrap_err();
    let left = of_runs(&scene);
    assert_eq!(left.len(), 1, "it is not asked for twice: {left:?}");
    for text in [left[0].name.as_str(), "may have been made", "max_age"] {
        assert!(failure.says(text), "{text:?}: {failure}");
    }
    scene.simulator.clear_faults();
    age(&scene, left[0].id);
    let next = opened(&scene).await;
    assert_eq!(of_runs(&scene).iter().map(|key| key.id).collect::<Vec<_>>(), [id(&next)]);
    scene.world.close().await;
}
