//! Events: what `kubectl describe` shows of what the bridge did.
//!
//! One [`Events`] is shared by all controllers. An Event is published once per action that can be
//! seen from outside; a failure that lasts makes at most two an hour for an object. Publishing
//! never fails a pass: an Event that cannot be written is logged. No Event may hold a key or the
//! raw words of a server.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::api::events::v1::Event;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{ObjectMeta, PostParams};

use crate::clock::Clock;
use crate::kube::Kube;

mod limiter;
mod reason;

pub use limiter::Limiter;
pub use reason::EventReason;

/// Who reports.
const CONTROLLER: &str = "terdut.ryuvia.com/bridge";
const PUBLISH_LIMIT: Duration = Duration::from_secs(5);
/// What the API server takes.
const NOTE_LIMIT: usize = 1024;

/// Whether an Event is good news.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventType {
    /// It is.
    Normal,
    /// Somebody should look.
    Warning,
}

impl EventType {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

/// The one recorder; cheap to clone.
#[derive(Debug, Clone)]
pub struct Events {
    kube: Kube,
    clock: Clock,
    instance: Arc<str>,
    limiter: Arc<Mutex<Limiter>>,
}

impl Events {
    /// A recorder that reports as this replica.
    pub fn new(kube: Kube, clock: Clock, instance: &str) -> Self {
        Self { kube, clock, instance: instance.into(), limiter: Arc::default() }
    }

    /// Reports one action. `action` is what was done, in `CamelCase`; `note` is for people.
    pub async fn publish(
        &self,
        regarding: &ObjectReference,
        event_type: EventType,
        reason: EventReason,
        action: &str,
        note: &str,
    ) {
        self.send(regarding, event_type, reason.as_str(), action, note).await;
    }

    /// Reports a failure that a condition shows too, with that condition's reason; at most twice
    /// an hour for one object.
    pub async fn failing(
        &self,
        regarding: &ObjectReference,
        reason: &str,
        action: &str,
        note: &str,
    ) {
        if self.allows(regarding.uid.clone().unwrap_or_default()) {
            self.send(regarding, EventType::Warning, reason, action, note).await;
        }
    }

    /// Reports a change for the worse that has a name of its own. It is not lost among other
    /// failures of the object, and an object that goes to and fro makes at most two an hour.
    pub async fn worsened(
        &self,
        regarding: &ObjectReference,
        reason: EventReason,
        action: &str,
        note: &str,
    ) {
        let object = regarding.uid.as_deref().unwrap_or_default();
        if self.allows(format!("{object}/{}", reason.as_str())) {
            self.send(regarding, EventType::Warning, reason.as_str(), action, note).await;
        }
    }

    fn allows(&self, what: String) -> bool {
        let now = self.clock.now();
        self.limiter.lock().unwrap_or_else(PoisonError::into_inner).allow(what, now)
    }

    async fn send(
        &self,
        regarding: &ObjectReference,
        event_type: EventType,
        reason: &str,
        action: &str,
        note: &str,
    ) {
        let namespace = regarding.namespace.clone().unwrap_or_default();
        let event = self.event(regarding, event_type, reason, action, note);
        let parameters = PostParams::default();
        let api = self.kube.api::<Event>(&namespace);
        let created = api.create(&parameters, &event);
        match tokio::time::timeout(PUBLISH_LIMIT, created).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(reason, %error, "an Event was not written"),
            Err(_) => tracing::warn!(reason, "an Event was not written in time"),
        }
    }

    fn event(
        &self,
        regarding: &ObjectReference,
        event_type: EventType,
        reason: &str,
        action: &str,
        note: &str,
    ) -> Event {
        let now = self.clock.wall();
        Event {
            metadata: ObjectMeta {
                name: Some(name_of(regarding, now.as_nanosecond())),
                namespace: regarding.namespace.clone(),
                ..ObjectMeta::default()
            },
            action: Some(action.to_owned()),
            reason: Some(reason.to_owned()),
            type_: Some(event_type.as_str().to_owned()),
            note: Some(cut(note, NOTE_LIMIT).to_owned()),
            event_time: Some(MicroTime(now)),
            regarding: Some(regarding.clone()),
            reporting_controller: Some(CONTROLLER.to_owned()),
            reporting_instance: Some(cut(&self.instance, 128).to_owned()),
            ..Event::default()
        }
    }
}

/// An object's name and the time, as Kubernetes' own controllers name theirs.
fn name_of(regarding: &ObjectReference, nanoseconds: i128) -> String {
    let name = regarding.name.as_deref().unwrap_or("object");
    format!("{}.{nanoseconds:x}", cut(name, 220).trim_end_matches(['.', '-']))
}

/// The longest beginning of at most so many bytes.
fn cut(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_events_name_fits_whatever_the_objects_name() {
        let long = ObjectReference { name: Some("a.".repeat(126)), ..ObjectReference::default() };
        let name = name_of(&long, i128::from(i64::MAX));
        assert!(name.len() <= 253, "{name}");
        assert!(!name.contains(".."), "{name}");
        let short = ObjectReference { name: Some("team".into()), ..ObjectReference::default() };
        assert_eq!(name_of(&short, 255), "team.ff");
    }

    #[test]
    fn a_note_is_cut_between_characters() {
        assert_eq!(cut("äöü", 3), "ä");
        assert_eq!(cut("abc", 9), "abc");
    }
}
