//! Keys and passwords stay where they belong.

use serde_json::json;
use terdut_tests::harness::{Api, Binary};
use terdut_tests::host::{Host, Profile, World};

use crate::fixture::{MAIN, SERVER, simulator};

const PASSWORD: &str = "canary-password-4711";

#[tokio::test]
async fn no_write_only_value_is_in_state_plan_private_data_or_log() {
    let binary = Binary::provider().with_env("TF_LOG", "TRACE");
    let host = Host::start(&binary, Profile::modern()).await;
    let session = host.session().clone();
    let mut world = World::over(session);
    world.configure(&json!({})).await.unwrap();
    let simulator = simulator();
    let person =
        json!({ "username": "root", "email": "root@example.org", "password_wo": PASSWORD });
    let config = json!({
        "url": simulator.url(),
        "bootstrap": person,
        "keep_bootstrap_token": true,
    });
    let created = world.apply(MAIN, SERVER, &config).await.unwrap();
    let admin = created.state["bootstrap_token"].as_str().unwrap().to_owned();
    let token = created.state["token"].as_str().unwrap().to_owned();
    assert!(created.state["bootstrap"]["password_wo"].is_null());

    let key = Api::new(simulator.url(), &admin)
        .post("/api/users/1/api-keys", &json!({ "name": "handed in" }))
        .await["key"]
        .as_str()
        .unwrap()
        .to_owned();
    let config = json!({
        "url": simulator.url(),
        "admin_token_wo": key,
        "admin_token_wo_version": 1,
        "keep_bootstrap_token": true,
    });
    let minted = world.apply(MAIN, SERVER, &config).await.unwrap();
    let texts = [
        created.state.to_string(),
        created.plan.after.to_string(),
        minted.state.to_string(),
        minted.plan.after.to_string(),
        String::from_utf8_lossy(world.private(MAIN).unwrap()).into_owned(),
    ];
    for text in &texts {
        assert!(!text.contains(PASSWORD) && !text.contains(&key), "{text}");
    }
    let log = host.logs().join("\n");
    assert!(log.contains("/api/service-accounts"), "the log shows requests");
    for secret in [PASSWORD, &key, &admin, &token] {
        assert!(!log.contains(secret), "{log}");
    }
    host.shutdown().await;
}
