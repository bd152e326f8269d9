//! A whole server of odd names, as both formats write it.

use expect_test::{ExpectFile, expect_file};

use super::*;
use crate::api::{
    Account, AccountScope, ApiKey, Integration, Level, Policy, Switch, Target, Team, User,
};
use crate::ids::{AccountId, IntegrationId, KeyId, SwitchId, TeamId, UserId};
use crate::model::Kind;

const BIG: i64 = (1 << 53) + 1;

fn team(id: i64, name: &str) -> TeamInventory {
    let team = Team {
        id: TeamId(id),
        name: name.to_owned(),
        oidc_member_group: None,
        oidc_owner_group: None,
    };
    TeamInventory { team, policy: None, switches: Vec::new(), sources: Vec::new() }
}

fn switch(id: i64, name: &str, severity: &str) -> Switch {
    let matcher = "alertname=Watchdog,env=a b".to_owned();
    let (name, timeout, severity) = (name.to_owned(), "1h30m0s".to_owned(), severity.to_owned());
    Switch { id: SwitchId(id), name, matcher, timeout, severity }
}

fn source(id: i64, kind: &str, name: &str) -> Integration {
    Integration { id: IntegrationId(id), kind: kind.to_owned(), name: name.to_owned() }
}

fn user(id: i64, name: &str, topic: Option<&str>) -> User {
    User {
        id: UserId(id),
        username: name.to_owned(),
        email: format!("{id}@example.org"),
        ntfy_topic: topic.map(str::to_owned),
        created_at: None,
    }
}

fn account(id: i64, name: &str, scope: AccountScope, keys: &[&str]) -> AccountInventory {
    let key = |(position, name): (i64, &&str)| ApiKey {
        id: KeyId(id * 10 + position),
        name: (*name).to_owned(),
        key: None,
        created_at: None,
    };
    let keys = (1..).zip(keys).map(key).collect();
    let account = Account { id: AccountId(id), name: name.to_owned(), scope, created_at: None };
    AccountInventory { account, keys }
}

fn policy(targets: Vec<Target>) -> Policy {
    let first = Level { timeout: "5m0s".to_owned(), targets: vec![Target::OnCall] };
    let second = Level { timeout: "1h0m0s".to_owned(), targets };
    Policy {
        repeat_count: 2,
        fallback_topic: Some("${topic}".to_owned()),
        levels: vec![first, second],
    }
}

/// All kinds; lists in an order that no server has to keep.
fn odd() -> Inventory {
    let mut platform = team(BIG, "Zürich \"${all}\"");
    platform.team.oidc_member_group = Some("%{members}".to_owned());
    platform.team.oidc_owner_group = Some("owners\\all".to_owned());
    platform.policy = Some(policy(vec![Target::User(UserId(7)), Target::OnCall]));
    platform.switches = vec![switch(5, "watch.dog", "page"), switch(4, "watch-dog", "critical")];
    platform.sources =
        vec![source(3, "webhook", "in\u{202e}visible"), source(2, "alertmanager", "監視")];
    let mut slug = team(2, "a b");
    slug.policy = Some(policy(vec![Target::User(UserId(99))]));
    let mut lines = team(3, "two\nlines");
    lines.switches = vec![switch(6, "below", "")];
    Inventory {
        server: "https://terdut.example.org".to_owned(),
        teams: vec![platform, team(4, "a-b"), slug, lines],
        users: vec![user(8, "bob", None), user(7, "Ada L.", Some("ada"))],
        accounts: vec![
            account(
                2,
                "ci",
                AccountScope::Team(TeamId(2)),
                &["initial", "tf-ephemeral-17-0000002a", "tf-ephemeral-mine"],
            ),
            account(1, "for", AccountScope::Instance, &["initial", "initial"]),
            account(3, "new", AccountScope::Other("region".to_owned()), &[]),
        ],
    }
}

fn selection(only: &[Kind]) -> Selection {
    Selection::new(only, only.is_empty(), Vec::new())
}

fn configured(inventory: &Inventory, only: &[Kind]) -> Document {
    terraform(
        inventory,
        &TerraformOptions { selection: selection(only), settings: only.is_empty() },
    )
}

fn declared(inventory: &Inventory, only: &[Kind]) -> Document {
    let options = ManifestOptions {
        selection: selection(only),
        namespace: Some("oncall".to_owned()),
        server_name: "terdut".to_owned(),
        server_namespace: Some("ops".to_owned()),
    };
    manifests(inventory, &options)
}

