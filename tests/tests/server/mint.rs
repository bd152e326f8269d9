//! From a key that is handed in, and from an account that exists.

use serde_json::json;
use terdut_simulator::Logged;
use terdut_tests::host::{Action, Profile};

use crate::fixture::{Fixture, accounts, keys, unknown};

#[tokio::test]
async fn a_write_only_admin_token_mints_and_a_new_version_mints_again() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = |version: i64| json!({ "admin_token_wo": admin.token(), "admin_token_wo_version": version });
    let created = fixture.apply(&config(1)).await;
    assert_eq!(created.state["bootstrapped"], json!(false));
    let first = fixture.text("token");
    fixture.plan(&config(1)).await.expect_empty();

    let minted = fixture.apply(&config(2)).await;
    minted.plan.expect(Action::Update);
    assert_eq!(minted.plan.after["token"], unknown());
    assert_eq!(minted.plan.after["service_account_id"], created.state["service_account_id"]);
    assert_eq!(minted.state["previous_key_id"], created.state["token_key_id"]);
    assert_ne!(fixture.text("token"), first);
    assert!(fixture.takes(&first).await && fixture.takes(&fixture.text("token")).await);
    fixture.plan(&config(2)).await.expect_empty();
}

#[tokio::test]
async fn the_stateful_twin_rotates_only_when_it_replaces_another() {
    for profile in [Profile::modern(), Profile::terraform_1_5()] {
        let mut fixture = Fixture::played_by(profile).await;
        let admin = fixture.admin().await;
        let other = admin.post("/api/users/1/api-keys", &json!({ "name": "other" })).await;
        let config = |token: &str| json!({ "admin_token": token });
        fixture.apply(&config(admin.token())).await;
        fixture.plan(&config(admin.token())).await.expect_empty();
        let first = fixture.text("token");
        let other = other["key"].as_str().unwrap();
        fixture.apply(&config(other)).await;
        assert_ne!(fixture.text("token"), first);

        let second = fixture.text("token");
        let count = fixture.simulator.requests().len();
        fixture.apply(&json!({})).await.plan.expect(Action::Update);
        let back = fixture.apply(&config(admin.token())).await;
        assert_eq!(back.plan.changed(), ["admin_token"]);
        assert_eq!(fixture.text("token"), second);
        // Refreshes only.
        let since = fixture.simulator.requests().split_off(count);
        assert!(!since.iter().any(Logged::writes), "{since:?}");
    }
}

#[tokio::test]
async fn a_host_without_write_only_attributes_is_told_of_the_twin() {
    let mut fixture = Fixture::played_by(Profile::terraform_1_5()).await;
    let admin = fixture.admin().await;
    let config = json!({ "admin_token_wo": admin.token() });
    let failure = fixture.try_apply(&config).await.unwrap_err();
    assert!(failure.says("admin_token_wo"), "{failure}");
    assert!(!failure.says(admin.token()), "{failure}");
    assert!(fixture.world.addresses().is_empty());
}

#[tokio::test]
async fn without_any_source_the_plan_says_which_there_are() {
    let fixture = Fixture::new().await;
    let failure = fixture.try_plan(&json!({})).await.unwrap_err();
    assert!(failure.says("Set bootstrap, admin_token_wo or admin_token"), "{failure}");
}

#[tokio::test]
async fn every_bad_value_is_told_in_one_run() {
    let fixture = Fixture::new().await;
    let config = json!({
        "url": "ftp://terdut.example.org",
        "admin_token": "a",
        "bootstrap": { "username": " ", "email": "root", "password": "b" },
        "service_account_name": "a\nb",
        "timeouts": { "create": "25h" },
    });
    let failure = fixture.world.plan("terdut_server.main", "terdut_server", &config).await;
    let failure = failure.unwrap_err();
    let paths = failure.paths();
    for path in [
        "url",
        "bootstrap",
        "bootstrap.username",
        "bootstrap.email",
        "service_account_name",
        "timeouts.create",
    ] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
}

#[tokio::test]
async fn an_account_that_exists_is_used_only_if_that_is_allowed() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let body = json!({ "name": "terraform", "scope": "instance" });
    let account = admin.id_of("/api/service-accounts", &body).await.to_string();
    let config = json!({ "admin_token_wo": admin.token() });
    let failure = fixture.try_apply(&config).await.unwrap_err();
    assert!(failure.says("adopt_existing = true"), "{failure}");
    assert!(failure.says(&format!("id {account}")), "{failure}");
    assert_eq!(keys(&admin, &account).await.len(), 1);

    let config = json!({ "admin_token_wo": admin.token(), "adopt_existing": true });
    fixture.apply(&config).await;
    assert_eq!(fixture.text("service_account_id"), account);
    assert_eq!(keys(&admin, &account).await.len(), 2);
    fixture.world.destroy("terdut_server.main").await.unwrap();
    assert_eq!(keys(&admin, &account).await.len(), 1, "only ours is revoked");
    assert_eq!(accounts(&admin, "terraform").await.len(), 1);
}

#[tokio::test]
async fn the_providers_own_url_and_token_are_never_used() {
    let mut fixture = Fixture::new().await;
    let provider = json!({ "url": "http://127.0.0.1:9", "token": "the-providers-own-token" });
    fixture.world.configure(&provider).await.unwrap();
    let admin = fixture.admin().await;
    fixture.apply(&json!({ "admin_token_wo": admin.token() })).await;
    assert!(fixture.takes(&fixture.text("token")).await);
}

#[tokio::test]
async fn unknown_provider_settings_do_not_keep_a_server_from_being_set_up() {
    let mut fixture = Fixture::new().await;
    let provider = json!({ "url": unknown(), "token": unknown() });
    fixture.world.configure(&provider).await.unwrap();
    let admin = fixture.admin().await;
    let config = json!({ "admin_token_wo": admin.token() });
    fixture.apply(&config).await;
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn an_instance_key_mints_on_its_own_account_and_makes_none() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let body = json!({ "name": "ops", "scope": "instance" });
    let made = admin.post("/api/service-accounts", &body).await;
    let instance = made["key"]["key"].as_str().unwrap();
    let failure = fixture.try_apply(&json!({ "admin_token_wo": instance })).await.unwrap_err();
    assert!(failure.says("Hand in an admin key"), "{failure}");
    assert!(fixture.world.addresses().is_empty());

    let config = json!({
        "admin_token_wo": instance,
        "service_account_name": "ops",
        "adopt_existing": true,
    });
    fixture.apply(&config).await;
    assert_eq!(fixture.text("service_account_id"), made["id"].to_string());
    assert_ne!(fixture.text("token"), instance);
    fixture.plan(&config).await.expect_empty();
    fixture.world.destroy("terdut_server.main").await.unwrap();
    assert!(fixture.takes(instance).await, "a key that was handed in is not ours to revoke");
}
