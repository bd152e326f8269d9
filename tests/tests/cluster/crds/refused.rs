//! What the API server refuses at once, and what a person then reads.

use expect_test::expect_file;
use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Answer, Cluster, Kind, kind};

use super::{Case, changed, least, offline};

fn one(kind: Kind, what: &'static str, pointer: &'static str, value: Json) -> Case {
    (kind, what, vec![(pointer, value)])
}

fn servers() -> Vec<Case> {
    let server = |what, pointer, value| one(kind::SERVER, what, pointer, value);
    let dsn =
        |dsn: &str| json!({ "dsn": dsn, "passwordSecretRef": { "name": "pg", "key": "password" } });
    let variables: Vec<_> =
        (0..65).map(|n| json!({ "name": format!("A{n}"), "value": "" })).collect();
    let selector = json!({ "matchLabels": { "a": "b" } });
    vec![
        server("a name that is no Service's", "/metadata/name", json!("1st")),
        server("a name with dots", "/metadata/name", json!("a.b")),
        server("a name that is too long", "/metadata/name", json!("a".repeat(64))),
        server("no tag", "/spec/image/tag", Json::Null),
        server("no image", "/spec/image", Json::Null),
        server("too many replicas", "/spec/replicas", json!(11)),
        server("fewer than no replicas", "/spec/replicas", json!(-1)),
        server("a port that is none", "/spec/networking", json!({ "servicePort": 70_000 })),
        server("no database", "/spec/database", json!({})),
        server("two databases", "/spec/database/dsn", json!("postgres://terdut@db/terdut")),
        server(
            "a password in the DSN",
            "/spec/database",
            dsn("postgres://terdut:x@db:5432/terdut"),
        ),
        server("a DSN without its Secret", "/spec/database", json!({ "dsn": "postgres://t@db/t" })),
        server("a duration in words", "/spec/sweeper", json!({ "staleAfter": "5 minutes" })),
        server(
            "archived before stale",
            "/spec/sweeper",
            json!({ "staleAfter": "2h", "archiveAfter": "1h" }),
        ),
        server(
            "archived before the default stale time",
            "/spec/sweeper",
            json!({ "archiveAfter": "5h" }),
        ),
        server("OIDC without an issuer", "/spec/oidc", json!({ "enabled": true, "clientID": "a" })),
        server("nobody can log in", "/spec/passwordLogin", json!(false)),
        server(
            "a selector that is missing",
            "/spec/allowedTeams",
            json!({ "namespaces": { "from": "Selector" } }),
        ),
        server(
            "a selector that is not asked for",
            "/spec/allowedTeams",
            json!({ "namespaces": { "from": "All", "selector": selector } }),
        ),
        server(
            "an unknown word for namespaces",
            "/spec/allowedTeams",
            json!({ "namespaces": { "from": "Some" } }),
        ),
        server(
            "an unknown word for adoption",
            "/spec/allowedTeams",
            json!({ "adoption": "Maybe" }),
        ),
        server("too many variables", "/spec/env", json!(variables)),
        server(
            "a variable with two values",
            "/spec/env",
            json!([
                { "name": "A", "value": "1", "valueFrom": { "secretKeyRef": { "name": "a", "key": "b" } } },
            ]),
        ),
        server("an unknown deletion policy", "/spec/deletionPolicy", json!("Orphan")),
        server("an unknown field", "/spec/replica", json!(1)),
    ]
}

