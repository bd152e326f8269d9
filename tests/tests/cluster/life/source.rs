//! A `TerdutAlertSource`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{Method, StatusCode};
use serde_json::{Value as Json, json};
use terdut_tests::cluster::kind;
use terdut_tests::harness::Api;

use super::stage::{Stage, TEAM};

const SOURCE: &str = "prod-alertmanager";

/// The URL and the key of the webhook Secret.
async fn webhook(stage: &Stage) -> (String, String) {
    let name = format!("{SOURCE}-terdut-webhook");
    let secret = stage.client.get(kind::SECRET, stage.namespace(kind::SOURCE), &name).await;
    let text = |field: &str| {
        let encoded = secret["data"][field].as_str().expect("the Secret has this key");
        String::from_utf8(STANDARD.decode(encoded).expect("base64")).expect("a text")
    };
    (text("url"), text("key"))
}

fn alert() -> Json {
    json!({
        "version": "4", "groupKey": "g", "status": "firing", "receiver": "terdut",
        "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {}, "externalURL": "",
        "alerts": [{
            "status": "firing", "labels": { "alertname": "Disk" }, "annotations": {},
            "startsAt": "2026-01-01T00:00:00Z", "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "", "fingerprint": "f",
        }],
    })
}

#[tokio::test]
async fn a_source_is_created_renamed_put_right_and_deleted() {
    let Some((stage, team)) = Stage::with_team().await else { return };
    let sources =
        || stage.simulator.state().team(team).map(|state| state.integrations).unwrap_or_default();
    let mut spec = json!({ "teamRef": { "name": TEAM }, "kind": "alertmanager", "name": "prod" });
    stage.apply(&stage.object(kind::SOURCE, SOURCE, &spec)).await;
    let ready = stage.ready(kind::SOURCE, SOURCE).await;
    let [source] = sources().try_into().expect("one source");
    assert_eq!(ready["status"]["integrationID"], source.id.to_string());
    let (url, key) = webhook(&stage).await;
    assert_eq!(stage.simulator.state().integration_key(team, source.id), Some(key.clone()));
    let (status, _) = Api::new(&url, "").send(Method::POST, "", Some(&alert())).await;
    assert!(status.is_success(), "an alert is taken: {status}");
    assert_eq!(stage.simulator.state().alerts().len(), 1);

    spec["name"] = "production".into();
    stage.apply(&stage.object(kind::SOURCE, SOURCE, &spec)).await;
    stage.ready(kind::SOURCE, SOURCE).await;
    let [renamed] = sources().try_into().expect("one source");
    assert_eq!((renamed.id, renamed.name.as_str()), (source.id, "production"));
    assert_eq!(webhook(&stage).await, (url.clone(), key));

    stage.simulator.state().rename_integration(team, source.id, "somebody else's");
    stage
        .until("drift is put right", || sources().iter().any(|one| one.name == "production"))
        .await;

    stage.delete(kind::SOURCE, SOURCE).await;
    assert!(sources().is_empty());
    let secret = format!("{SOURCE}-terdut-webhook");
    stage.client.wait_gone(kind::SECRET, stage.namespace(kind::SOURCE), &secret).await;
    let (status, _) = Api::new(&url, "").send(Method::POST, "", Some(&alert())).await;
    assert_ne!(status, StatusCode::OK, "its key is dead");
}
