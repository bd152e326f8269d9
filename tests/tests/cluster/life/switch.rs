//! A `TerdutDeadmanSwitch`.

use serde_json::json;
use terdut_tests::cluster::kind;

use super::stage::{Stage, TEAM};

const SWITCH: &str = "prod-watchdog";

#[tokio::test]
async fn a_switch_is_created_replaced_put_right_and_deleted() {
    let Some((stage, team)) = Stage::with_team().await else { return };
    let switches =
        || stage.simulator.state().team(team).map(|state| state.switches).unwrap_or_default();
    let mut spec = json!({
        "teamRef": { "name": TEAM }, "name": "prod-watchdog",
        "matcher": "alertname=Watchdog,cluster=prod", "timeout": "15m", "severity": "critical",
    });
    stage.apply(&stage.object(kind::SWITCH, SWITCH, &spec)).await;
    let ready = stage.ready(kind::SWITCH, SWITCH).await;
    let [first] = switches().try_into().expect("one switch");
    assert_eq!((first.name.as_str(), first.severity.as_str()), ("prod-watchdog", "critical"));
    assert_eq!(ready["status"]["switchID"], first.id.to_string());

    // The same by meaning: nothing is replaced.
    spec["timeout"] = "900s".into();
    spec["matcher"] = "cluster=prod, alertname=Watchdog".into();
    stage.apply(&stage.object(kind::SWITCH, SWITCH, &spec)).await;
    stage.ready(kind::SWITCH, SWITCH).await;
    assert_eq!(switches(), std::slice::from_ref(&first));

    for (field, value) in [
        ("timeout", "20m"),
        ("matcher", "alertname=Watchdog"),
        ("severity", "warning"),
        ("name", "watchdog"),
    ] {
        let [before] = switches().try_into().expect("one switch");
        spec[field] = value.into();
        stage.apply(&stage.object(kind::SWITCH, SWITCH, &spec)).await;
        let ready = stage.ready(kind::SWITCH, SWITCH).await;
        let [after] = switches().try_into().expect("one switch");
        assert_ne!(after.id, before.id, "a change of {field} is a replacement");
        assert_eq!(ready["status"]["switchID"], after.id.to_string());
        let held = json!({
            "name": after.name, "matcher": after.matcher,
            "timeout": after.timeout, "severity": after.severity,
        });
        assert_eq!(ready["status"]["applied"], held, "the status says what the server holds");
    }

    let [last] = switches().try_into().expect("one switch");
    stage
        .simulator
        .state()
        .edit_switch(team, last.id, |switch| switch.severity = "info".to_owned());
    let right =
        || switches().iter().any(|switch| switch.severity == "warning") && switches().len() == 1;
    stage.until("drift is put right", right).await;
    let [mended] = switches().try_into().expect("one switch");
    stage.simulator.state().delete_switch(team, mended.id);
    stage.until("a deleted switch is made again", right).await;

    stage.delete(kind::SWITCH, SWITCH).await;
    assert!(switches().is_empty());
}
