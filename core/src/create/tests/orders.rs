//! Every order of faults: what has to hold whatever the server does.

use proptest::prelude::*;

use super::*;

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let one =
        prop::sample::select(vec![Answered, LostAfter, LostBefore, Refused, Overtaken, Fate::Late]);
    prop::collection::vec(one, 0..12)
}

/// What holds after every order of faults.
fn holds<K: Creatable>(
    server: &Server,
    foreign: &[i64],
    outcome: &Outcome<K>,
) -> Result<(), TestCaseError> {
    for id in foreign {
        prop_assert!(server.objects.iter().any(|(other, _)| other == id), "foreign {id} is gone");
    }
    if let Outcome::Made { made, warnings, .. } = outcome {
        let id = K::made_id(made);
        prop_assert!(server.objects.iter().any(|(other, _)| *other == id), "{id} is not there");
        let spare = server.ours().iter().filter(|other| **other != id).count();
        prop_assert!(spare == 0 || !warnings.is_empty(), "a duplicate, and nobody is told");
    }
    if let Outcome::Failed(failure) = outcome
        && !failure.may_have_made()
        && server.late.is_none()
        && matches!(failure, Failure::Taken { .. })
    {
        prop_assert!(server.objects.iter().any(|(_, name)| name == "a"));
    }
    Ok(())
}

/// Faults without other processes and without answers that come late: then all is certain.
fn plain(fates: &[Fate]) -> bool {
    fates.iter().all(|fate| !matches!(fate, Fate::Overtaken | Fate::Late))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn in_every_order_of_faults_nothing_is_made_twice(fates in fates()) {
        let mut server = Server::with(&["b"]);
        let outcome = run(&mut server, new_team(), false, &fates);
        let foreign = server.foreign.clone();
        holds(&server, &foreign, &outcome)?;
        prop_assert!(server.ours().len() <= 1);
        if let Outcome::Failed(failure) = &outcome && plain(&fates) {
            prop_assert!(failure.may_have_made() || server.ours().is_empty(), "{failure:?}");
        }
        prop_assert!(server.removed.is_empty());
    }

    #[test]
    fn in_every_order_of_faults_a_source_is_made_once_and_its_key_is_known(fates in fates()) {
        let fates: Vec<_> = fates.into_iter().filter(|fate| *fate != Overtaken).collect();
        let mut server = Server::with(&["b"]);
        let outcome = run(&mut server, new_source(), false, &fates);
        let foreign = server.foreign.clone();
        holds(&server, &foreign, &outcome)?;
        if plain(&fates) {
            match &outcome {
                Outcome::Made { .. } => prop_assert_eq!(server.ours().len(), 1),
                Outcome::Failed(failure) => prop_assert!(
                    failure.may_have_made() || server.ours().is_empty(), "{:?}", failure
                ),
                Outcome::Found(_) => prop_assert!(false, "nothing was there"),
            }
        }
    }

    #[test]
    fn in_every_order_of_faults_an_account_keeps_no_key_unless_told(fates in fates()) {
        let mut server = Server::with(&["b"]);
        let outcome = run(&mut server, new_account(), false, &fates);
        let foreign = server.foreign.clone();
        holds(&server, &foreign, &outcome)?;
        if let Outcome::Made { made, warnings, .. } = &outcome {
            let kept = server.keys.iter().any(|(owner, _)| *owner == NewAccount::made_id(made));
            prop_assert!(!kept || !warnings.is_empty());
        }
    }

    #[test]
    fn in_every_order_of_faults_no_key_is_revoked_that_was_there(
        fates in fates(), next in 0_i64..3,
    ) {
        let before: Vec<_> = (1..=next).map(|id| (5, id)).collect();
        let mut server = Server { keys: before.clone(), next, ..Server::default() };
        let new = NewKey { account: AccountId(5), name: "first".to_owned() };
        let outcome = run(&mut server, new, false, &fates);
        prop_assert!(server.keys.starts_with(&before));
        let new = server.keys.len() - before.len();
        match outcome {
            Outcome::Made { made, warnings, .. } => {
                prop_assert!(server.keys.contains(&(5, made.id.0)));
                prop_assert!(new == 1 || !warnings.is_empty());
            }
            Outcome::Failed(failure) => {
                prop_assert!(failure.may_have_made() || new == 0, "{failure:?}");
            }
            Outcome::Found(_) => prop_assert!(false, "keys are never adopted"),
        }
    }

    #[test]
    fn what_was_there_is_never_touched(fates in fates(), adopt: bool) {
        let mut server = Server::with(&["a", "b"]);
        let outcome = run(&mut server, new_source(), adopt, &fates);
        prop_assert!(server.foreign[..2].iter().all(|id| !server.removed.contains(id)));
        let made = matches!(outcome, Outcome::Made { .. });
        prop_assert!(!made, "the name was taken");
    }
}
