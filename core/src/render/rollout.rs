//! With which version of the database's Secret a server's Pods started.
//!
//! A password that a person changes must not restart anything by itself, but it has to be said that
//! the running Pods may still have the old one. What they started with is kept in the annotation
//! [`DATABASE_SECRET_VERSION`] of the Deployment; it is renewed only by a rollout, ours or one by
//! `kubectl rollout restart`. Pods that are replaced one by one are not seen here.

use serde_json::Value;

use super::{DATABASE_SECRET_VERSION, holds};

/// What `kubectl rollout restart` writes.
const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";

/// What is known of the running Pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The annotation's value from now on, for [`super::Database::started_with`].
    pub annotation: String,
    /// Whether the Secret changed after the last rollout.
    pub changed_since: bool,
}

/// What the Pods started with, when the Deployment becomes what is wanted and the Secret has the
/// given version.
pub fn started(existing: Option<&Value>, wanted: &Value, secret_version: &str) -> Started {
    let template = existing.map(|existing| &existing["spec"]["template"]);
    let restarted_at = template
        .and_then(|template| template["metadata"]["annotations"][RESTARTED_AT].as_str())
        .unwrap_or_default();
    let fresh = format!("{secret_version} {restarted_at}").trim_end().to_owned();
    let recorded = existing
        .and_then(|existing| existing["metadata"]["annotations"][DATABASE_SECRET_VERSION].as_str());
    let rolls = template.is_none_or(|template| !holds(template, &wanted["spec"]["template"]));
    match recorded {
        Some(recorded) if !rolls && was_at(recorded, restarted_at) => {
            Started { annotation: recorded.to_owned(), changed_since: recorded != fresh }
        }
        _ => Started { annotation: fresh, changed_since: false },
    }
}

/// Whether the record was made after the restart at that time.
fn was_at(recorded: &str, restarted_at: &str) -> bool {
    recorded.split_once(' ').map_or("", |(_, at)| at) == restarted_at
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(image: &str, record: Option<&str>, restarted_at: Option<&str>) -> Value {
        json!({
            "metadata": {"annotations": {DATABASE_SECRET_VERSION: record}},
            "spec": {"template": {
                "metadata": {"annotations": {RESTARTED_AT: restarted_at}},
                "spec": {"dnsPolicy": "ClusterFirst", "containers": [{"image": image}]},
            }},
        })
    }

    fn wanted() -> Value {
        json!({"spec": {"template": {"spec": {"containers": [{"image": "v1"}]}}}})
    }

    fn check(existing: Option<&Value>, annotation: &str, changed_since: bool) {
        let expected = Started { annotation: annotation.to_owned(), changed_since };
        assert_eq!(started(existing, &wanted(), "8"), expected, "{existing:?}");
    }

    #[test]
    fn what_starts_now_starts_with_what_is_there_now() {
        check(None, "8", false);
        check(Some(&deployment("v0", Some("7"), None)), "8", false);
        check(Some(&deployment("v1", None, None)), "8", false);
    }

    #[test]
    fn a_change_of_the_secret_alone_is_told_and_not_forgotten() {
        check(Some(&deployment("v1", Some("8"), None)), "8", false);
        check(Some(&deployment("v1", Some("7"), None)), "7", true);
    }

    #[test]
    fn a_restart_by_hand_ends_it() {
        check(Some(&deployment("v1", Some("7"), Some("noon"))), "8 noon", false);
        check(Some(&deployment("v1", Some("8 noon"), Some("noon"))), "8 noon", false);
        check(Some(&deployment("v1", Some("7 noon"), Some("noon"))), "7 noon", true);
    }
}
