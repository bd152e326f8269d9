//! `terdut_server`: bootstrap, the two ways to hand in a key, rotation, import, destroy.

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Binary};
use terdut_tests::host::{Action, Host, ImportBy, Profile, World};

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
async fn a_bootstrap_token_is_kept_only_where_wanted() {
    let (simulator, mut world) = fresh(Profile::modern()).await;
    let mut config = bootstrap(&simulator);
    config["keep_bootstrap_token"] = json!(true);
    let state = settle(&mut world, &config).await;
    let admin = text(&state, "bootstrap_token");
    assert!(works(&simulator, &admin).await);
    config["keep_bootstrap_token"] = json!(false);
    let state = settle(&mut world, &config).await;
    assert_eq!(state["bootstrap_token"], json!(null));
    assert!(!works(&simulator, &admin).await, "it is revoked");
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_users_is_not_bootstrapped_again() {
    let (simulator, mut world) = fresh(Profile::modern()).await;
    Api::bootstrap(simulator.url()).await;
    let failure = world.apply(AT, SERVER, &bootstrap(&simulator)).await.unwrap_err();
    assert!(failure.says("admin_token"), "{failure}");
    assert_eq!(world.state(AT), None);
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_can_be_handed_in_either_way() {
    for attribute in ["admin_token", "admin_token_wo"] {
        let (simulator, mut world) = fresh(Profile::modern()).await;
        let admin = Api::bootstrap(simulator.url()).await;
        let config = json!({ "url": simulator.url(), attribute: admin.token() });
        let state = settle(&mut world, &config).await;
        assert_ne!(text(&state, "token"), admin.token());
        assert!(works(&simulator, &text(&state, "token")).await);
        world.destroy(AT).await.expect("a destroy");
        assert!(works(&simulator, admin.token()).await, "the key that was handed in stays");
        world.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn creating_without_any_key_says_what_is_missing() {
    let (simulator, mut world) = fresh(Profile::modern()).await;
    let failure = world.apply(AT, SERVER, &json!({ "url": simulator.url() })).await.unwrap_err();
    assert!(failure.says("admin_token"), "{failure}");
    world.close().await;
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
async fn a_rotation_keeps_the_previous_key_alive_until_the_next() {
    let (simulator, mut world) = fresh(Profile::modern()).await;
    let mut config = bootstrap(&simulator);
    let mut tokens = Vec::new();
    for quarter in ["q1", "q2", "q3"] {
        config["rotate_when_changed"] = json!({ "quarter": quarter });
        if quarter != "q1" {
            let plan = world.plan(AT, SERVER, &config).await.expect("a plan");
            plan.expect(Action::Update);
            assert_eq!(plan.after["token"], json!({ "$unknown": true }));
        }
        let state = settle(&mut world, &config).await;
        tokens.push(text(&state, "token"));
    }
    let mut alive = Vec::new();
    for token in &tokens {
        alive.push(works(&simulator, token).await);
    }
    assert_eq!(alive, [false, true, true]);
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
async fn an_imported_server_gets_a_key_with_a_new_version() {
    let (simulator, mut world) = fresh(Profile::modern()).await;
    let admin = Api::bootstrap(simulator.url()).await;
    let warnings =
        world.import(AT, SERVER, ImportBy::Id(simulator.url())).await.expect("an import");
    assert!(warnings.iter().any(|warning| warning.says("admin_token")), "{warnings:?}");
    assert_eq!(world.state(AT).expect("a state")["token"], json!(null));
    let config = json!({
        "url": simulator.url(), "admin_token_wo": admin.token(), "admin_token_wo_version": 1
    });
    let state = settle(&mut world, &config).await;
    assert!(works(&simulator, &text(&state, "token")).await);
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
