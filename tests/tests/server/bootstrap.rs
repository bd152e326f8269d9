//! From a fresh server, and from one that is not.

use serde_json::json;
use terdut_tests::harness::Api;
use terdut_tests::host::{Action, Profile};

use crate::fixture::{Fixture, accounts, bootstrap, keys, summaries, unknown};

#[tokio::test]
async fn a_fresh_server_gives_a_working_key_and_the_second_plan_is_empty() {
    for profile in Profile::all() {
        let mut fixture = Fixture::played_by(profile).await;
        let config = json!({ "bootstrap": bootstrap() });
        let applied = fixture.apply(&config).await;
        applied.plan.expect(Action::Create);
        assert_eq!(applied.plan.after["token"], unknown());
        assert_eq!(applied.plan.after["id"], json!(fixture.base().trim_end_matches('/')));
        assert_eq!(applied.plan.after["service_account_name"], json!("terraform"));
        assert!(applied.diagnostics.is_empty(), "{:?}", applied.diagnostics);
        assert_eq!(applied.state["bootstrapped"], json!(true));
        assert!(applied.state["bootstrap_token"].is_null());
        assert!(applied.state["previous_key_id"].is_null());
        assert!(fixture.takes(&fixture.text("token")).await);
        let user = fixture.simulator.state().user("root").unwrap().id;
        let password = fixture.simulator.state().password(user);
        assert_eq!(password.as_deref(), Some("s3cret-password"));
        fixture.plan(&config).await.expect_empty();
        fixture.apply(&config).await.plan.expect(Action::NoOp);
    }
}

#[tokio::test]
async fn the_admin_key_is_gone_when_the_create_is_done() {
    let mut fixture = Fixture::new().await;
    fixture.apply(&json!({ "bootstrap": bootstrap() })).await;
    assert_eq!(fixture.simulator.count("DELETE", "/api/users/{id}/api-keys/{key_id}"), 1);
    let own = Api::new(&fixture.base(), &fixture.text("token"));
    assert_eq!(accounts(&own, "terraform").await.len(), 1);
    assert_eq!(
        keys(&own, &fixture.text("service_account_id")).await,
        [fixture.text("token_key_id")]
    );
}

#[tokio::test]
async fn a_server_that_was_bootstrapped_says_what_to_do() {
    let mut fixture = Fixture::new().await;
    fixture.admin().await;
    let failure = fixture.try_apply(&json!({ "bootstrap": bootstrap() })).await.unwrap_err();
    assert!(failure.says("Mint an instance key"), "{failure}");
    assert!(failure.says("empty database"), "{failure}");
    assert!(fixture.world.addresses().is_empty());
}

#[tokio::test]
async fn without_a_password_one_warning_says_that_nobody_can_log_in() {
    let mut fixture = Fixture::new().await;
    let config = json!({ "bootstrap": { "username": "root", "email": "root@example.org" } });
    let applied = fixture.apply(&config).await;
    assert!(applied.plan.warns("nobody can log in"), "{:?}", applied.plan.diagnostics);
    let told = applied.plan.diagnostics.iter().chain(&applied.diagnostics);
    assert_eq!(told.filter(|one| one.says("nobody can log in")).count(), 1);
}

#[tokio::test]
async fn a_kept_admin_key_is_revoked_when_it_no_longer_is_kept() {
    let mut fixture = Fixture::new().await;
    let keep = json!({ "bootstrap": bootstrap(), "keep_bootstrap_token": true });
    fixture.apply(&keep).await;
    let admin = fixture.text("bootstrap_token");
    assert!(fixture.takes(&admin).await);
    fixture.plan(&keep).await.expect_empty();
    let config = json!({ "bootstrap": bootstrap(), "keep_bootstrap_token": false });
    let given_up = fixture.apply(&config).await;
    given_up.plan.expect(Action::Update);
    assert!(given_up.state["bootstrap_token"].is_null());
    assert!(!fixture.takes(&admin).await);
    let failure = fixture.try_plan(&keep).await.unwrap_err();
    assert_eq!(failure.paths(), ["keep_bootstrap_token"]);
}

#[tokio::test]
async fn a_step_that_fails_after_the_bootstrap_is_a_warning_and_the_next_apply_finishes_it() {
    let mut fixture = Fixture::new().await;
    let config = json!({ "bootstrap": bootstrap() });
    fixture.fail("POST", "/api/service-accounts", 400);
    let applied = fixture.apply(&config).await;
    assert!(applied.warns("the next apply finishes it"), "{:?}", applied.diagnostics);
    assert!(applied.state["token"].is_null());
    assert!(!fixture.world.is_tainted(crate::fixture::MAIN));

    let plan = fixture.plan(&config).await;
    plan.expect(Action::Update);
    assert_eq!(plan.after["token"], unknown());
    let finished = fixture.apply(&config).await;
    assert!(finished.diagnostics.is_empty(), "{:?}", summaries(&finished.diagnostics));
    assert!(fixture.takes(&fixture.text("token")).await);
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn a_password_that_could_not_be_set_is_set_by_the_next_apply() {
    let mut fixture = Fixture::new().await;
    let config = json!({ "bootstrap": bootstrap() });
    fixture.fail("PUT", "/api/users/{id}/password", 400);
    let applied = fixture.apply(&config).await;
    assert!(applied.warns("Setting the password"), "{:?}", applied.diagnostics);
    let token = fixture.text("token");
    assert!(fixture.takes(&token).await);
    let finished = fixture.apply(&config).await;
    finished.plan.expect(Action::Update);
    assert_eq!(fixture.text("token"), token);
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn a_rotation_asked_for_beside_what_is_not_finished_is_done_with_it() {
    let mut fixture = Fixture::new().await;
    let config =
        |day: &str| json!({ "bootstrap": bootstrap(), "rotate_when_changed": { "day": day } });
    fixture.fail("PUT", "/api/users/{id}/password", 400);
    fixture.apply(&config("1")).await;
    let first = fixture.text("token");
    let finished = fixture.apply(&config("2")).await;
    assert_eq!(finished.plan.after["token"], unknown());
    assert!(finished.diagnostics.is_empty(), "{:?}", summaries(&finished.diagnostics));
    assert_ne!(fixture.text("token"), first);
    assert!(fixture.takes(&fixture.text("token")).await);
    fixture.plan(&config("2")).await.expect_empty();
}

#[tokio::test]
async fn a_new_name_that_is_taken_is_an_error_also_while_something_is_not_finished() {
    let mut fixture = Fixture::new().await;
    fixture.simulator.state().add_account("ops", None);
    let config = |name: &str| json!({ "bootstrap": bootstrap(), "service_account_name": name });
    fixture.fail("PUT", "/api/users/{id}/password", 400);
    fixture.apply(&config("terraform")).await;
    let (token, account) = (fixture.text("token"), fixture.text("service_account_id"));
    let failure = fixture.try_apply(&config("ops")).await.unwrap_err();
    assert!(failure.says("NameTaken"), "{failure}");
    assert_eq!(fixture.text("service_account_name"), "terraform");

    let finished = fixture.apply(&config("terraform")).await;
    assert!(finished.diagnostics.is_empty(), "{:?}", summaries(&finished.diagnostics));
    assert_eq!((fixture.text("token"), fixture.text("service_account_id")), (token, account));
    fixture.plan(&config("terraform")).await.expect_empty();
}
