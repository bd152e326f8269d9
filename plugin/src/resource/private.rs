//! Private data: what a provider remembers beside a state and users do not see.
//!
//! The engine hands it to each call and stores what the call leaves in it. It is not encrypted: a
//! secret in it is as open as one in the state.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// Values by key, kept as JSON.
#[derive(Clone, Default, PartialEq)]
pub struct Private {
    entries: BTreeMap<String, Json>,
}

impl Private {
    /// The value of a key; `None` if there is none, or one of another shape.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        self.entries.get(key).and_then(|value| serde_json::from_value(value.clone()).ok())
    }

    /// Sets a key's value. What JSON cannot hold removes the key.
    pub fn set<T: Serialize>(&mut self, key: &str, value: &T) {
        match serde_json::to_value(value) {
            Ok(value) => self.entries.insert(key.to_owned(), value),
            Err(_) => self.entries.remove(key),
        };
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &str) {
        self.entries.remove(key);
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What the host stored; anything else than our own form counts as nothing.
    pub(crate) fn decode(bytes: &[u8]) -> Self {
        Self { entries: serde_json::from_slice(bytes).unwrap_or_default() }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        if self.entries.is_empty() {
            return Vec::new();
        }
        serde_json::to_vec(&self.entries).unwrap_or_default()
    }
}

/// Keys only: the values may be secret.
impl std::fmt::Debug for Private {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.entries.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_is_there_after_a_round_trip_and_never_shown() {
        let mut private = Private::default();
        assert_eq!(private.encode(), Vec::<u8>::new());
        private.set("pending", &"canary");
        let again = Private::decode(&private.encode());
        assert_eq!(again.get::<String>("pending").as_deref(), Some("canary"));
        assert_eq!(again.get::<i64>("pending"), None);
        assert!(!format!("{again:?}").contains("canary"));
        assert!(Private::decode(b"not ours").is_empty());
    }
}
