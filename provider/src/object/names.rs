//! The names that resources of this configuration made or took over.
//!
//! Two resources of one name, both permitted to adopt, would take one object between them and
//! fight over it. Whoever begins first has the name; the other may not adopt under it. And what was
//! taken over is not deleted in the same run: with `create_before_destroy` that is the successor.
//!
//! This is only the table; what follows from it for a plan is core's (`Ownership::Shared`). Used by
//! create, read and delete. The table lives as long as one configuring of the provider,
//! which is one run of the host, and must never be taken for a record of ownership.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use terdut_core::model::Model as CoreModel;

use terdut_plugin::model::ToValue;
use terdut_plugin::value::Value;

use super::{Object, Observed, kind, label};

/// The names in use, what is held under names that repeat, and what was taken over.
#[derive(Debug, Default)]
pub struct Names {
    used: Mutex<BTreeSet<String>>,
    held: Mutex<BTreeSet<String>>,
    adopted: Mutex<BTreeSet<String>>,
}

/// A name that a create began under. Unless it is kept, it is given back in the end.
#[derive(Debug)]
pub(super) struct Begun<'a> {
    names: &'a Names,
    name: String,
    first: bool,
    kept: bool,
}

impl Names {
    pub(super) fn begin(&self, name: String) -> Begun<'_> {
        let first = self.with(|names| names.insert(name.clone()));
        Begun { names: self, name, first, kept: false }
    }

    pub(super) fn free(&self, name: &str) {
        self.with(|names| names.remove(name));
    }

    /// Notes an object that was taken over. Until it is read again, a delete of it is the second
    /// half of a replacement whose first half took over its own predecessor.
    pub(super) fn adopted(&self, identity: String) {
        lock(&self.adopted).insert(identity);
    }

    pub(super) fn is_adopted(&self, identity: &str) -> bool {
        lock(&self.adopted).contains(identity)
    }

    /// Notes an object whose name others may have too: it is no leftover.
    pub(super) fn hold(&self, identity: String) {
        lock(&self.held).insert(identity);
    }

    pub(super) fn is_held(&self, identity: &str) -> bool {
        lock(&self.held).contains(identity)
    }

    pub(super) fn seen(&self, identity: &str) {
        lock(&self.adopted).remove(identity);
    }

    fn with<T>(&self, act: impl FnOnce(&mut BTreeSet<String>) -> T) -> T {
        act(&mut lock(&self.used))
    }
}

fn lock(set: &Mutex<BTreeSet<String>>) -> MutexGuard<'_, BTreeSet<String>> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Begun<'_> {
    /// Whether no other resource of this configuration has the name.
    pub(super) fn is_first(&self) -> bool {
        self.first
    }

    /// The object is there: the name stays in use.
    pub(super) fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if self.first && !self.kept {
            self.names.free(&self.name);
        }
    }
}

/// A kind's name for an object in its place, as no other object may have it.
pub(super) fn of<O: Object>(model: &O::Model) -> String {
    let value = model.to_value();
    let place = O::PATH.iter().filter(|(attribute, _)| *attribute != "id");
    let place =
        place.filter_map(|(attribute, _)| value.attribute(attribute).and_then(Value::as_str));
    let place: Vec<_> = place.collect();
    format!("{}\n{}\n{}", kind::<O>().resource_type(), place.join("/"), label(model).trim())
}

/// One object of a kind, whatever its name.
pub(super) fn identity<O: Object>(observed: &Observed<O>) -> String {
    identity_of::<O>(&<O::Core as CoreModel>::import_id(observed))
}

/// Another object of the same place, by its own id.
pub(super) fn sibling<O: Object>(observed: &Observed<O>, id: &str) -> String {
    let import_id = <O::Core as CoreModel>::import_id(observed);
    let place = import_id.rsplit_once('/').map(|(place, _)| format!("{place}/"));
    identity_of::<O>(&format!("{}{id}", place.unwrap_or_default()))
}

fn identity_of<O: Object>(import_id: &str) -> String {
    format!("{} {import_id}", kind::<O>().resource_type())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_in_use_until_its_create_failed_or_its_object_is_gone() {
        let names = Names::default();
        let first = names.begin("a".to_owned());
        assert!(first.is_first() && !names.begin("a".to_owned()).is_first());
        drop(first);
        names.begin("a".to_owned()).keep();
        assert!(!names.begin("a".to_owned()).is_first());
        names.free("a");
        assert!(names.begin("a".to_owned()).is_first());
    }
}
