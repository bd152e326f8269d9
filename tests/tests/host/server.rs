//! `terdut_server` in the matrices' way; its life has a suite of its own.

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Binary};
use terdut_tests::host::{Action, Host, Profile, World};

const SERVER: &str = "terdut_server";
const AT: &str = "terdut_server.main";

/// A fresh server and a provider without settings.
async fn fresh(profile: Profile) -> (Simulator, World) {
    let simulator = Simulator::start(Options::default());
    let world = World::new(Host::start(&Binary::provider(), profile).await);
    world.configure(&json!({})).await.expect("no setting is required");
    (simulator, world)
}

async fn settle(world: &mut World, config: &Json) -> Json {
    let applied = world.apply(AT, SERVER, config).await;
    let applied = applied.unwrap_or_else(|failure| panic!("{config}: {failure}"));
    world.plan(AT, SERVER, config).await.expect("a plan").expect_empty();
    applied.state
}

fn bootstrap(simulator: &Simulator) -> Json {
    json!({
        "url": simulator.url(),
        "bootstrap": { "username": "root", "email": "root@example.org" }
    })
}

fn text(state: &Json, attribute: &str) -> String {
    state[attribute].as_str().unwrap_or_else(|| panic!("no {attribute} in {state}")).to_owned()
}

async fn works(simulator: &Simulator, token: &str) -> bool {
    let (status, _) =
        Api::new(simulator.url(), token).send(http::Method::GET, "/api/teams", None).await;
    status.is_success()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_server_is_bootstrapped_by_every_host() {
    for profile in Profile::all() {
        let (simulator, mut world) = fresh(profile).await;
        let state = settle(&mut world, &bootstrap(&simulator)).await;
        assert_eq!(state["bootstrapped"], json!(true));
        assert_eq!(state["bootstrap_token"], json!(null));
        let token = text(&state, "token");
        assert!(works(&simulator, &token).await);
        world.destroy(AT).await.expect("a destroy");
        assert!(!works(&simulator, &token).await, "the key is revoked");
        world.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_ways_at_once_are_refused() {
    let (simulator, world) = fresh(Profile::modern()).await;
    let mut config = bootstrap(&simulator);
    config["admin_token"] = json!("0123456789abcdef");
    let failure = world.session().validate(SERVER, &config).await.unwrap_err();
    assert!(!failure.paths().is_empty(), "{failure}");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trailing_slash_is_no_change() {
    let (simulator, mut world) = fresh(Profile::modern()).await;
    let mut config = bootstrap(&simulator);
    settle(&mut world, &config).await;
    config["url"] = json!(format!("{}/", simulator.url().trim_end_matches('/')));
    world.plan(AT, SERVER, &config).await.expect("a plan").expect_empty();
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_settings_of_a_server_are_filled_in() {
    let (simulator, mut world) = fresh(Profile::modern()).await;
    let known = bootstrap(&simulator);
    for place in ["/url", "/bootstrap", "/bootstrap/username", "/bootstrap/email"] {
        let mut config = known.clone();
        *config.pointer_mut(place).expect("a place") = json!({ "$unknown": true });
        let plan = world.plan(AT, SERVER, &config).await;
        plan.unwrap_or_else(|failure| panic!("{place}: {failure}")).expect(Action::Create);
    }
    let unknown = json!({ "url": { "$unknown": true }, "bootstrap": known["bootstrap"] });
    world.apply_resolved(AT, SERVER, &unknown, &known).await.expect("an apply");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_key_beside_a_bootstrap_may_be_null() {
    let (simulator, world) = fresh(Profile::modern()).await;
    for attribute in ["admin_token", "admin_token_wo"] {
        let mut config = bootstrap(&simulator);
        config[attribute] = json!({ "$unknown": true });
        world.session().validate(SERVER, &config).await.expect("it may be null");
    }
    let config = json!({
        "url": simulator.url(), "admin_token": { "$unknown": true },
        "admin_token_wo": { "$unknown": true }, "bootstrap": { "$unknown": true }
    });
    world.session().validate(SERVER, &config).await.expect("two may be null");
    world.close().await;
}
