//! Waiting for an object to become what a test expects, and saying why it did not.

use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::{Client, Kind};
use crate::cluster::conditions;

const PAUSE: Duration = Duration::from_millis(40);
const LAST_LINES: usize = 40;

impl Client {
    /// Looks again and again until the condition holds; gives the object as it is then, null if the
    /// condition holds for no object.
    ///
    /// # Panics
    /// With the object's conditions and the witnesses' last lines, if it does not in time.
    pub async fn wait(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
        what: &str,
        holds: impl Fn(Option<&Json>) -> bool,
    ) -> Json {
        let deadline = Instant::now() + self.patience;
        loop {
            let found = self.find(kind, namespace, name).await;
            if holds(found.as_ref()) {
                return found.unwrap_or_default();
            }
            if Instant::now() >= deadline {
                let object = format!("{} {namespace}/{name}", kind.plural);
                panic!("{object} is not {what} within {:?}\n{}", self.patience, self.why(found));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until a condition is `True` for the spec that the object has.
    pub async fn wait_condition(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
        condition: &str,
    ) -> Json {
        let holds =
            |found: Option<&Json>| found.is_some_and(|object| conditions::holds(object, condition));
        self.wait(kind, namespace, name, condition, holds).await
    }

    /// Waits until the object is ready and its spec is applied.
    pub async fn wait_ready(&self, kind: Kind, namespace: &str, name: &str) -> Json {
        let both = |object: &Json| {
            conditions::holds(object, "Ready") && conditions::holds(object, "Synced")
        };
        self.wait(kind, namespace, name, "Ready and Synced", |found| found.is_some_and(both)).await
    }

    /// Waits until a condition has a reason, judged by the spec that the object has.
    pub async fn wait_reason(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
        condition: &str,
        reason: &str,
    ) -> Json {
        let holds = |object: &Json| {
            conditions::is_current(object, condition)
                && conditions::reason(object, condition) == Some(reason)
        };
        let what = format!("{condition} for the reason {reason}");
        self.wait(kind, namespace, name, &what, |found| found.is_some_and(holds)).await
    }

    /// Waits until the object is gone.
    pub async fn wait_gone(&self, kind: Kind, namespace: &str, name: &str) {
        self.wait(kind, namespace, name, "gone", |found| found.is_none()).await;
    }

    fn why(&self, found: Option<Json>) -> String {
        let object = found.map_or_else(
            || "  there is no such object".to_owned(),
            |object| format!("{}\n  status {}", conditions::show(&object), object["status"]),
        );
        let lines = self.witnesses.iter().map(|lines| lines.tail(LAST_LINES));
        [object].into_iter().chain(lines).collect::<Vec<_>>().join("\n-- last lines\n")
    }
}
