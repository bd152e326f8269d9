//! A test alert through a source's webhook: what the server gets, what people read, and that the
//! key in the URL is nowhere but there.

use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_simulator::{Fault, FaultBody, Options, Simulator};
use terdut_tests::harness::wait_for;
use terdut_tests::host::Invoked;

use crate::scene::{ADDRESS, Scene};

const TEST: &str = "terdut_send_test_alert";
const WEBHOOK: &str = "/api/integrations/{key}/alertmanager";

/// A source of the provider's own, as a configuration has it beside the action.
async fn webhook(scene: &mut Scene) -> String {
    let kind = scene.kind("terdut_alert_source");
    let state = scene.settle(&kind, &kind.full).await;
    assert!(scene.world.state(ADDRESS).is_some());
    state["webhook_url"].as_str().expect("a URL").to_owned()
}

fn with(url: &str, more: &Json) -> Json {
    let mut config = json!({ "webhook_url": url, "timeout": "5s" });
    for (name, value) in more.as_object().into_iter().flatten() {
        config[name] = value.clone();
    }
    config
}

/// Plans it as while the source is not there yet, then as it is, and invokes it.
async fn act(scene: &Scene, config: &Json) -> Invoked {
    let session = scene.world.session();
    let mut open = config.clone();
    open["webhook_url"] = json!({ "$unknown": true });
    session.plan_action(TEST, &open).await.expect("a plan before the source is there");
    let warnings = session.plan_action(TEST, config).await.expect("a plan");
    assert!(warnings.is_empty(), "{warnings:?}");
    session.invoke(TEST, config).await
}

#[track_caller]
fn good(invoked: Invoked) -> Vec<String> {
    match invoked.outcome {
        Ok(warnings) => assert!(warnings.is_empty(), "{warnings:?}"),
        Err(failure) => panic!("{failure}: {:?}", invoked.messages),
    }
    invoked.messages
}

