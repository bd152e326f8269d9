//! What a destroy leaves, and what it says about it.

use serde_json::json;
use terdut_simulator::Fault;

use crate::fixture::{Fixture, MAIN, accounts, bootstrap, keys};

#[tokio::test]
async fn with_an_admin_token_nothing_of_ours_is_left() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config =
        |day: &str| json!({ "admin_token": admin.token(), "rotate_when_changed": { "day": day } });
    fixture.apply(&config("1")).await;
    let first = fixture.text("token");
    fixture.apply(&config("2")).await;
    let second = fixture.text("token");
    let destroyed = fixture.world.destroy(MAIN).await.unwrap();
    assert!(destroyed.diagnostics.is_empty(), "{:?}", destroyed.diagnostics);
    assert!(accounts(&admin, "terraform").await.is_empty());
    assert!(!fixture.takes(&first).await && !fixture.takes(&second).await);
}

#[tokio::test]
async fn without_one_the_account_stays_without_our_keys_and_a_warning_names_it() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = |day: &str| json!({ "admin_token_wo": admin.token(), "rotate_when_changed": { "day": day } });
    fixture.apply(&config("1")).await;
    fixture.apply(&config("2")).await;
    let account = fixture.text("service_account_id");
    let destroyed = fixture.world.destroy(MAIN).await.unwrap();
    assert!(destroyed.warns("adopt_existing"), "{:?}", destroyed.diagnostics);
    assert!(destroyed.warns(&account), "{:?}", destroyed.diagnostics);
    assert!(keys(&admin, &account).await.is_empty());
    assert_eq!(accounts(&admin, "terraform").await.len(), 1);
}

#[tokio::test]
async fn a_kept_bootstrap_key_deletes_the_account_and_is_revoked_last() {
    let mut fixture = Fixture::new().await;
    fixture.apply(&json!({ "bootstrap": bootstrap(), "keep_bootstrap_token": true })).await;
    let (admin, token) = (fixture.text("bootstrap_token"), fixture.text("token"));
    let destroyed = fixture.world.destroy(MAIN).await.unwrap();
    assert!(destroyed.diagnostics.is_empty(), "{:?}", destroyed.diagnostics);
    assert!(!fixture.takes(&admin).await && !fixture.takes(&token).await);
}

#[tokio::test]
async fn a_key_that_is_refused_is_named_by_a_warning() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    fixture.apply(&json!({ "admin_token_wo": admin.token() })).await;
    let (account, key) = (fixture.text("service_account_id"), fixture.text("token_key_id"));
    admin.delete(&format!("/api/service-accounts/{account}/keys/{key}")).await;
    let destroyed = fixture.world.destroy(MAIN).await.unwrap();
    let told = format!("keys {key} of service account {account}");
    assert!(destroyed.warns(&told), "{:?}", destroyed.diagnostics);
}

#[tokio::test]
async fn what_an_unfinished_create_left_is_given_up() {
    let mut fixture = Fixture::new().await;
    fixture.fail("POST", "/api/service-accounts", 400);
    fixture.apply(&json!({ "bootstrap": bootstrap() })).await;
    fixture.world.destroy(MAIN).await.unwrap();
    assert!(fixture.simulator.state().keys().is_empty());
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_keeps_the_state() {
    let mut fixture = Fixture::new().await;
    fixture.world.configure(&json!({ "max_retries": 0 })).await.unwrap();
    let admin = fixture.admin().await;
    fixture.apply(&json!({ "admin_token": admin.token() })).await;
    fixture.simulator.fault(Fault::on("DELETE", "*").always().drop_before());
    fixture.world.destroy(MAIN).await.unwrap_err();
    let account = fixture.text("service_account_id");
    fixture.simulator.clear_faults();
    fixture.world.destroy(MAIN).await.unwrap();
    assert!(fixture.world.addresses().is_empty(), "{account}");
    assert!(accounts(&admin, "terraform").await.is_empty());
}
