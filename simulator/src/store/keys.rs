//! The keys of people and service accounts, found by id, by text and by owner. The store owns it;
//! it must never hold two keys of one text.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::model::{Key, Owner};

/// All keys.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Key>", into = "Vec<Key>")]
pub(crate) struct Keys {
    rows: BTreeMap<i64, Key>,
    by_text: HashMap<String, i64>,
    by_owner: HashMap<Owner, BTreeSet<i64>>,
}

impl From<Vec<Key>> for Keys {
    fn from(rows: Vec<Key>) -> Self {
        let mut keys = Self::default();
        for key in rows {
            keys.insert(key);
        }
        keys
    }
}

impl From<Keys> for Vec<Key> {
    fn from(keys: Keys) -> Self {
        keys.rows.into_values().collect()
    }
}

impl Keys {
    pub(crate) fn insert(&mut self, key: Key) -> &Key {
        let id = key.id;
        self.by_text.insert(key.text.clone(), id);
        self.by_owner.entry(key.owner).or_default().insert(id);
        self.rows.entry(id).or_insert(key)
    }

    pub(crate) fn remove(&mut self, id: i64) -> Option<Key> {
        let key = self.rows.remove(&id)?;
        self.by_text.remove(&key.text);
        if let Some(ids) = self.by_owner.get_mut(&key.owner) {
            ids.remove(&id);
        }
        Some(key)
    }

    pub(crate) fn remove_of(&mut self, owner: Owner) {
        for id in self.by_owner.remove(&owner).unwrap_or_default() {
            self.remove(id);
        }
    }

    pub(crate) fn get(&self, id: i64) -> Option<&Key> {
        self.rows.get(&id)
    }

    pub(crate) fn of(&self, owner: Owner) -> impl Iterator<Item = &Key> {
        self.by_owner.get(&owner).into_iter().flatten().filter_map(|id| self.rows.get(id))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Key> {
        self.rows.values()
    }

    /// The key of this text.
    pub(crate) fn find(&self, text: &str) -> Option<&Key> {
        self.rows.get(self.by_text.get(text)?)
    }

    pub(crate) fn get_mut(&mut self, id: i64) -> Option<&mut Key> {
        self.rows.get_mut(&id)
    }

    /// Notes when the key of this text was used.
    pub(crate) fn used(&mut self, text: &str, now: String) {
        let id = self.by_text.get(text);
        if let Some(key) = id.and_then(|id| self.rows.get_mut(id)) {
            key.last_used_at = Some(now);
        }
    }
}
