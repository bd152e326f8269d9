//! Records read back as they were written, and texts that are none.

use std::time::Duration;

use super::*;
use crate::credential::{AdminKey, Facts};
use crate::ids::{AccountId, KeyId, TeamId, UserId};
use crate::model::Kind;
use crate::secret::SecretString;

fn held() -> Held {
    Held {
        account: Some(AccountId(5)),
        key: Some(KeyId(9)),
        token: Some(SecretString::new("canary")),
        minted_at: Some(1_700_000_000),
        rotated: Some("2026-01-01".to_owned()),
        refused: Some(RefusedRotation {
            asked: Some("2026-02-02".to_owned()),
            attempt: Attempt { generation: 4, reconcile_at: "then".to_owned() },
            at: 1_700_000_100,
        }),
        unfinished: true,
    }
}

fn team() -> TeamRecord {
    TeamRecord {
        owner_uid: "team-uid".to_owned(),
        server_uid: "0123456789".to_owned(),
        server: ("oncall".to_owned(), "terdut".to_owned()),
        name: "Platform".to_owned(),
        before: [3, 7].into(),
        team: Some(TeamId(42)),
        held: held(),
    }
}

#[test]
fn a_team_record_is_read_back_as_it_was_written() {
    let intent = TeamRecord { team: None, before: [].into(), held: Held::default(), ..team() };
    for record in [team(), intent] {
        assert_eq!(TeamRecord::parse(&record.data()), Some(record));
    }
    assert!(team().is_of("team-uid") && !team().is_of("other"));
    assert!(!TeamRecord { owner_uid: String::new(), ..team() }.is_of(""));
}

#[test]
fn a_secret_that_lacks_what_a_team_record_needs_is_none() {
    for key in ["owner-uid", "server-uid", "server", "name", "before"] {
        let mut data = team().data();
        data.remove(key);
        assert_eq!(TeamRecord::parse(&data), None, "{key}");
    }
    let mut data = team().data();
    data.insert("before".to_owned(), b"3,x".to_vec());
    assert_eq!(TeamRecord::parse(&data), None, "an id that was there could be taken for a new one");
}

#[test]
fn the_machine_goes_on_from_what_a_record_holds() {
    let facts = team().facts();
    let current = facts.current.clone().unwrap();
    assert_eq!(current.name.as_deref(), Some("terdut-operator-01234567-team-42"));
    assert!(current.made && facts.unfinished);
    assert_eq!(held().storing(&facts, 5), held(), "the same key was not made anew");

    let mut renewed = facts;
    renewed.current.as_mut().unwrap().key.as_mut().unwrap().token = SecretString::new("next");
    renewed.unfinished = false;
    let stored = held().storing(&renewed, 5);
    assert_eq!((stored.minted_at, stored.unfinished), (Some(5), false));
    assert_eq!(stored.refused, None, "a refusal is of the key before");
    assert_eq!(stored.token, Some(SecretString::new("next")));
    assert_eq!(Held::default().facts("a"), Facts::default());
}

#[test]
fn a_key_is_due_once_for_each_wish_and_when_its_age_is_reached_or_unknown() {
    let held = |rotated: Option<&str>| Held {
        rotated: rotated.map(str::to_owned),
        minted_at: Some(1_000),
        ..Held::default()
    };
    assert!(held(None).is_due(Some("a"), 0, None));
    assert!(!held(Some("a")).is_due(Some("a"), 0, None));
    assert!(held(Some("a")).is_due(Some("b"), 0, None));
    assert!(!held(Some("a")).is_due(None, 9_999_999, None));
    let hour = Some(Duration::from_hours(1));
    assert!(!held(None).is_due(None, 4_599, hour));
    assert!(held(None).is_due(None, 4_600, hour));
    assert!(Held::default().is_due(None, 0, hour));
}

#[test]
fn a_refusal_counts_for_a_day_and_for_the_same_wish() {
    let refused = held().refused.unwrap();
    let later = |seconds: i64| RefusedRotation { at: refused.at + seconds, ..refused.clone() };
    assert!(refused.is_of(&later(0)) && refused.is_of(&later(86_399)));
    assert!(!refused.is_of(&later(86_400)));
    assert!(!refused.is_of(&RefusedRotation { asked: None, ..later(1) }));
    let attempt = Attempt { generation: 5, ..refused.attempt.clone() };
    assert!(!refused.is_of(&RefusedRotation { attempt, ..later(1) }));
}

