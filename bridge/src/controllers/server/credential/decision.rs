//! What has to be done for a key of our own: a pure function of the records and of what the server
//! said.

use terdut_core::record::{CheckpointState, Held, RefusedRotation};

use super::Proof;

/// What is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// What is held.
    pub(super) held: &'a Held,
    /// What the server said to the key, if one is held.
    pub(super) proof: Option<Proof>,
    /// The checkpoint of the bootstrap.
    pub(super) checkpoint: Option<&'a CheckpointState>,
    /// What the object says now: what was refused is tried again only for something new.
    pub(super) due: &'a RefusedRotation,
    /// Whether the key is to be replaced.
    pub(super) wish: bool,
}

/// What has to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// Nothing: there is a key that works.
    Rest,
    /// The checkpoint is of no more use.
    Forget,
    /// The key is replaced.
    Rotate,
    /// The key would be replaced, and the server has refused just that.
    Denied,
    /// What an earlier pass began is finished.
    Finish,
    /// The one bootstrap is asked for.
    Bootstrap {
        /// Whether it may have been asked for before, without an answer.
        resumed: bool,
    },
    /// The server was bootstrapped by somebody else.
    Refused,
    /// The server may have been bootstrapped by us, and the key is lost.
    Lost,
}

/// Decides.
pub(super) fn decide(known: Known<'_>) -> Task {
    use CheckpointState as State;
    if known.held.token.is_some() && known.proof == Some(Proof::Works) {
        return match known.checkpoint {
            Some(State::Holding { .. }) => Task::Finish,
            _ if known.wish && !is_denied(&known) => Task::Rotate,
            _ if known.held.unfinished => Task::Finish,
            Some(State::Empty | State::Refused(_) | State::Lost(_)) => Task::Forget,
            None if known.wish => Task::Denied,
            None => Task::Rest,
        };
    }
    // A server whose database was made anew knows no key, and can be bootstrapped again.
    match known.checkpoint {
        Some(State::Holding { .. }) => Task::Finish,
        Some(State::Refused(attempt)) if *attempt == known.due.attempt => Task::Refused,
        Some(State::Lost(attempt)) if *attempt == known.due.attempt => Task::Lost,
        Some(State::Empty | State::Lost(_)) => Task::Bootstrap { resumed: true },
        Some(State::Refused(_)) | None => Task::Bootstrap { resumed: false },
    }
}

/// Whether the server has refused just this rotation.
fn is_denied(known: &Known<'_>) -> bool {
    known.held.refused.as_ref().is_some_and(|refused| refused.is_of(known.due))
}

#[cfg(test)]
mod tests {
    use terdut_core::ids::{KeyId, UserId};
    use terdut_core::record::Attempt;
    use terdut_core::secret::SecretString;

    use super::*;

    fn attempt(generation: i64) -> Attempt {
        Attempt { generation, reconcile_at: String::new() }
    }

    fn due(generation: i64) -> RefusedRotation {
        RefusedRotation { asked: Some("a".to_owned()), attempt: attempt(generation), at: 0 }
    }

    fn holding() -> CheckpointState {
        let token = SecretString::new("admin");
        CheckpointState::Holding { user: UserId(1), key: KeyId(2), token }
    }

    fn task(
        token: Option<Proof>,
        checkpoint: Option<&CheckpointState>,
        wish: bool,
        unfinished: bool,
    ) -> Task {
        let key = token.map(|_| SecretString::new("key"));
        let held = Held { token: key, unfinished, ..Held::default() };
        let due = due(4);
        decide(Known { held: &held, proof: token, checkpoint, due: &due, wish })
    }

    #[test]
    fn a_key_that_works_is_left_alone() {
        let works = Some(Proof::Works);
        assert_eq!(task(works, None, false, false), Task::Rest);
        assert_eq!(task(works, None, true, false), Task::Rotate);
        assert_eq!(task(works, None, false, true), Task::Finish);
        assert_eq!(task(works, Some(&holding()), true, false), Task::Finish);
        let refused = CheckpointState::Refused(attempt(4));
        assert_eq!(task(works, Some(&refused), false, false), Task::Forget);
    }

    #[test]
    fn a_rotation_that_was_refused_is_asked_for_again_only_for_something_new() {
        let key = Some(SecretString::new("key"));
        let held = Held { token: key, refused: Some(due(4)), ..Held::default() };
        let task = |due: &RefusedRotation, wish: bool| {
            let proof = Some(Proof::Works);
            decide(Known { held: &held, proof, checkpoint: None, due, wish })
        };
        assert_eq!(task(&due(4), true), Task::Denied);
        assert_eq!(task(&due(4), false), Task::Rest, "nobody asks any more");
        let other = RefusedRotation { asked: Some("b".to_owned()), ..due(4) };
        assert_eq!(task(&other, true), Task::Rotate);
        assert_eq!(task(&due(5), true), Task::Rotate);
        // A key that was left over is looked for all the same.
        let held = Held { unfinished: true, ..held };
        let (proof, due) = (Some(Proof::Works), due(4));
        let known = Known { held: &held, proof, checkpoint: None, due: &due, wish: true };
        assert_eq!(decide(known), Task::Finish);
    }

    #[test]
    fn without_one_the_checkpoint_says_how_far_it_came() {
        for token in [None, Some(Proof::Unknown)] {
            let task = |checkpoint: Option<&CheckpointState>| task(token, checkpoint, true, false);
            assert_eq!(task(None), Task::Bootstrap { resumed: false });
            let empty = CheckpointState::Empty;
            assert_eq!(task(Some(&empty)), Task::Bootstrap { resumed: true });
            assert_eq!(task(Some(&holding())), Task::Finish);
        }
    }

    #[test]
    fn a_refusal_is_tried_again_only_for_something_new() {
        let task = |checkpoint: &CheckpointState| task(None, Some(checkpoint), false, false);
        assert_eq!(task(&CheckpointState::Refused(attempt(4))), Task::Refused);
        let again = Task::Bootstrap { resumed: false };
        assert_eq!(task(&CheckpointState::Refused(attempt(3))), again);
        assert_eq!(task(&CheckpointState::Lost(attempt(4))), Task::Lost);
        let doubt = Task::Bootstrap { resumed: true };
        assert_eq!(task(&CheckpointState::Lost(attempt(3))), doubt);
    }
}
