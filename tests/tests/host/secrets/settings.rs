//! Settings that are bad, and hold what must not be repeated.

use serde_json::json;
use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Profile};

use crate::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn no_setting_is_repeated_when_it_is_bad() {
    let scene = Scene::start().await;
    let canary = "setting-canary-4711";
    for (setting, value) in [
        ("token", json!(format!("{canary}\n"))),
        ("token", json!(format!("{canary}\u{e9}"))),
        ("client_key", json!(format!("-----BEGIN PRIVATE KEY-----\n{canary}"))),
        ("proxy", json!(format!("http://user:{canary}@["))),
        ("proxy", json!(format!("gopher://user:{canary}@host"))),
        ("headers", json!({ "X-Gate": format!("{canary}\n") })),
        ("headers", json!({ "bad name": canary })),
    ] {
        let mut settings = scene.settings();
        settings[setting] = value;
        let told = scene.world.session().validate_provider(&settings).await;
        let told = told.map(|warnings| format!("{warnings:?}"));
        let told = told.unwrap_or_else(|failure| failure.to_string());
        assert!(!told.contains("canary"), "{setting}: {told}");
    }
    for variable in ["TERDUT_HEADERS", "TERDUT_PROXY", "TERDUT_CLIENT_KEY", "TERDUT_MAX_RETRIES"] {
        let binary = Binary::provider().with_env(variable, &format!("\"{canary}"));
        let host = Host::start(&binary, Profile::modern()).await;
        let told = host.session().validate_provider(&json!({})).await;
        let told = told.map(|warnings| format!("{warnings:?}"));
        let told = told.unwrap_or_else(|failure| failure.to_string());
        // What is no secret may be shown.
        assert_eq!(told.contains("canary"), variable == "TERDUT_MAX_RETRIES", "{told}");
        host.shutdown().await;
    }
    scene.world.close().await;
}
