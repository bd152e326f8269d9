//! Import by URL and by identity.

use serde_json::json;
use terdut_simulator::{Fault, Logged};
use terdut_tests::host::{Action, ImportBy};

use crate::fixture::{Fixture, MAIN, SERVER, accounts, bootstrap, keys, unknown};

#[tokio::test]
async fn an_import_asks_only_for_the_servers_health_and_warns_once() {
    let mut fixture = Fixture::new().await;
    let base = fixture.base();
    let warnings = fixture.world.import(MAIN, SERVER, ImportBy::Id(&base)).await.unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].says("admin_token_wo_version"), "{warnings:?}");
    let asked = fixture.simulator.requests();
    assert!(asked.iter().all(|request| request.route == "/healthz"), "{asked:?}");
    let state = fixture.state().as_object().unwrap();
    let set: Vec<_> = state.iter().filter(|(_, value)| !value.is_null()).collect();
    assert_eq!(set.len(), 2, "{set:?}");
    let plan = fixture.plan(&json!({})).await;
    plan.expect_empty();
    assert!(!plan.warns("admin_token_wo_version"), "{:?}", plan.diagnostics);
}

#[tokio::test]
async fn what_the_api_does_not_hold_is_one_update_without_a_call() {
    let mut fixture = Fixture::new().await;
    let base = fixture.base();
    let identity = json!({ "url": base });
    fixture.world.import(MAIN, SERVER, ImportBy::Identity(&identity)).await.unwrap();
    let config = json!({
        "bootstrap": bootstrap(),
        "service_account_name": "ops",
        "rotate_when_changed": { "day": "1" },
        "adopt_existing": true,
        "timeouts": { "create": "1m" },
    });
    fixture.apply(&config).await.plan.expect(Action::Update);
    let asked = fixture.simulator.requests();
    assert!(asked.iter().all(|request| request.route == "/healthz"), "{asked:?}");
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn a_key_handed_in_after_an_import_mints_one() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let base = fixture.base();
    fixture.world.import(MAIN, SERVER, ImportBy::Id(&base)).await.unwrap();
    let config = json!({ "admin_token_wo": admin.token(), "admin_token_wo_version": 1 });
    let minted = fixture.apply(&config).await;
    minted.plan.expect(Action::Update);
    assert_eq!(minted.plan.after["token"], unknown());
    assert!(fixture.takes(&fixture.text("token")).await);
    assert!(minted.state["bootstrapped"].is_null());
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn an_account_that_was_made_after_an_import_is_finished_by_the_next_apply() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let base = fixture.base();
    fixture.world.import(MAIN, SERVER, ImportBy::Id(&base)).await.unwrap();
    let lost = Fault::on("POST", "/api/service-accounts").drop_after();
    let refused = Fault::on("POST", "/api/service-accounts/{id}/keys").error(403, "not now");
    fixture.simulator.fault(lost);
    fixture.simulator.fault(refused);
    let config = json!({ "admin_token_wo": admin.token(), "admin_token_wo_version": 1 });
    let failure = fixture.try_apply(&config).await.unwrap_err();
    assert!(failure.says("not now"), "{failure}");

    fixture.apply(&config).await;
    let accounts = accounts(&admin, "terraform").await;
    assert_eq!(accounts.len(), 1);
    assert!(fixture.takes(&fixture.text("token")).await);
    let account = fixture.text("service_account_id");
    assert_eq!(keys(&admin, &account).await, [fixture.text("token_key_id")]);
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn a_kept_bootstrap_key_cannot_come_after_an_import() {
    let mut fixture = Fixture::new().await;
    let base = fixture.base();
    fixture.world.import(MAIN, SERVER, ImportBy::Id(&base)).await.unwrap();
    let config = json!({ "keep_bootstrap_token": true });
    let applied = fixture.apply(&config).await;
    assert!(applied.plan.warns("bootstrap_token stays null"), "{:?}", applied.plan.diagnostics);
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn what_is_no_url_is_refused() {
    let mut fixture = Fixture::new().await;
    let failure = fixture.world.import(MAIN, SERVER, ImportBy::Id("42")).await.unwrap_err();
    assert!(failure.says("imported by its URL"), "{failure}");
}

#[tokio::test]
async fn a_destroy_after_an_import_touches_nothing() {
    let mut fixture = Fixture::new().await;
    let base = fixture.base();
    fixture.world.import(MAIN, SERVER, ImportBy::Id(&base)).await.unwrap();
    fixture.world.destroy(MAIN).await.unwrap();
    let asked = fixture.simulator.requests();
    assert!(!asked.iter().any(Logged::writes), "{asked:?}");
}
