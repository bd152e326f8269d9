//! The decision, over everything that a stranger can vary.

use std::collections::BTreeMap;

use proptest::prelude::*;
use terdut_core::consent::{Adoption, From, Selector};

use super::*;
use crate::engine::Next;
use crate::status::State;

const FROM: [From; 4] = [From::None, From::Same, From::All, From::Selector];
const GRANTS: [Grant; 3] = [Grant::Unknown, Grant::Granted, Grant::Refused];

fn facts(from: From, adoption: Adoption, deleting: bool) -> ServerFacts {
    let text = |text: &str| text.to_owned();
    let match_labels = BTreeMap::from([(text("allowed"), text("true"))]);
    let selector = Selector { match_labels, match_expressions: Vec::new() };
    let identity =
        ServerIdentity { namespace: text("oncall"), name: text("main"), uid: text("u-1") };
    ServerFacts { identity, allowed: AllowedTeams { from, selector, adoption }, deleting }
}

/// All that anybody gets to see: as a team, and as a child of that team.
fn seen(refused: Refused) -> [(Option<State>, Next); 2] {
    let as_team = (refused.state(), refused.next());
    let refused = refused.seen_by_child();
    [as_team, (refused.state(), refused.next())]
}

proptest! {
    #[test]
    fn a_stranger_cannot_tell_a_forbidden_server_from_a_missing_one(
        from in prop::sample::select(FROM.to_vec()),
        may_adopt: bool,
        deleting: bool,
        labels in prop::option::of(prop::collection::btree_map("allowed|team", "true|false", 0..3)),
        grant in prop::sample::select(GRANTS.to_vec()),
        grant_elsewhere in prop::sample::select(GRANTS.to_vec()),
        namespace in "tenant|oncall-2|kube-system|",
    ) {
        let adoption = if may_adopt { Adoption::Allow } else { Adoption::Deny };
        let asking = Asking { namespace: &namespace, labels: labels.as_ref() };
        let missing = decide("oncall", None, &asking, grant_elsewhere).unwrap_err();
        let there = facts(from, adoption, deleting);
        if let Err(refused @ Refused::NotPermitted) = decide("oncall", Some(&there), &asking, grant) {
            prop_assert_eq!(seen(refused), seen(missing));
        } else {
            // All other answers are for those whom the server allows.
            let label = labels.as_ref().and_then(|labels| labels.get("allowed"));
            let labelled = label.is_some_and(|value| value == "true");
            prop_assert!(from == From::All || (from == From::Selector && labelled));
        }
    }
}

fn asked_at_home(server: Option<&ServerFacts>, grant: Grant) -> Result<Permit, Refused> {
    decide("oncall", server, &Asking { namespace: "oncall", labels: None }, grant)
}

#[test]
fn in_its_own_namespace_a_missing_server_is_waited_for() {
    assert!(matches!(asked_at_home(None, Grant::Granted), Err(Refused::NoServer)));
    let forbidden = facts(From::None, Adoption::Allow, false);
    let refused = asked_at_home(Some(&forbidden), Grant::Granted);
    assert!(matches!(refused, Err(Refused::NotPermitted)));
}

#[test]
fn what_is_allowed_may_still_have_to_wait() {
    let (there, going) =
        (facts(From::Same, Adoption::Deny, false), facts(From::Same, Adoption::Deny, true));
    let permit = asked_at_home(Some(&there), Grant::Unknown).unwrap();
    assert_eq!(permit.server(), &there.identity);
    assert!(matches!(asked_at_home(Some(&going), Grant::Granted), Err(Refused::ServerDeleting)));
    assert!(matches!(asked_at_home(Some(&there), Grant::Refused), Err(Refused::NotGranted)));
}
