//! Processes that break a host's rules are refused by name, so that the suites prove something.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;
use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Profile};

/// A script that runs the example provider as `"$REAL"` in some bad way.
async fn lives_as(script: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path: PathBuf = folder.path().join("provider.sh");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("a script that runs");
    let real = Binary::test_provider("corner").path().display().to_string();
    let binary = Binary::at(path).with_env("REAL", &real);
    let host = Host::start(&binary, Profile::modern()).await;
    host.session().configure(&json!({})).await.expect("no setting is required");
    host.shutdown().await;
}

#[tokio::test]
async fn a_script_around_a_good_provider_is_good() {
    lives_as(r#""$REAL""#).await;
}

#[tokio::test]
#[should_panic(expected = "Handshake")]
async fn another_protocol_is_refused() {
    lives_as(r#"echo "1|5|unix|/nowhere|grpc|""#).await;
}

#[tokio::test]
#[should_panic(expected = "Handshake")]
async fn a_line_before_the_handshake_is_refused() {
    lives_as(r#"echo "hello"; "$REAL""#).await;
}

#[tokio::test]
#[should_panic(expected = "Handshake")]
async fn a_handshake_without_the_certificate_is_refused() {
    lives_as(r#"unset PLUGIN_CLIENT_CERT; "$REAL""#).await;
}

#[tokio::test]
#[should_panic(expected = "host rule Stdout")]
async fn more_on_stdout_is_refused() {
    lives_as(r#""$REAL"; echo "more""#).await;
}

#[tokio::test]
#[should_panic(expected = "host rule LogLine")]
async fn a_log_line_of_another_form_is_refused() {
    lives_as(r#"echo "plain words" >&2; "$REAL""#).await;
}

#[tokio::test]
#[should_panic(expected = "host rule Shutdown")]
async fn a_process_that_does_not_end_is_refused() {
    lives_as(r#""$REAL"; exec sleep 4"#).await;
}

#[tokio::test]
#[should_panic(expected = "host rule Shutdown")]
async fn a_process_that_ends_badly_is_refused() {
    lives_as(r#""$REAL"; exit 3"#).await;
}
