//! An alert through the webhook of the new alert source.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use terdut_tests::cluster::kind;
use terdut_tests::harness::Api;

use crate::scene::Scene;
use crate::told::{Failed, Step, say};

const NAMESPACE: &str = "platform";
const SECRET: &str = "prod-alertmanager-terdut-webhook";
const ALERT: &str = "HighErrorRate";
const ARRIVES_WITHIN: Duration = Duration::from_secs(5);

/// Sends it as Alertmanager would, and waits until it is on the server.
pub(crate) async fn send(scene: &Scene) -> Result<(), Failed> {
    let step = Step::begin("An alert through the new source; its URL is in the Secret beside it");
    say(&format!(
        "$ URL=$(kubectl get secret {SECRET} -n {NAMESPACE} -o jsonpath='{{.data.url}}' | base64 -d)"
    ));
    let secret = scene.object(kind::SECRET, NAMESPACE, SECRET).await?;
    let url = decoded(&secret["data"]["url"])?;
    say("$ curl --json @alert.json \"$URL\"");
    let sent = Instant::now();
    Api::new(&url, "").post("", &firing()).await;
    let arrived = || scene.simulator.state().alerts().into_iter().find(|alert| alert.name == ALERT);
    while arrived().is_none() {
        if sent.elapsed() > ARRIVES_WITHIN {
            return Err(Failed::new(format!("{ALERT} did not arrive within {ARRIVES_WITHIN:?}")));
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    say(&format!("   {ALERT} is on the server, {} ms later", sent.elapsed().as_millis()));
    step.end();
    Ok(())
}

/// The value of a Secret. It is a key and is never printed.
fn decoded(value: &Json) -> Result<String, Failed> {
    let bytes = value.as_str().and_then(|text| STANDARD.decode(text).ok());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| Failed::new(format!("the Secret {SECRET} holds no URL")))
}

fn firing() -> Json {
    json!({
        "version": "4",
        "groupKey": "{}:{alertname=\"HighErrorRate\"}",
        "status": "firing",
        "receiver": "terdut",
        "groupLabels": { "alertname": ALERT },
        "commonLabels": { "alertname": ALERT, "severity": "critical" },
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example",
        "alerts": [{
            "status": "firing",
            "labels": { "alertname": ALERT, "severity": "critical", "cluster": "prod" },
            "annotations": { "summary": "5 % of requests fail" },
            "startsAt": "2026-01-01T00:00:00Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus.example",
            "fingerprint": "c0ffee0000000001",
        }],
    })
}
