//! Rotation, rename, a new URL, a token that is refused.

use serde_json::json;
use terdut_tests::host::Action;

use crate::fixture::{Fixture, MAIN, SERVER, accounts, keys, simulator, unknown};

#[tokio::test]
async fn the_previous_key_lives_until_the_next_rotation() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = |day: &str| json!({ "admin_token_wo": admin.token(), "rotate_when_changed": { "day": day } });
    fixture.apply(&config("1")).await;
    let (first, account) = (fixture.text("token"), fixture.text("service_account_id"));
    let rotated = fixture.apply(&config("2")).await;
    rotated.plan.expect(Action::Update);
    for name in ["token", "token_key_id", "previous_key_id"] {
        assert_eq!(rotated.plan.after[name], unknown(), "{name}");
    }
    assert_eq!(rotated.plan.after["service_account_id"], json!(account));
    let second = fixture.text("token");
    assert!(fixture.takes(&first).await && fixture.takes(&second).await);
    fixture.plan(&config("2")).await.expect_empty();

    fixture.apply(&config("3")).await;
    assert!(!fixture.takes(&first).await);
    assert!(fixture.takes(&second).await && fixture.takes(&fixture.text("token")).await);
    assert_eq!(keys(&admin, &account).await.len(), 2);
}

#[tokio::test]
async fn watched_values_from_or_to_nothing_change_nothing_on_the_server() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = |watched: serde_json::Value| json!({ "admin_token_wo": admin.token(), "rotate_when_changed": watched });
    fixture.apply(&config(json!(null))).await;
    let token = fixture.text("token");
    for watched in [json!({ "day": "1" }), json!({}), json!({ "day": "2" }), json!(null)] {
        let applied = fixture.apply(&config(watched.clone())).await;
        applied.plan.expect(Action::Update);
        assert_eq!(applied.plan.changed(), ["rotate_when_changed"], "{watched}");
        assert_eq!(fixture.text("token"), token);
    }
}

#[tokio::test]
async fn a_watched_value_that_is_not_known_yet_rotates() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = |day: serde_json::Value| {
        let watched = json!({ "day": day });
        let handed = json!({ "admin_token_wo": admin.token(), "rotate_when_changed": watched });
        fixture_config(&fixture.base(), &handed)
    };
    let (one, open, two) = (config(json!("1")), config(unknown()), config(json!("2")));
    fixture.world.apply(MAIN, SERVER, &one).await.unwrap();
    let first = fixture.text("token");
    fixture.world.apply_resolved(MAIN, SERVER, &open, &two).await.unwrap();
    assert_ne!(fixture.text("token"), first);
}

fn fixture_config(base: &str, attributes: &serde_json::Value) -> serde_json::Value {
    let mut config = attributes.clone();
    config["url"] = json!(base);
    config
}

#[tokio::test]
async fn a_rename_makes_a_new_account_and_the_old_one_goes_at_the_next_rotation() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = |name: &str, day: &str| {
        json!({
            "admin_token_wo": admin.token(),
            "service_account_name": name,
            "rotate_when_changed": { "day": day },
        })
    };
    fixture.apply(&config("one", "1")).await;
    let first = fixture.text("token");
    let renamed = fixture.apply(&config("two", "1")).await;
    renamed.plan.expect(Action::Update);
    assert_eq!(renamed.plan.after["service_account_id"], unknown());
    assert!(fixture.takes(&first).await && fixture.takes(&fixture.text("token")).await);
    assert_eq!(accounts(&admin, "one").await.len(), 1);
    fixture.plan(&config("two", "1")).await.expect_empty();

    fixture.apply(&config("two", "2")).await;
    assert!(accounts(&admin, "one").await.is_empty());
    assert!(!fixture.takes(&first).await);
    assert_eq!(accounts(&admin, "two").await.len(), 1);
}

#[tokio::test]
async fn a_rename_without_an_admin_key_is_refused_at_plan() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    fixture.apply(&json!({ "admin_token_wo": admin.token() })).await;
    let failure = fixture.try_plan(&json!({ "service_account_name": "two" })).await.unwrap_err();
    assert_eq!(failure.paths(), ["service_account_name"]);
    assert!(failure.says("admin_token_wo or admin_token"), "{failure}");
}

#[tokio::test]
async fn a_token_that_the_server_refuses_is_kept_marked_and_minted_anew() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    fixture.apply(&json!({ "admin_token_wo": admin.token() })).await;
    let (old, account) = (fixture.text("token"), fixture.text("service_account_id"));
    let key = fixture.text("token_key_id");
    admin.delete(&format!("/api/service-accounts/{account}/keys/{key}")).await;

    let failure = fixture.try_plan(&json!({})).await.unwrap_err();
    assert!(failure.says("admin_token_wo or admin_token"), "{failure}");
    fixture.world.refresh(MAIN).await.unwrap();
    assert_eq!(fixture.text("token"), old, "the state is kept");

    let config = json!({ "admin_token": admin.token() });
    let minted = fixture.apply(&config).await;
    assert!(minted.plan.warns("refuses the stored token"), "{:?}", minted.plan.diagnostics);
    assert_eq!(minted.plan.after["token"], unknown());
    assert!(fixture.takes(&fixture.text("token")).await);
    assert_eq!(fixture.text("service_account_id"), account);
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn an_account_deleted_outside_is_made_again() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = json!({ "admin_token": admin.token() });
    fixture.apply(&config).await;
    let account = fixture.text("service_account_id");
    admin.delete(&format!("/api/service-accounts/{account}")).await;
    fixture.apply(&config).await;
    assert_ne!(fixture.text("service_account_id"), account);
    assert!(fixture.takes(&fixture.text("token")).await);
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn a_new_url_must_know_the_stored_token() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    fixture.apply(&json!({ "admin_token_wo": admin.token() })).await;
    let before = fixture.state().clone();
    let other = simulator();
    let failure = fixture.try_apply(&json!({ "url": other.url() })).await.unwrap_err();
    assert!(failure.says("Proving the key in use"), "{failure}");
    assert_eq!(fixture.state(), &before);

    let same = fixture.base().replace("127.0.0.1", "localhost");
    let moved = fixture.apply(&json!({ "url": same })).await;
    moved.plan.expect(Action::Update);
    assert_eq!(moved.plan.changed(), ["url"]);
    assert_eq!(fixture.text("id"), before["id"].as_str().unwrap());
    let slash = json!({ "url": format!("{}/", same.trim_end_matches('/')) });
    fixture.plan(&slash).await.expect_empty();
}

#[tokio::test]
async fn a_refused_rotation_leaves_the_key_in_use() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = |day: &str| json!({ "rotate_when_changed": { "day": day } });
    let mut create = config("1");
    create["admin_token_wo"] = json!(admin.token());
    fixture.apply(&create).await;
    let before = fixture.state().clone();
    fixture.fail("POST", "/api/service-accounts/{id}/keys", 403);
    let failure = fixture.try_apply(&config("2")).await.unwrap_err();
    assert!(failure.says("the key in use stays"), "{failure}");
    assert_eq!(fixture.state(), &before);
    fixture.apply(&config("2")).await.plan.expect(Action::Update);
    assert_ne!(fixture.text("token"), before["token"].as_str().unwrap());
}
