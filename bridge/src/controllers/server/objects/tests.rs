//! What is done with objects that are there, that are not, and that are somebody else's.

use std::collections::BTreeMap;

use terdut_core::render::Database;

use super::*;
use crate::controllers::server::wanted as manifest;

fn server(spec: &Value, take_over: Option<&str>) -> TerdutServer {
    let mut spec = spec.clone();
    spec["image"] = json!({ "tag": "v1" });
    spec["database"] = json!({ "dsn": "postgres://a@b/c", "passwordSecretRef": { "name": "db" } });
    let annotations = take_over.map(|name| json!({ annotation::TAKE_OVER: name }));
    let metadata =
        json!({ "namespace": "oncall", "name": "main", "uid": "u1", "annotations": annotations });
    serde_json::from_value(json!({ "metadata": metadata, "spec": spec })).unwrap()
}

fn facts(install: &Install, secret_version: Option<&str>) -> Facts {
    let terdut_core::model::install::DatabaseChoice::Dsn { dsn, password } = &install.database
    else {
        panic!("it is named by a DSN")
    };
    let database = Database::from_dsn(dsn, password);
    Facts { database, secret_version: secret_version.map(str::to_owned) }
}

fn wanted_of(server: &TerdutServer, existing: &Existing) -> Wanted {
    let install = manifest::install(server).unwrap();
    wanted(server, &install, &facts(&install, Some("7")), existing)
}

/// What is there after all that is wanted was applied.
fn applied(server: &TerdutServer) -> Existing {
    let wanted = wanted_of(server, &Existing::default());
    let stored = |object: Value| {
        let mut object = object;
        object["metadata"]["uid"] = json!("o1");
        object["metadata"]["resourceVersion"] = json!("5");
        object
    };
    let objects = wanted.objects.into_iter().map(|(kind, object)| (kind, stored(object)));
    let has_routes = true;
    Existing { objects: objects.collect::<BTreeMap<_, _>>(), has_routes, ..Existing::default() }
}

fn kinds(steps: &[Step]) -> Vec<Owned> {
    let kind = |step: &Step| match step {
        Step::Apply { kind, .. } | Step::Delete { kind, .. } => *kind,
    };
    steps.iter().map(kind).collect()
}

fn decided(server: &TerdutServer, existing: &Existing) -> Result<Vec<Step>, Halt> {
    decide(server, &wanted_of(server, existing), existing)
}

fn obstacle(server: &TerdutServer, existing: &Existing) -> String {
    match decided(server, existing) {
        Err(Halt::Because { state, .. }) => {
            assert_eq!(state.reason, Reason::ForeignObject);
            state.message
        }
        other => panic!("something is in the way: {other:?}"),
    }
}

const ROUTED: &str = r#"{"networking": {"hostname": "a.example.org", "gatewayListener": "infra/gw"}, "replicas": 2}"#;

fn routed() -> TerdutServer {
    server(&serde_json::from_str(ROUTED).unwrap(), None)
}

#[test]
fn everything_is_made_once() {
    let server = routed();
    let all = [
        Owned::ServiceAccount,
        Owned::Service,
        Owned::Deployment,
        Owned::HttpRoute,
        Owned::PodDisruptionBudget,
    ];
    let nothing = Existing { has_routes: true, ..Existing::default() };
    assert_eq!(kinds(&decided(&server, &nothing).unwrap()), all);
    assert_eq!(decided(&server, &applied(&server)).unwrap(), []);
    let without = Existing::default();
    assert_eq!(kinds(&decided(&server, &without).unwrap()).len(), 4, "no kind, no route");
}

