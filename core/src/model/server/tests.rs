//! The rows of `terdut_server`, one by one.

use super::*;
use crate::credential::{AdminKey, Facts, HeldAccount, HeldKey, Rotate};
use crate::ids::{AccountId, KeyId, UserId};

fn secret(text: &str) -> Input<SecretString> {
    Input::Given(SecretString::new(text))
}

fn text(text: &str) -> Input<String> {
    Input::Given(text.to_owned())
}

fn input() -> ServerInput {
    ServerInput { url: text("https://t.example.org"), ..ServerInput::default() }
}

fn bootstrap(password: Input<SecretString>) -> Input<BootstrapInput> {
    let (username, email) = (text("root"), text("root@example.org"));
    Input::Given(BootstrapInput { username, email, password, ..BootstrapInput::default() })
}

fn held() -> HeldAccount {
    HeldAccount {
        id: AccountId(1),
        name: Some("terraform".into()),
        made: true,
        key: Some(HeldKey { id: Some(KeyId(2)), token: SecretString::new("own") }),
        previous: None,
        spare: Vec::new(),
    }
}

fn admin() -> AdminKey {
    AdminKey { user: UserId(1), key: KeyId(1), token: SecretString::new("admin"), done: true }
}

fn prior() -> PriorServer {
    PriorServer {
        url: "https://t.example.org".parse().ok(),
        service_account_name: Some("terraform".into()),
        facts: Facts { current: Some(held()), ..Facts::default() },
        ..PriorServer::default()
    }
}

fn imported() -> PriorServer {
    PriorServer { url: prior().url, imported: true, ..PriorServer::default() }
}

fn watched(day: Input<String>) -> Input<BTreeMap<String, Input<String>>> {
    Input::Given(BTreeMap::from([("day".to_owned(), day)]))
}

fn errors(plan: &ServerPlan) -> Vec<String> {
    plan.findings.errors.iter().map(|problem| problem.path.to_string()).collect()
}

const KEY: Fresh = Fresh { token: true, account: false, bootstrap_token: false };
const ACCOUNT: Fresh = Fresh { token: true, account: true, bootstrap_token: false };
const NOTHING: Fresh = Fresh { token: false, account: false, bootstrap_token: false };

#[test]
fn every_fault_is_reported_at_its_path() {
    let bad = ServerInput {
        url: text("ftp://t.example.org"),
        admin_token: secret("a"),
        admin_token_wo: secret("b"),
        service_account_name: text("a\nb"),
        bootstrap: Input::Given(BootstrapInput {
            username: text(" "),
            email: text("root"),
            password: secret("x"),
            password_wo: secret("y"),
        }),
        ..ServerInput::default()
    };
    let found = validate(&bad);
    let paths: Vec<_> = found.errors.iter().map(|problem| problem.path.to_string()).collect();
    let expected = [
        "url",
        "service_account_name",
        "admin_token",
        "bootstrap",
        "bootstrap.username",
        "bootstrap.email",
        "bootstrap.password",
    ];
    assert_eq!(paths, expected);
}

#[test]
fn an_unknown_value_is_no_fault() {
    let unknown = ServerInput {
        url: Input::Unknown,
        admin_token: Input::Unknown,
        bootstrap: Input::Unknown,
        service_account_name: Input::Unknown,
        ..ServerInput::default()
    };
    assert!(validate(&unknown).is_valid());
    assert!(plan(&unknown, None).findings.is_valid());
}

#[test]
fn plain_http_to_another_host_warns() {
    let plain = ServerInput { url: text("http://t.example.org"), ..ServerInput::default() };
    assert_eq!(validate(&plain).warnings.len(), 1);
    let local = ServerInput { url: text("http://127.0.0.1:80"), ..ServerInput::default() };
    assert!(validate(&local).warnings.is_empty());
}

#[test]
fn a_create_needs_a_source_for_the_token() {
    assert_eq!(errors(&plan(&input(), None)), [""]);
    let handed = ServerInput { admin_token_wo: secret("a"), ..input() };
    assert!(plan(&handed, None).findings.is_valid());
}

