//! How a create ends.
//!
//! Called by the machine only; what has come of it is decided there.

use super::super::{Command, Creatable, Failure};
use super::{Create, Intent, Outcome, State};
use crate::error::ApiError;
use crate::model::Kind;

impl<K: Creatable> Create<K> {
    pub(super) fn taken(&mut self, mut facts: Vec<K::Fact>) -> Command<K> {
        if self.adopt
            && facts.len() == 1
            && let Some(fact) = facts.pop()
        {
            return self.finish(Outcome::Found(fact));
        }
        let label =
            facts.first().map_or_else(|| self.new.label(), |fact| self.new.taken_label(fact));
        self.fail(|kind, _, ids| Failure::Taken { kind, label, ids }, &facts)
    }

    pub(super) fn done(&mut self, made: K::Made) -> Command<K> {
        // Of what is known by its name the server makes no second one, and of a source it should not.
        if K::SHOWN_ONCE && self.late > 0 {
            self.warn_late();
        }
        let warnings = std::mem::take(&mut self.warnings);
        let beside = if K::SHARES_NAMES { self.before.take() } else { None };
        self.finish(Outcome::Made { made, beside: beside.unwrap_or_default(), warnings })
    }

    pub(super) fn fail(
        &mut self,
        failure: impl FnOnce(Kind, String, Vec<String>) -> Failure,
        facts: &[K::Fact],
    ) -> Command<K> {
        let ids = facts.iter().map(|fact| self.new.import_id(K::id(fact))).collect();
        self.finish(Outcome::Failed(failure(K::KIND, self.new.label(), ids)))
    }

    /// Whether a request may have acted whose answer is not here.
    pub(super) fn in_doubt(&self) -> bool {
        self.lost.is_some() || self.intent == Intent::Resumed
    }

    pub(super) fn left_behind(&mut self, id: i64, error: ApiError) -> Command<K> {
        let (kind, label, id) = (K::KIND, self.new.label(), self.new.import_id(id));
        let more = self.late > 0;
        self.finish(Outcome::Failed(Failure::LeftBehind { kind, label, id, more, error }))
    }

    /// The answer that was lost says more than why the look-up after it failed.
    pub(super) fn fail_lost(&mut self, look_up: ApiError) -> Command<K> {
        let (kind, label) = (K::KIND, self.new.label());
        let error = self.lost.clone().unwrap_or(look_up);
        self.finish(Outcome::Failed(Failure::Lost { kind, label, error }))
    }

    /// None is seen of what may have been made.
    pub(super) fn fail_unseen(&mut self, refusal: ApiError) -> Command<K> {
        let (kind, label) = (K::KIND, self.new.label());
        let (error, last) = match self.lost.clone() {
            Some(lost) if lost != refusal => (lost, Some(Box::new(refusal))),
            _ => (refusal, None),
        };
        self.finish(Outcome::Failed(Failure::Unseen { kind, label, error, last }))
    }

    /// Nothing was made, unless a request may still be under way whose answer was lost.
    pub(super) fn fail_call(&mut self, error: ApiError) -> Command<K> {
        if self.late > 0 {
            return self.fail_unseen(error);
        }
        let (kind, label) = (K::KIND, self.new.label());
        self.finish(Outcome::Failed(Failure::Call { kind, label, error }))
    }

    fn finish(&mut self, outcome: Outcome<K>) -> Command<K> {
        self.state = State::Ended;
        Command::Finish(Box::new(outcome))
    }
}
