//! Alertmanager's webhook message, version 4, with one alert in it.

use serde_json::{Value, json};
use terdut_core::test_alert::TestAlert;

/// The message; with a moment in RFC 3339 it says that the alert ended then.
pub(crate) fn message(alert: &TestAlert, ended: Option<&str>) -> Value {
    let status = if ended.is_some() { "resolved" } else { "firing" };
    let group = json!({ "alertname": alert.name() });
    json!({
        "version": "4",
        // Of its own: a test is no part of somebody else's incident.
        "groupKey": format!("{{}}:{{terdut_test=\"{}\"}}", alert.id),
        "truncatedAlerts": 0,
        "status": status,
        "receiver": "terdut",
        "groupLabels": group,
        "commonLabels": alert.labels,
        "commonAnnotations": alert.annotations,
        "externalURL": "",
        "alerts": [{
            "status": status,
            "labels": alert.labels,
            "annotations": alert.annotations,
            "startsAt": alert.starts_at,
            "endsAt": ended.unwrap_or("0001-01-01T00:00:00Z"),
            "generatorURL": "",
            "fingerprint": alert.id,
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_fires_and_ends_as_one_and_the_same_alert() {
        let alert = TestAlert::new(7, 0, [].into(), [].into());
        let (fires, ends) = (message(&alert, None), message(&alert, Some("1970-01-01T00:01:00Z")));
        assert_eq!((&fires["status"], &ends["status"]), (&json!("firing"), &json!("resolved")));
        for same in ["groupKey", "commonLabels", "version"] {
            assert_eq!(fires[same], ends[same]);
        }
        let (first, last) = (&fires["alerts"][0], &ends["alerts"][0]);
        assert_eq!(first["fingerprint"], last["fingerprint"]);
        assert_eq!(first["endsAt"], json!("0001-01-01T00:00:00Z"));
        assert_eq!(last["endsAt"], json!("1970-01-01T00:01:00Z"));
    }
}