#[test]
fn a_bootstrap_without_a_password_warns_once() {
    let without = ServerInput { bootstrap: bootstrap(Input::Absent), ..input() };
    assert_eq!(plan(&without, None).findings.warnings.len(), 1);
    for password in [secret("x"), Input::Unknown] {
        let with = ServerInput { bootstrap: bootstrap(password), ..input() };
        assert!(plan(&with, None).findings.warnings.is_empty());
    }
}

#[test]
fn nothing_changed_calls_nothing() {
    let planned = plan(&input(), Some(&prior()));
    assert_eq!((planned.fresh, planned.calls), (NOTHING, false));
    assert!(matches!(planned.account_name, Input::Given(name) if name == "terraform"));
}

#[test]
fn the_watched_values_rotate_only_between_two_that_hold_something() {
    let old = Some(BTreeMap::from([("day".to_owned(), Some("1".to_owned()))]));
    for (new, prior, rotates) in [
        (watched(text("2")), old.clone(), true),
        (watched(Input::Unknown), old.clone(), true),
        (Input::Unknown, old.clone(), true),
        (watched(text("1")), old.clone(), false),
        (Input::Given(BTreeMap::new()), old.clone(), false),
        (Input::Absent, old, false),
        (watched(text("2")), None, false),
        (watched(Input::Unknown), Some(BTreeMap::new()), false),
    ] {
        let before = PriorServer { rotate_when_changed: prior, ..self::prior() };
        let after = ServerInput { rotate_when_changed: new.clone(), ..input() };
        let planned = plan(&after, Some(&before));
        assert_eq!(planned.fresh, if rotates { KEY } else { NOTHING }, "{new:?}");
        assert_eq!(planned.calls, rotates);
    }
}

#[test]
fn an_admin_token_rotates_only_when_it_replaces_another() {
    for (old, new, rotates) in [
        (Some("a"), secret("b"), true),
        (Some("a"), Input::Unknown, true),
        (Some("a"), secret("a"), false),
        (Some("a"), Input::Absent, false),
        (None, secret("b"), false),
        (None, Input::Unknown, false),
    ] {
        let before = PriorServer { admin_token: old.map(SecretString::new), ..prior() };
        let planned = plan(&ServerInput { admin_token: new, ..input() }, Some(&before));
        assert_eq!(planned.fresh.token, rotates, "{old:?}");
    }
}

#[test]
fn a_new_version_rotates_with_the_handed_key() {
    let before = PriorServer { admin_token_wo_version: Some("1".into()), ..prior() };
    let after =
        ServerInput { admin_token_wo: secret("a"), admin_token_wo_version: text("2"), ..input() };
    let planned = plan(&after, Some(&before));
    assert_eq!(planned.fresh, KEY);
    assert_eq!(planned.order(&after).rotate, Rotate::ByHanded);
    let same = ServerInput { admin_token_wo_version: text("1"), ..after };
    assert_eq!(plan(&same, Some(&before)).fresh, NOTHING);
}

#[test]
fn after_an_import_the_token_stays_null_until_a_key_is_handed_in() {
    let named = ServerInput { service_account_name: text("ops"), ..input() };
    for quiet in [input(), named, ServerInput { bootstrap: bootstrap(secret("x")), ..input() }] {
        let planned = plan(&quiet, Some(&imported()));
        assert_eq!((planned.fresh, planned.calls), (NOTHING, false));
    }
    assert!(matches!(plan(&input(), Some(&imported())).account_name, Input::Absent));
    let minted = ServerInput { admin_token: secret("a"), ..input() };
    assert_eq!(plan(&minted, Some(&imported())).fresh, ACCOUNT);
    let minted = ServerInput { admin_token_wo: secret("a"), ..input() };
    assert_eq!(plan(&minted, Some(&imported())).fresh, NOTHING);
    let minted = ServerInput { admin_token_wo_version: text("1"), ..minted };
    assert_eq!(plan(&minted, Some(&imported())).fresh, ACCOUNT);
}

