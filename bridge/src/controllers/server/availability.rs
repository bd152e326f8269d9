//! Whether a server runs: what its Deployment's status says.

use serde_json::Value;

use super::existing::Existing;
use super::report::Seen;
use crate::engine::Next;
use crate::status::{Reason, State};

/// How far a Deployment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rollout {
    /// It runs as it is wanted.
    Done,
    /// Something serves, and not yet all is new.
    Underway,
    /// Nothing serves.
    Down,
    /// Nothing is to serve.
    Off,
}

/// Notes whether the server can be spoken to, and whether it is as it is wanted.
pub(super) fn judge(deployment: Option<&Value>, existing: &Existing, seen: &mut Seen) {
    let rollout = deployment.map_or(Rollout::Down, rollout);
    seen.serves = matches!(rollout, Rollout::Done | Rollout::Underway);
    let message = match rollout {
        Rollout::Done => return,
        Rollout::Underway => "The Deployment is being rolled out; an earlier one still serves.",
        Rollout::Down => "No replica of the server is available. Its Pods say why.",
        Rollout::Off => "The server has no replicas: it is scaled to none.",
    };
    let message = format!("{message}{}", absent(&existing.missing));
    // The watch of the Deployment tells when that changes.
    seen.is_not_ready(State::no(Reason::DeploymentUnavailable, message), Next::Waiting);
}

fn absent(secrets: &[String]) -> String {
    if secrets.is_empty() {
        return String::new();
    }
    format!(" Secrets that the spec names are not there: {}.", secrets.join(", "))
}

/// A status speaks only of the generation that it has observed.
fn rollout(deployment: &Value) -> Rollout {
    let status = &deployment["status"];
    let count = |value: &Value| value.as_i64().unwrap_or(0);
    let wanted = deployment["spec"]["replicas"].as_i64().unwrap_or(1);
    if wanted == 0 {
        return Rollout::Off;
    }
    if count(&status["availableReplicas"]) == 0 {
        return Rollout::Down;
    }
    let observed = count(&status["observedGeneration"]);
    let updated = count(&status["updatedReplicas"]);
    let is_new = observed >= count(&deployment["metadata"]["generation"])
        && updated >= wanted
        && count(&status["replicas"]) <= updated;
    if is_new && is_available(status) { Rollout::Done } else { Rollout::Underway }
}

fn is_available(status: &Value) -> bool {
    let conditions = status["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    conditions.iter().any(|one| one["type"] == "Available" && one["status"] == "True")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(status: &Value) -> Value {
        json!({ "metadata": { "generation": 3 }, "spec": { "replicas": 2 }, "status": status })
    }

    fn good() -> Value {
        json!({
            "observedGeneration": 3, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2,
            "conditions": [{ "type": "Available", "status": "True" }],
        })
    }

    fn with(field: &str, value: Value) -> Rollout {
        let mut status = good();
        status[field] = value;
        rollout(&deployment(&status))
    }

    #[test]
    fn it_is_done_when_all_that_is_wanted_serves() {
        assert_eq!(rollout(&deployment(&good())), Rollout::Done);
        assert_eq!(with("observedGeneration", json!(2)), Rollout::Underway, "of an old spec");
        assert_eq!(with("updatedReplicas", json!(1)), Rollout::Underway);
        assert_eq!(with("replicas", json!(3)), Rollout::Underway, "an old one still runs");
        assert_eq!(with("conditions", json!([])), Rollout::Underway);
        assert_eq!(with("availableReplicas", json!(0)), Rollout::Down);
        assert_eq!(rollout(&json!({})), Rollout::Down);
        assert_eq!(rollout(&json!({ "spec": { "replicas": 0 } })), Rollout::Off);
    }

    #[test]
    fn what_is_missing_is_named_where_nothing_serves() {
        let mut seen = Seen::default();
        let existing = Existing { missing: vec!["oidc".to_owned()], ..Existing::default() };
        judge(Some(&json!({})), &existing, &mut seen);
        let state = seen.not_ready().unwrap();
        assert_eq!(state.reason, Reason::DeploymentUnavailable);
        assert!(state.message.ends_with("not there: oidc."), "{}", state.message);
        assert!(!seen.serves);
        judge(Some(&deployment(&good())), &existing, &mut seen);
        assert!(seen.serves);
    }
}