#[test]
fn an_instance_record_and_its_checkpoint_are_read_back_as_they_were_written() {
    let record = InstanceRecord { retained: true, held: held(), ..InstanceRecord::new("uid") };
    assert_eq!(InstanceRecord::parse(&record.data()), Some(record));
    let attempt = Attempt { generation: 4, reconcile_at: "now".to_owned() };
    let (user, key, token) = (UserId(1), KeyId(2), SecretString::new("admin"));
    for state in [
        CheckpointState::Empty,
        CheckpointState::Refused(attempt.clone()),
        CheckpointState::Lost(attempt),
        CheckpointState::Holding { user, key, token },
    ] {
        let checkpoint = Checkpoint { owner_uid: "uid".to_owned(), state };
        assert_eq!(Checkpoint::parse(&checkpoint.data()), Some(checkpoint));
    }
}

#[test]
fn a_checkpoint_that_lost_its_key_is_empty_and_a_stranger_is_none() {
    let (user, key, token) = (UserId(1), KeyId(2), SecretString::new("admin"));
    let state = CheckpointState::Holding { user, key, token };
    let mut data = Checkpoint { owner_uid: "uid".to_owned(), state }.data();
    data.remove("token");
    assert_eq!(Checkpoint::parse(&data), Some(Checkpoint::empty("uid")));
    data.insert("state".to_owned(), b"other".to_vec());
    assert_eq!(Checkpoint::parse(&data), None);
}

#[test]
fn an_admin_key_goes_through_the_checkpoint() {
    let record = InstanceRecord::new("uid");
    let (user, key, token) = (UserId(1), KeyId(2), SecretString::new("admin"));
    let admin = Some(AdminKey { user, key, token, done: false });
    let facts = Facts { admin, ..Facts::default() };
    let holding = Checkpoint::empty("uid").storing(&facts);
    assert_eq!(record.facts(Some(&holding)), facts);
    assert_eq!(record.facts(Some(&Checkpoint::empty("uid"))), Facts::default());
}

#[test]
fn a_child_record_is_compact_and_of_one_object_in_one_team() {
    let record = ChildRecord {
        uid: "u".to_owned(),
        team: TeamId(42),
        kind: Kind::DeadmanSwitch,
        name: "prod".to_owned(),
        before: [3].into(),
        id: None,
    };
    let text = record.text();
    assert_eq!(text, r#"{"before":[3],"kind":"DeadmanSwitch","name":"prod","team":42,"uid":"u"}"#);
    assert_eq!(ChildRecord::parse(&text), Some(record.clone()));
    assert!(record.valid_for("u", TeamId(42), Kind::DeadmanSwitch));
    assert!(!record.valid_for("v", TeamId(42), Kind::DeadmanSwitch));
    assert!(!record.valid_for("u", TeamId(43), Kind::DeadmanSwitch));
    assert!(!record.valid_for("u", TeamId(42), Kind::AlertSource));
    let made = ChildRecord { id: Some(7), ..record };
    assert_eq!(ChildRecord::parse(&made.text()), Some(made));
}

#[test]
fn a_text_that_is_no_record_is_none() {
    for text in [
        "",
        "{}",
        "[]",
        r#"{"uid":"u","team":42,"kind":"DeadmanSwitch"}"#,
        r#"{"uid":"u","team":42,"kind":"Team","before":[]}"#,
        r#"{"uid":"u","team":42,"kind":"","before":[]}"#,
        r#"{"uid":"u","team":"42","kind":"DeadmanSwitch","before":[]}"#,
    ] {
        assert_eq!(ChildRecord::parse(text), None, "{text}");
    }
    let newer = r#"{"uid":"u","team":42,"kind":"DeadmanSwitch","before":[],"more":true}"#;
    assert!(ChildRecord::parse(newer).is_some());
}

#[test]
fn a_secret_is_named_after_its_object_and_never_too_long() {
    let kind = SecretKind::TeamCredentials;
    assert_eq!(secret_name(kind, "platform", "team"), "platform.team-team-credentials");
    assert_ne!(secret_name(kind, "a", "b.c"), secret_name(kind, "a.b", "c-"));
    let long = |last: &str| format!("{}.{last}", "n".repeat(250));
    let (one, other) = (secret_name(kind, "ns", &long("a")), secret_name(kind, "ns", &long("b")));
    assert_ne!(one, other);
    for name in [one, other, secret_name(kind, &"n".repeat(63), &"a.".repeat(126))] {
        assert!(name.len() <= 253, "{name}");
        let label = |label: &str| {
            let ends = |end: Option<char>| end.is_some_and(|end| end.is_ascii_alphanumeric());
            ends(label.chars().next()) && ends(label.chars().last())
        };
        assert!(name.split('.').all(label), "{name}");
    }
}

#[test]
fn accounts_are_named_after_the_server_and_the_team() {
    let uid = "6f1c2d3e-aaaa";
    assert_eq!(account_name(uid), "terdut-operator-6f1c2d3e");
    assert_eq!(team_account_name(uid, TeamId(42)), "terdut-operator-6f1c2d3e-team-42");
}
