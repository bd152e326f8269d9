//! One object in the store, and what is asked of it so often that it is kept beside it.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::crd::Kind;
use crate::engine::{ObjectKey, Placed};

/// A copy of the whole object in the object.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The status of the condition Ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ready {
    True,
    False,
    Unknown,
}

impl Ready {
    pub(super) const ALL: [Self; 3] = [Self::True, Self::False, Self::Unknown];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }

    fn of<K: Kind>(object: &K) -> Self {
        let ready = object.conditions().iter().find(|condition| condition.type_ == "Ready");
        match ready.map(|condition| condition.status.as_str()) {
            Some("True") => Self::True,
            Some("False") => Self::False,
            _ => Self::Unknown,
        }
    }
}

#[derive(Debug)]
enum Stored<K> {
    Whole(Arc<K>),
    Json(Box<[u8]>),
}

#[derive(Debug)]
pub(super) struct Entry<K> {
    stored: Stored<K>,
    pub(super) parent: Option<ObjectKey>,
    pub(super) ready: Ready,
    /// Its last pass left nothing to do: it need not hurry when this replica takes over.
    pub(super) settled: bool,
    /// It is wanted, and something keeps it from being Ready.
    pub(super) waits: bool,
}

impl<K: Placed> Entry<K> {
    pub(super) fn new(object: &Arc<K>, parent: Option<ObjectKey>) -> Self {
        let json = K::IS_ONE_OF_MANY.then(|| serde_json::to_vec(object.as_ref()).ok()).flatten();
        let stored = match json {
            Some(json) => Stored::Json(json.into_boxed_slice()),
            None => Stored::Whole(Arc::clone(object)),
        };
        let ready = Ready::of(object.as_ref());
        let meta = object.meta();
        let wanted = meta.deletion_timestamp.is_none();
        let settled =
            ready == Ready::True && wanted && object.observed_generation() == meta.generation;
        Self { stored, parent, ready, settled, waits: ready == Ready::False && wanted }
    }

    /// None cannot be: what was written here can be read here.
    pub(super) fn object(&self) -> Option<Arc<K>> {
        match &self.stored {
            Stored::Whole(object) => Some(Arc::clone(object)),
            Stored::Json(json) => match serde_json::from_slice(json) {
                Ok(object) => Some(Arc::new(object)),
                Err(error) => {
                    tracing::error!(kind = K::KIND, %error, "a stored object cannot be read");
                    None
                }
            },
        }
    }
}

/// Drops what nobody here reads.
pub(in crate::engine) fn strip(meta: &mut ObjectMeta) {
    meta.managed_fields = None;
    meta.self_link = None;
    meta.generate_name = None;
    if let Some(annotations) = &mut meta.annotations {
        annotations.remove(LAST_APPLIED);
        if annotations.is_empty() {
            meta.annotations = None;
        }
    }
}