fn says(messages: &[String], texts: &[&str]) {
    assert_eq!(messages.len(), texts.len(), "{messages:?}");
    for (message, text) in messages.iter().zip(texts) {
        assert!(message.contains(text), "{message:?} instead of {text:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_arrives_with_its_labels_and_fires() {
    let mut scene = Scene::start().await;
    let url = webhook(&mut scene).await;
    let more = json!({
        "labels": { "severity": "critical", "cluster": "prod" },
        "annotations": { "runbook": "https://wiki" },
        "summary": "Only a test",
    });
    let messages = good(act(&scene, &with(&url, &more)).await);
    says(&messages, &["Sending test alert", "Accepted", "as incident"]);
    let alerts = scene.simulator.state().alerts();
    let [alert] = alerts.as_slice() else { panic!("{alerts:?}") };
    assert_eq!((&alert.name[..], &alert.status[..]), ("TerdutTestAlert", "firing"));
    assert_eq!((&alert.labels["severity"][..], &alert.labels["cluster"][..]), ("critical", "prod"));
    assert_eq!(alert.annotations["summary"], "Only a test");
    assert_eq!(alert.annotations["runbook"], "https://wiki");
    assert!(messages[0].contains(&alert.labels["terdut_test"]), "{messages:?}");
    // The key in the path is the only one that goes there.
    let sent = scene.simulator.requests().into_iter().find(|seen| seen.route == WEBHOOK);
    assert!(sent.is_some_and(|sent| sent.status == Some(200)));
    // Another one is another alert.
    good(act(&scene, &with(&url, &json!({}))).await);
    assert_eq!(scene.simulator.state().alerts().len(), 2);
    assert_eq!(scene.simulator.state().incidents().len(), 2);
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_is_resolved_where_that_is_asked_for() {
    let mut scene = Scene::start().await;
    let url = webhook(&mut scene).await;
    let messages = good(act(&scene, &with(&url, &json!({ "resolve": true }))).await);
    says(&messages, &["Sending", "Accepted", "Fires", "Resolved"]);
    let state = scene.simulator.state();
    assert!(state.alerts().iter().all(|alert| alert.status == "resolved"));
    assert!(state.incidents().iter().all(|incident| incident.status == "resolved"));
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_at_once_is_tried_again() {
    let mut scene = Scene::start().await;
    let url = webhook(&mut scene).await;
    scene.simulator.fault(Fault::on("POST", WEBHOOK).error(503, "starting"));
    scene.simulator.fault(Fault::on("POST", WEBHOOK).drop_after());
    let messages = good(act(&scene, &with(&url, &json!({}))).await);
    says(&messages, &["Sending", "trying again", "trying again", "Accepted", "Fires"]);
    assert!(messages[1].contains("starting"), "{messages:?}");
    assert_eq!(scene.simulator.state().alerts().len(), 1, "sent again, it is the same alert");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_not_read_alerts_is_told_that_it_was_not_looked_for() {
    let mut scene = Scene::start().await;
    let url = webhook(&mut scene).await;
    let config = with(&url, &json!({}));
    scene.simulator.fault(Fault::on("GET", "/api/alerts").error(403, "not in your scope"));
    let messages = good(act(&scene, &config).await);
    says(&messages, &["Sending", "Accepted", "Not looked for on the server"]);
    assert!(messages[2].contains("not in your scope"), "{messages:?}");
    // Without settings the webhook is all that is needed.
    scene.world.configure(&json!({})).await.expect("nothing is required");
    let messages = good(act(&scene, &config).await);
    assert!(messages[2].contains("no url and token"), "{messages:?}");
    // And another server's provider knows nothing of it, nor do its headers go there.
    let other = Simulator::start(Options::default());
    let elsewhere = json!({
        "url": other.url(), "token": "t0ken-of-another-server", "headers": { "X-Gate": "canary" }
    });
    scene.world.configure(&elsewhere).await.expect("the settings are good");
    let messages = good(act(&scene, &config).await);
    assert!(messages[2].contains("another server"), "{messages:?}");
    assert!(other.requests().is_empty());
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_that_does_not_come_up_fails_and_is_still_resolved() {
    let mut scene = Scene::start().await;
    let url = webhook(&mut scene).await;
    let none = FaultBody::Json(json!([]));
    scene.simulator.fault(Fault::on("GET", "/api/alerts").always().answer(200, none));
    let more = json!({ "resolve": true, "timeout": "1s" });
    let invoked = act(&scene, &with(&url, &more)).await;
    let failure = invoked.outcome.expect_err("it did not come up");
    assert!(failure.says("did not come up") && failure.says("timeout (1s)"), "{failure}");
    says(&invoked.messages, &["Sending", "Accepted", "Resolved"]);
    assert_eq!(scene.simulator.state().alerts()[0].status, "resolved");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_brings_the_key_into_anything_that_is_said() {
    let mut scene = Scene::start().await;
    let url = webhook(&mut scene).await;
    let key = scene.world.state(ADDRESS).expect("a state")["key"].as_str().unwrap().to_owned();
    // A process that has seen the URL in no answer.
    scene.restart(terdut_tests::host::Profile::modern()).await;
    let config = with(&url, &json!({ "timeout": "1s" }));
    for status in [200, 301, 400, 401, 404, 409, 429, 500, 503] {
        for body in [
            FaultBody::Json(json!({ "error": format!("no: {url} {key}") })),
            FaultBody::Text(format!("no: {url} {key}")),
            FaultBody::Html(format!("<title>{key}</title>")),
        ] {
            scene.simulator.fault(Fault::on("*", "*").always().answer(status, body));
            let invoked = scene.world.session().invoke(TEST, &config).await;
            let said = format!("{:?} {:?}", invoked.messages, invoked.outcome);
            assert!(!said.contains(&key) && !said.contains(&url), "{status}: {said}");
            scene.simulator.clear_faults();
        }
    }
    // The log is judged when the process ends.
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_is_no_more_is_an_error_that_says_what_to_look_at() {
    let mut scene = Scene::start().await;
    let url = webhook(&mut scene).await;
    scene.world.destroy(ADDRESS).await.expect("a destroy");
    let config = with(&url, &json!({ "resolve": true }));
    let invoked = scene.world.session().invoke(TEST, &config).await;
    let failure = invoked.outcome.expect_err("nobody takes it");
    assert!(failure.says("not accepted") && failure.says("webhook_url"), "{failure}");
    says(&invoked.messages, &["Sending"]);
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_test_alert_is_told_in_one_go() {
    let scene = Scene::start().await;
    let session = scene.world.session().clone();
    let bad = json!({
        "webhook_url": "https://user:canary-0815@host/x",
        "labels": { "a-b": "c", "alertname": " ", "terdut_test": "x" },
        "annotations": { "summary": "one" },
        "summary": "two",
        "timeout": "0s",
    });
    let failure = session.validate_action(TEST, &bad).await.expect_err("nothing is good");
    let expected = [
        "labels.a-b",
        "labels.alertname",
        "labels.terdut_test",
        "summary",
        "timeout",
        "webhook_url",
    ];
    assert_eq!(failure.paths(), expected);
    let invoked = session.invoke(TEST, &bad).await;
    assert!(invoked.messages.is_empty() && invoked.outcome.is_err());
    // As an imported source leaves it.
    let null = json!({ "webhook_url": null });
    let failure = session.invoke(TEST, &null).await.outcome.expect_err("there is no URL");
    assert!(failure.says("terraform apply -replace=ADDRESS"), "{failure}");
    assert!(!failure.says("rotate_when_changed"), "it never rotates from nothing: {failure}");
    let plain =
        json!({ "webhook_url": "http://terdut.example.org/api/integrations/x/alertmanager" });
    let warnings = session.plan_action(TEST, &plain).await.expect("a plan");
    assert!(warnings.iter().any(|warning| warning.says("read on the way")), "{warnings:?}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_to_stop_ends_the_trying_and_blames_no_network() {
    let mut scene = Scene::start().await;
    let url = webhook(&mut scene).await;
    scene.simulator.fault(Fault::on("POST", WEBHOOK).always().error(503, "starting"));
    let session = scene.world.session().clone();
    let config = with(&url, &json!({ "timeout": "1h" }));
    let simulator = &scene.simulator;
    let stop = async {
        let tried = || async { simulator.faults()[0].struck > 0 };
        wait_for("a try", Duration::from_secs(10), tried).await;
        session.stop().await;
    };
    let (invoked, ()) = tokio::join!(session.invoke(TEST, &config), stop);
    let failure = invoked.outcome.expect_err("nobody took it");
    assert!(failure.says("the work was stopped"), "{failure}");
    assert!(!failure.says("certificates") && !failure.says("longer timeout"), "{failure}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_to_stop_ends_the_waiting_and_still_resolves() {
    let mut scene = Scene::start().await;
    let url = webhook(&mut scene).await;
    let none = FaultBody::Json(json!([]));
    scene.simulator.fault(Fault::on("GET", "/api/alerts").always().answer(200, none));
    let session = scene.world.session().clone();
    let config = with(&url, &json!({ "resolve": true, "timeout": "1h" }));
    let simulator = &scene.simulator;
    let stop = async {
        let looked = || async { simulator.faults()[0].struck > 0 };
        wait_for("a look", Duration::from_secs(10), looked).await;
        session.stop().await;
    };
    let (invoked, ()) = tokio::join!(session.invoke(TEST, &config), stop);
    let failure = invoked.outcome.expect_err("it was not seen");
    assert!(failure.says("The wait was stopped"), "{failure}");
    assert!(!failure.says("within") && !failure.says("timeout"), "no time was over: {failure}");
    assert_eq!(invoked.messages.last().map(String::as_str), Some("Resolved"));
    assert_eq!(scene.simulator.state().alerts()[0].status, "resolved");
    scene.world.close().await;
}
