//! What a create leaves behind and could not tidy up, in words for people.
//!
//! Called by the machine only; it decides nothing.

use super::super::Creatable;
use super::Create;
use crate::problem::{Path, Problem};

impl<K: Creatable> Create<K> {
    fn warn(&mut self, summary: String, detail: String) {
        self.warnings.push(Problem::new(Path::root(), summary, detail));
    }

    pub(super) fn warn_unlisted(&mut self) {
        let (noun, label) = (K::KIND.noun(), self.new.label());
        self.warn(
            format!("One more {noun} may be left"),
            format!(
                "The answer to creating the {noun} {label:?} was lost, and the server does not list \
                 what is there. One that nobody holds may be left: remove it by hand."
            ),
        );
    }

    pub(super) fn warn_late(&mut self) {
        let (noun, label) = (K::KIND.noun(), self.new.label());
        self.warn(
            format!("One more {noun} may come up"),
            format!(
                "An answer to creating the {noun} {label:?} was lost. It was looked for and is not \
                 there yet, but may still appear. Another one was made meanwhile, so that nobody \
                 would hold it: remove it by hand then."
            ),
        );
    }

    pub(super) fn warn_stray(&mut self, ids: &[i64]) {
        let (noun, label) = (K::KIND.noun(), self.new.label());
        let ids: Vec<_> = ids.iter().map(|id| self.new.import_id(*id)).collect();
        self.warn(
            format!("One more {noun} is left"),
            format!(
                "An answer to creating the {noun} {label:?} was lost; others of that name came up \
                 meanwhile and were not removed: ids {}. Remove by hand what nobody needs.",
                ids.join(", ")
            ),
        );
    }

    pub(super) fn warn_key(&mut self) {
        let label = self.new.label();
        self.warn(
            "The first key of the service account was not revoked".to_owned(),
            format!(
                "terdut gave the new service account {label:?} a key, which nobody holds. Revoking \
                 it failed: revoke it by hand."
            ),
        );
    }
}
