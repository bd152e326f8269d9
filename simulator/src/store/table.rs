//! Rows by id, with an index of their names. The store is made of these; a row's name must never
//! be changed except through [`Table::rename`].

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

/// A row with an id and a name.
pub(crate) trait Row {
    fn id(&self) -> i64;
    fn name(&self) -> &str;
    fn set_name(&mut self, name: String);
}

/// Rows by id. Names may repeat; [`Table::of_name`] answers the oldest of a name.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Vec<T>", into = "Vec<T>")]
#[serde(bound(
    serialize = "T: Row + Clone + Serialize",
    deserialize = "T: Row + Deserialize<'de>"
))]
pub(crate) struct Table<T: Row> {
    rows: BTreeMap<i64, T>,
    ids: HashMap<String, Vec<i64>>,
}

impl<T: Row> Default for Table<T> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), ids: HashMap::new() }
    }
}

impl<T: Row> From<Vec<T>> for Table<T> {
    fn from(rows: Vec<T>) -> Self {
        let mut table = Self::default();
        for row in rows {
            table.insert(row);
        }
        table
    }
}

impl<T: Row> From<Table<T>> for Vec<T> {
    fn from(table: Table<T>) -> Self {
        table.rows.into_values().collect()
    }
}

impl<T: Row> Table<T> {
    pub(crate) fn insert(&mut self, row: T) {
        self.ids.entry(row.name().to_owned()).or_default().push(row.id());
        self.rows.insert(row.id(), row);
    }

    pub(crate) fn remove(&mut self, id: i64) -> Option<T> {
        let row = self.rows.remove(&id)?;
        self.forget_name(row.name(), id);
        Some(row)
    }

    pub(crate) fn rename(&mut self, id: i64, name: String) -> Option<&T> {
        let old = self.rows.get(&id)?.name().to_owned();
        self.forget_name(&old, id);
        self.ids.entry(name.clone()).or_default().push(id);
        let row = self.rows.get_mut(&id)?;
        row.set_name(name);
        Some(row)
    }

    fn forget_name(&mut self, name: &str, id: i64) {
        if let Some(ids) = self.ids.get_mut(name) {
            ids.retain(|other| *other != id);
            if ids.is_empty() {
                self.ids.remove(name);
            }
        }
    }

    pub(crate) fn get(&self, id: i64) -> Option<&T> {
        self.rows.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: i64) -> Option<&mut T> {
        self.rows.get_mut(&id)
    }

    pub(crate) fn of_name(&self, name: &str) -> Option<&T> {
        self.rows.get(self.ids.get(name)?.first()?)
    }

    /// Whether another row than this one has the name.
    pub(crate) fn taken(&self, name: &str, but: Option<i64>) -> bool {
        self.ids.get(name).is_some_and(|ids| ids.iter().any(|id| Some(*id) != but))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.rows.values()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.rows.values_mut()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }
}
