//! The name of an object: its namespace and its name, and its kind where that is not known anyway.

use std::fmt;
use std::sync::Arc;

use kube::ResourceExt;

use crate::crd::Kind;

/// Cheap to clone: it stands in stores, indexes and queues.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// Its namespace.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

impl ObjectKey {
    /// A key.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// The key of an object.
    pub fn of<K: ResourceExt>(object: &K) -> Self {
        let meta = object.meta();
        Self::new(
            meta.namespace.as_deref().unwrap_or_default(),
            meta.name.as_deref().unwrap_or_default(),
        )
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

/// The key of an object of any of the five kinds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindKey {
    /// The kind's name.
    pub kind: &'static str,
    /// Which of them.
    pub key: ObjectKey,
}

impl KindKey {
    /// A key.
    pub const fn new<K: Kind>(key: ObjectKey) -> Self {
        Self { kind: K::KIND, key }
    }

    /// The key of an object.
    pub fn of<K: Kind>(object: &K) -> Self {
        Self::new::<K>(ObjectKey::of(object))
    }
}