#[test]
fn what_differs_is_applied_and_nothing_else() {
    let server = routed();
    let mut drifted = applied(&server);
    drifted.objects.get_mut(&Owned::Service).unwrap()["spec"]["ports"][0]["port"] = json!(1);
    assert_eq!(kinds(&decided(&server, &drifted).unwrap()), [Owned::Service]);
    let mut moved = serde_json::from_str::<Value>(ROUTED).unwrap();
    moved["networking"]["gatewayListener"] = json!("gw");
    let steps = decided(&self::server(&moved, None), &applied(&server)).unwrap();
    assert_eq!(kinds(&steps), [Owned::HttpRoute], "a part that is no longer said is seen");
}

#[test]
fn what_is_not_wanted_any_more_is_deleted_only_if_it_is_ours() {
    let plain = server(&json!({}), None);
    let mut there = applied(&routed());
    let there_is = |steps: &[Step], kind| {
        steps.iter().any(|step| matches!(step, Step::Delete { kind: found, .. } if *found == kind))
    };
    let steps = decided(&plain, &there).unwrap();
    assert!(there_is(&steps, Owned::HttpRoute) && there_is(&steps, Owned::PodDisruptionBudget));
    there.objects.get_mut(&Owned::HttpRoute).unwrap()["metadata"]["ownerReferences"] = json!([]);
    let steps = decided(&plain, &there).unwrap();
    assert!(!there_is(&steps, Owned::HttpRoute));
}

#[test]
fn a_foreign_object_leaves_all_as_it_is_until_it_may_be_taken_over() {
    let server = routed();
    let mut existing = applied(&server);
    let service = existing.objects.get_mut(&Owned::Service).unwrap();
    service["metadata"]["ownerReferences"] = json!([]);
    let message = obstacle(&server, &existing);
    assert!(message.contains("Service main") && message.contains("take-over: main"), "{message}");
    let permitted = self::server(&serde_json::from_str(ROUTED).unwrap(), Some("main"));
    let steps = decided(&permitted, &existing).unwrap();
    assert!(matches!(&steps[..], [Step::Apply { standing: Some(Standing::TakenOver), .. }]));
    let service = existing.objects.get_mut(&Owned::Service).unwrap();
    service["metadata"]["ownerReferences"] =
        json!([{ "kind": "Release", "name": "x", "uid": "u9", "controller": true }]);
    assert!(obstacle(&permitted, &existing).contains("Release x"));
}

#[test]
fn another_selector_is_answered_with_the_command() {
    let server = self::server(&json!({}), Some("main"));
    let mut existing = applied(&server);
    let deployment = existing.objects.get_mut(&Owned::Deployment).unwrap();
    deployment["metadata"]["ownerReferences"] = json!([]);
    deployment["spec"]["selector"] = json!({ "matchLabels": { "app": "terdut" } });
    let message = obstacle(&server, &existing);
    assert!(message.ends_with("kubectl delete deployment main --namespace oncall"), "{message}");
}

#[test]
fn what_was_retained_is_its_heirs() {
    let server = self::server(&json!({}), None);
    let mut existing = applied(&server);
    for object in existing.objects.values_mut() {
        object["metadata"]["ownerReferences"] = json!([]);
        object["metadata"]["annotations"][render::RETAINED_BY] = json!("oncall/main");
    }
    assert!(obstacle(&server, &existing).contains("Deployment main"));
    existing.is_heir = true;
    let steps = decided(&server, &existing).unwrap();
    assert_eq!(steps.len(), 3);
    let taken =
        |step: &Step| matches!(step, Step::Apply { standing: Some(Standing::Retained), .. });
    assert!(steps.iter().all(taken));
}

#[test]
fn the_version_of_a_secret_that_is_away_stays_on_record() {
    let server = routed();
    let existing = applied(&server);
    let install = manifest::install(&server).unwrap();
    let away = wanted(&server, &install, &facts(&install, None), &existing);
    assert!(!away.password_changed);
    assert_eq!(decide(&server, &away, &existing).unwrap(), []);
    let other = wanted(&server, &install, &facts(&install, Some("8")), &existing);
    assert!(other.password_changed);
    assert_eq!(decide(&server, &other, &existing).unwrap(), [], "nothing restarts by itself");
}