fn others() -> Vec<Case> {
    use kind::{RULE, SOURCE, SWITCH, TEAM};
    let level = json!({ "timeout": "5m", "targets": [{ "kind": "oncall" }] });
    let target = |target: Json| json!([{ "timeout": "5m", "targets": [target] }]);
    vec![
        one(TEAM, "no server", "/spec/serverRef/name", Json::Null),
        one(TEAM, "no name for people", "/spec/displayName", Json::Null),
        one(TEAM, "an empty name for people", "/spec/displayName", json!("")),
        one(RULE, "no team", "/spec/teamRef/name", Json::Null),
        one(RULE, "no levels", "/spec/levels", json!([])),
        one(RULE, "too many levels", "/spec/levels", json!(vec![level; 21])),
        one(RULE, "a level without targets", "/spec/levels/0/targets", json!([])),
        one(RULE, "a time that is too short", "/spec/levels/0/timeout", json!("59s")),
        one(RULE, "a time that is too long", "/spec/levels/0/timeout", json!("24h1s")),
        one(RULE, "a user without a name", "/spec/levels", target(json!({ "kind": "user" }))),
        one(
            RULE,
            "a name on call",
            "/spec/levels",
            target(json!({ "kind": "oncall", "username": "a" })),
        ),
        one(RULE, "an unknown target", "/spec/levels", target(json!({ "kind": "group" }))),
        one(RULE, "too many repeats", "/spec/repeatCount", json!(101)),
        one(SWITCH, "no name", "/spec/name", Json::Null),
        one(SWITCH, "an empty matcher", "/spec/matcher", json!("")),
        one(SWITCH, "no time", "/spec/timeout", Json::Null),
        one(SWITCH, "a time that is too short", "/spec/timeout", json!("30s")),
        one(SWITCH, "a time that is too long", "/spec/timeout", json!("721h")),
        one(SOURCE, "no name", "/spec/name", Json::Null),
        one(SOURCE, "a kind in capitals", "/spec/kind", json!("Alertmanager")),
        one(SOURCE, "an object's name that is too long", "/metadata/name", json!("a".repeat(238))),
    ]
}

/// What may not change once it is set: from, to.
fn moves() -> Vec<(Kind, &'static str, (&'static str, Json))> {
    let mut all = vec![
        (kind::TEAM, "another server", ("/spec/serverRef/name", json!("other"))),
        (
            kind::TEAM,
            "its own namespace written out",
            ("/spec/serverRef/namespace", json!("moves")),
        ),
    ];
    for kind in [kind::RULE, kind::SWITCH, kind::SOURCE] {
        all.push((kind, "another team", ("/spec/teamRef/name", json!("other"))));
    }
    all
}

/// What a person reads of a refusal.
fn refusal(answer: &Answer, kind: Kind, what: &str) -> String {
    let status = answer.status.as_u16();
    assert!(status == 422 || status == 400, "{} with {what}: {status} {}", kind.kind, answer.json);
    let message = answer.message();
    assert!(!message.contains("failed rule"), "{what}: a rule without words: {message}");
    format!("{}: {what}\n    {}\n", kind.kind, shortened(message))
}

/// Without what the API server adds of its own, and with long names cut.
fn shortened(message: &str) -> String {
    let beside = ", <nil>: Invalid value: null: some validation rules were not checked because the \
                  object was invalid; correct the existing errors to complete validation";
    let long = [238, 64].map(|length| "a".repeat(length));
    let cut = |text: String, long: &String| text.replace(long.as_str(), "aaa…");
    long.iter().fold(message.replace(beside, ""), cut)
}

#[tokio::test]
async fn what_one_object_alone_can_tell_is_refused_in_words() {
    let Some(cluster) = Cluster::shared() else { return };
    let client = cluster.admin();
    let namespace = cluster.namespace("refused", &json!({})).await;
    let mut read = String::new();
    for (kind, what, changes) in servers().into_iter().chain(others()) {
        let object = changed(least(kind, &namespace, "wrong"), &changes);
        read += &refusal(&client.try_create(&object).await, kind, what);
        let (passes, said) = offline(&object);
        assert!(!passes, "without a cluster, {} with {what} passes: {said}", kind.kind);
    }
    for (kind, what, change) in moves() {
        let object = least(kind, &namespace, "moved");
        client.apply(&object).await;
        let answer = client.try_apply(&changed(object, &[change]), "").await;
        read += &refusal(&answer, kind, what);
    }
    expect_file!["../golden/refused.golden"].assert_eq(&read.replace(&namespace, "NAMESPACE"));
}
