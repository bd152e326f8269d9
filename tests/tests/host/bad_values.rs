//! Every bad value is reported in one run, each at its path.

use serde_json::{Value as Json, json};

use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Profile};

async fn refused(type_name: &str, config: &Json, paths: &[&str]) {
    let host = Host::start(&Binary::provider(), Profile::modern()).await;
    let failure = host.session().validate(type_name, config).await.expect_err("it is invalid");
    assert_eq!(failure.paths(), paths, "{failure}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_team_without_a_name() {
    refused("terdut_team", &json!({ "name": " " }), &["name"]).await;
}

#[tokio::test]
async fn a_rule_with_everything_wrong() {
    let config = json!({
        "team_id": "x", "repeat_count": 101, "levels": [
            { "timeout": "soon", "targets": [{ "kind": "oncall", "username": "ada" }] },
            { "timeout": "10s", "targets": [{ "kind": "user" }, { "kind": "team" }] },
            { "timeout": "5m", "targets": [] },
        ]
    });
    let paths = [
        "levels[0].targets[0].username",
        "levels[0].timeout",
        "levels[1].targets[0].username",
        "levels[1].targets[1].kind",
        "levels[1].timeout",
        "levels[2].targets",
        "repeat_count",
        "team_id",
    ];
    refused("terdut_escalation_rule", &config, &paths).await;
}

#[tokio::test]
async fn a_rule_with_too_many_levels() {
    let level = json!({ "timeout": "5m", "targets": [{ "kind": "oncall" }] });
    let config = json!({ "team_id": "1", "levels": vec![level; 21] });
    refused("terdut_escalation_rule", &config, &["levels"]).await;
}

#[tokio::test]
async fn a_switch_with_everything_wrong() {
    let config = json!({
        "team_id": "0x", "name": "", "matcher": "no equals sign", "timeout": "10s", "severity": "Very Bad"
    });
    let paths = ["matcher", "name", "severity", "team_id", "timeout"];
    refused("terdut_deadman_switch", &config, &paths).await;
}

#[tokio::test]
async fn an_account_whose_scope_does_not_fit() {
    refused("terdut_service_account", &json!({ "name": "a", "scope": "world" }), &["scope"]).await;
    refused("terdut_service_account", &json!({ "name": "a", "scope": "team" }), &["team_id"]).await;
    let config = json!({ "name": "a", "scope": "instance", "team_id": "1" });
    refused("terdut_service_account", &config, &["team_id"]).await;
}

#[tokio::test]
async fn ids_and_texts_that_the_server_would_give_back_in_another_form() {
    let config = json!({ "name": "a", "team_id": "042" });
    refused("terdut_alert_source", &config, &["team_id"]).await;
    let oidc = json!({ "member_group": "ops ", "owner_group": " leads" });
    let paths = ["oidc.member_group", "oidc.owner_group"];
    refused("terdut_team", &json!({ "name": "a", "oidc": oidc }), &paths).await;
}

#[tokio::test]
async fn settings_with_everything_wrong() {
    let host = Host::start(&Binary::provider(), Profile::modern()).await;
    let config = json!({
        "url": "ftp://example.org", "ca_certificate": "-----BEGIN NONSENSE-----",
        "request_timeout": "soon", "max_concurrency": 0
    });
    let failure = host.session().validate_provider(&config).await.expect_err("it is invalid");
    let paths = ["ca_certificate", "max_concurrency", "request_timeout", "url"];
    assert_eq!(failure.paths(), paths, "{failure}");
    host.shutdown().await;
}

#[tokio::test]
async fn timeouts_out_of_bounds() {
    let config = json!({ "name": "a", "timeouts": { "create": "500ms", "update": "25h" } });
    refused("terdut_team", &config, &["timeouts.create", "timeouts.update"]).await;
}

#[tokio::test]
async fn what_may_still_turn_out_right_is_not_refused() {
    let host = Host::start(&Binary::provider(), Profile::modern()).await;
    let unknown = json!({ "$unknown": true });
    for target in [
        json!({ "kind": "oncall", "username": unknown }),
        json!({ "kind": "user", "username": unknown }),
        json!({ "kind": unknown, "username": "ada" }),
        json!({ "kind": unknown }),
        unknown.clone(),
    ] {
        let levels = json!([{ "timeout": unknown, "targets": [target] }]);
        let config = json!({ "team_id": unknown, "levels": levels });
        let judged = host.session().validate("terdut_escalation_rule", &config).await;
        judged.unwrap_or_else(|failure| panic!("{target}: {failure}"));
    }
    host.shutdown().await;
}