fn golden(document: &Document, expected: &ExpectFile) {
    let left = document.left_out.iter().map(|left| format!("## left out: {left}\n"));
    let notes = document.notes.iter().map(|note| format!("## note: {note}\n"));
    expected.assert_eq(&(document.text() + &left.chain(notes).collect::<String>()));
}

#[test]
fn the_configuration_of_an_odd_server_is_this() {
    golden(&configured(&odd(), &[]), &expect_file!["golden/odd.tf"]);
}

#[test]
fn the_manifests_of_an_odd_server_are_these() {
    golden(&declared(&odd(), &[]), &expect_file!["golden/odd.yaml"]);
}

#[test]
fn the_order_in_which_a_server_lists_changes_nothing() {
    let mut other = odd();
    other.teams.reverse();
    other.users.reverse();
    other.accounts.reverse();
    for team in &mut other.teams {
        team.switches.reverse();
        team.sources.reverse();
    }
    assert_eq!(configured(&odd(), &[]), configured(&other, &[]));
    assert_eq!(declared(&odd(), &[]), declared(&other, &[]));
}

#[test]
fn what_is_written_alone_names_what_it_belongs_to_by_id() {
    let text = configured(&odd(), &[Kind::DeadmanSwitch]).text();
    assert!(text.contains("team_id  = \"9007199254740993\""), "{text}");
    assert!(text.contains("terdut_deadman_switch.zurich_all_watch_dog_2"), "{text}");
    assert!(!text.contains("terdut_team"), "{text}");
    let text = configured(&odd(), &[Kind::EscalationRule]).text();
    assert!(text.contains("{ kind = \"user\", username = \"Ada L.\" }"), "{text}");
}

#[test]
fn a_server_with_nothing_on_it_gives_a_text_that_says_so() {
    let empty = Inventory { server: "https://h".to_owned(), ..Inventory::default() };
    assert_eq!(configured(&empty, &[]).files.len(), 1);
    assert!(configured(&empty, &[Kind::Team]).text().contains("Nothing"));
    assert_eq!(declared(&empty, &[]).text(), "# Exported from https://h.\n");
}

#[test]
fn of_two_that_the_bridge_cannot_tell_apart_only_the_first_is_written() {
    let mut one = team(1, "a");
    one.sources = vec![source(1, "alertmanager", "prod"), source(2, "alertmanager", " prod")];
    let inventory = Inventory { teams: vec![one, team(2, " a ")], ..Inventory::default() };
    let document = declared(&inventory, &[]);
    let left: Vec<_> = document.left_out.iter().map(|left| left.label.as_str()).collect();
    assert_eq!(left, ["\" a \" (id 2)", "\" prod\" (id 2)"]);
    assert_eq!((document.objects(), configured(&inventory, &[]).objects()), (2, 4));
}

#[test]
fn a_selection_of_teams_leaves_out_people_unless_they_are_named() {
    let team: crate::value::Name = "a".parse().unwrap();
    let of_team = Selection::new(&[], false, vec![team.clone()]);
    assert!(of_team.has(Kind::ServiceAccount) && !of_team.has(Kind::User));
    assert!(of_team.wants(" a ") && !of_team.wants("b") && of_team.reads_users());
    assert!(!of_team.has(Kind::ServiceAccountKey));
    assert!(Selection::new(&[Kind::User], true, vec![team]).has(Kind::User));
}

#[test]
fn a_kind_is_named_by_its_word() {
    for (kind, word) in KINDS {
        assert_eq!(kind_named(word), Ok(kind));
    }
    assert!(kind_named("server").unwrap_err().to_string().contains("escalation-rule"));
}

#[test]
fn what_an_export_writes_is_known_again_and_nothing_else_is() {
    for document in [configured(&odd(), &[]), declared(&odd(), &[])] {
        // A person may have written the settings: they are only ever overwritten.
        for file in document.files.iter().filter(|file| file.name != "terraform.tf") {
            assert!(is_an_exports(&file.text), "{}:\n{}", file.name, file.text);
        }
        let more = format!("{}variable \"x\" {{}}\n", document.files[1].text);
        assert!(!is_an_exports(&more), "{more}");
    }
    for text in ["", "# nothing\n", "kind: ConfigMap\n"] {
        assert!(!is_an_exports(text), "{text:?}");
    }
}