#[test]
fn a_rename_makes_the_account_anew_and_needs_an_admin_key() {
    let renamed = ServerInput { service_account_name: text("ops"), ..input() };
    let planned = plan(&renamed, Some(&prior()));
    assert_eq!(planned.fresh, ACCOUNT);
    assert_eq!(errors(&planned), ["service_account_name"]);
    let renamed = ServerInput { admin_token: secret("a"), ..renamed };
    assert!(plan(&renamed, Some(&prior())).findings.is_valid());
    let open = ServerInput { service_account_name: Input::Unknown, ..input() };
    let planned = plan(&open, Some(&prior()));
    assert!(planned.findings.is_valid() && planned.fresh.account);
    let spelled = ServerInput { service_account_name: text(" terraform "), ..input() };
    assert_eq!(plan(&spelled, Some(&prior())).fresh, NOTHING);
}

#[test]
fn a_refused_token_needs_a_key_to_mint_with() {
    let refused = PriorServer { refused: true, ..prior() };
    let planned = plan(&input(), Some(&refused));
    assert_eq!(planned.findings.errors.len(), 1);
    assert!(planned.findings.errors[0].hint.contains("admin_token_wo or admin_token"));
    let handed = ServerInput { admin_token: secret("a"), ..input() };
    let planned = plan(&handed, Some(&refused));
    assert!(planned.findings.is_valid() && planned.fresh.token);
    assert_eq!(planned.order(&handed).rotate, Rotate::Lost);
}

#[test]
fn an_unfinished_create_is_finished() {
    let facts = Facts { admin: Some(admin()), unfinished: true, ..Facts::default() };
    let begun = PriorServer { facts, ..prior() };
    let planned = plan(&input(), Some(&begun));
    assert!(planned.findings.is_valid());
    assert!(planned.fresh.token && planned.fresh.bootstrap_token && planned.calls);
}

#[test]
fn what_is_not_finished_takes_no_other_wish_away() {
    let facts = Facts { admin: Some(admin()), unfinished: true, ..prior().facts };
    let begun = PriorServer { facts, ..prior() };
    let finish = plan(&input(), Some(&begun));
    assert!(finish.calls && !finish.fresh.token && !finish.asks_anew());
    let rotate = ServerInput { admin_token_wo_version: text("9"), ..input() };
    let planned = plan(&rotate, Some(&begun));
    assert!(planned.fresh.token && planned.asks_anew());
    assert_eq!(planned.order(&rotate).rotate, Rotate::ByHanded);
    let rename = ServerInput { service_account_name: text("ops"), ..input() };
    let planned = plan(&rename, Some(&begun));
    assert!(planned.fresh.account && planned.asks_anew());
}

#[test]
fn a_moved_server_is_proved_and_a_slash_moves_nothing() {
    let moved = ServerInput { url: text("https://other.example.org"), ..input() };
    let planned = plan(&moved, Some(&prior()));
    assert!(planned.calls && planned.order(&moved).prove_held);
    let slash = ServerInput { url: text("https://t.example.org/"), ..input() };
    assert!(!plan(&slash, Some(&prior())).calls);
}

#[test]
fn the_bootstrap_key_can_be_given_up_later_but_not_asked_for() {
    let keep = ServerInput { keep_bootstrap_token: Input::Given(true), ..input() };
    assert_eq!(errors(&plan(&keep, Some(&prior()))), ["keep_bootstrap_token"]);
    let after_import = plan(&keep, Some(&imported()));
    assert!(after_import.findings.is_valid());
    assert_eq!(after_import.findings.warnings.len(), 1);

    let facts = Facts { admin: Some(admin()), ..prior().facts };
    let kept = PriorServer { facts, keep_bootstrap_token: true, ..prior() };
    assert!(!plan(&keep, Some(&kept)).calls);
    let planned = plan(&input(), Some(&kept));
    assert!(planned.gives_up_bootstrap_token && planned.calls);
}
