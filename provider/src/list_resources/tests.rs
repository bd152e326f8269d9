//! What a list is narrowed to, without a server.

use terdut_core::api::{Account, AccountScope};
use terdut_core::ids::{AccountId, TeamId};
use terdut_plugin::value::Value;

use super::filter::Filter;

fn filter(settings: &[(&'static str, &'static str)]) -> Filter {
    let config = Value::object(settings.iter().map(|(name, text)| (*name, Value::from(*text))));
    Filter::read(&config).unwrap()
}

#[test]
fn all_that_is_set_has_to_fit_a_name() {
    for (settings, fitting) in [
        (&[][..], &["Platform", " Platform ", "Data platform", "x"][..]),
        (&[("name", " Platform ")], &["Platform", " Platform "]),
        (&[("name_prefix", " Plat")], &["Platform", " Platform "]),
        (&[("name_contains", "PLAT")], &["Platform", " Platform ", "Data platform"]),
        (&[("name_prefix", "Data"), ("name_contains", "form")], &["Data platform"]),
        // A blank inside a name tells "Data platform" from "Database".
        (&[("name_prefix", "Data ")], &["Data platform"]),
        (&[("name_contains", " PLAT")], &["Data platform"]),
        (&[("name_contains", "a ")], &["Data platform"]),
        (&[("name", "")], &["Platform", " Platform ", "Data platform", "x"]),
    ] {
        let filter = filter(settings);
        let names = ["Platform", " Platform ", "Data platform", "x"];
        let found: Vec<_> = names.into_iter().filter(|name| filter.fits(name)).collect();
        assert_eq!(found, fitting, "{settings:?}");
    }
}

#[test]
fn an_account_is_chosen_by_scope_team_and_id() {
    let account = |id, scope| {
        let (id, name) = (AccountId(id), "a".to_owned());
        Account { id, name, scope, created_at: None }
    };
    let all = [
        account(1, AccountScope::Instance),
        account(2, AccountScope::Team(TeamId(7))),
        account(3, AccountScope::Team(TeamId(8))),
    ];
    for (settings, ids) in [
        (&[][..], &[1, 2, 3][..]),
        (&[("scope", "instance")], &[1]),
        (&[("scope", "team")], &[2, 3]),
        (&[("team_id", "7")], &[2]),
        (&[("service_account_id", "3"), ("scope", "team")], &[3]),
        (&[("team_id", "7"), ("scope", "instance")], &[]),
    ] {
        let filter = filter(settings);
        let found = all.iter().filter(|account| filter.fits_account(account));
        assert_eq!(found.map(|account| account.id.0).collect::<Vec<_>>(), ids, "{settings:?}");
    }
}

#[test]
fn all_that_is_wrong_is_told_at_its_place_and_nothing_of_what_is_unknown() {
    let bad =
        [("team_id", "seven".into()), ("service_account_id", "x".into()), ("scope", "all".into())];
    let told = Filter::read(&Value::object(bad)).unwrap_err();
    let places: Vec<_> = told.iter().map(|one| one.summary.as_str()).collect();
    assert_eq!(places, ["Invalid team_id", "Invalid service_account_id", "Invalid scope"]);
    assert!(told.iter().all(|one| one.path.is_some()));
    let open = Value::object([("team_id", Value::UNKNOWN), ("scope", Value::UNKNOWN)]);
    assert_eq!(Filter::read(&open), Ok(Filter::default()));
}
