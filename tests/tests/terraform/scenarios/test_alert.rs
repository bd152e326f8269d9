//! The action `terdut_send_test_alert`: after a source was made, and when a person asks for it.

use terdut_tests::harness::Program;

use crate::scene::Scene;

const CONFIG: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
resource "terdut_alert_source" "main" {
  team_id = terdut_team.main.id
  name    = "prod"
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.terdut_send_test_alert.main]
    }
  }
}
action "terdut_send_test_alert" "main" {
  config {
    webhook_url = terdut_alert_source.main.webhook_url
    labels      = { severity = "critical" }
    summary     = "Does an alert arrive?"
    resolve     = true
  }
}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_is_sent_after_a_source_is_made_and_when_it_is_asked_for() {
    for program in &Program::with_query_and_actions() {
        let mut scene = Scene::start(program).await;
        scene.workspace.set_env("TF_LOG_PROVIDER", "TRACE");
        scene.workspace.set_env("TF_LOG_PATH", "trace.log");
        scene.configure(CONFIG);
        scene.workspace.init().await;
        let planned = scene.workspace.plan().await;
        let mut said = planned.text.clone();
        said += &scene.workspace.apply_plan().await.expect_ok().text();
        for step in ["Sending test alert", "Accepted", "as incident", "Resolved"] {
            assert!(said.contains(step), "{step}: {said}");
        }
        let alerts = scene.simulator.state().alerts();
        assert_eq!(alerts.len(), 1);
        assert_eq!(alerts[0].labels["severity"], "critical");
        scene.workspace.plan().await.expect_empty();
        let invoke = "-invoke=action.terdut_send_test_alert.main";
        said += &scene.workspace.try_apply(&[invoke]).await.expect_ok().text();
        let alerts = scene.simulator.state().alerts();
        assert_eq!(alerts.len(), 2, "{said}");
        assert!(alerts.iter().all(|alert| alert.status == "resolved"), "{alerts:?}");
        let state = scene.workspace.state().await;
        let log = scene.workspace.file("trace.log");
        for secret in ["key", "webhook_url"] {
            let secret =
                state.value("terdut_alert_source.main", secret).as_str().expect("a secret");
            assert!(!said.contains(secret), "{said}");
            let ours = log.lines().find(|line| line.contains(secret));
            assert_eq!(ours, None, "a secret is in the trace");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_that_nobody_takes_fails_the_apply_and_loses_no_source() {
    for program in &Program::with_query_and_actions() {
        let scene = Scene::start(program).await;
        scene.configure(CONFIG);
        scene.workspace.init().await;
        let route = "/api/integrations/{key}/alertmanager";
        let refuses = terdut_simulator::Fault::on("POST", route).always();
        scene.simulator.fault(refuses.error(400, "no such label"));
        let error = scene.workspace.try_apply(&[]).await.expect_error();
        assert!(error.contains("not accepted") && error.contains("no such label"), "{error}");
        scene.simulator.clear_faults();
        scene.workspace.plan().await.expect_empty();
    }
}
