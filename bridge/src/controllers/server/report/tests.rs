//! What the conditions say, over what they said.

use k8s_openapi::jiff::Timestamp;
use kube::core::Status;

use super::*;
use crate::kube::KubeError;
use crate::testing::world::{SERVER, World};

fn after(before: &[Condition], generation: i64, seen: &Seen) -> Vec<Condition> {
    let report = report(before, generation, seen);
    conditions(before, &report, generation, &Time(Timestamp::UNIX_EPOCH))
}

fn good() -> Seen {
    let yes = || Some(State::yes(Reason::Available, "It is."));
    Seen { database: yes(), bootstrapped: yes(), applied: true, serves: true, ..Seen::default() }
}

fn failing(mut seen: Seen, reason: Reason) -> Seen {
    seen.is_not_ready(State::no(reason, "Because."), Next::Waiting);
    seen
}

fn shown(conditions: &[Condition]) -> Vec<(String, String)> {
    let two = |one: &Condition| (one.type_.clone(), format!("{} {}", one.status, one.reason));
    conditions.iter().map(two).collect()
}

fn says(conditions: &[Condition], kind: &str) -> String {
    let shown = shown(conditions);
    shown.into_iter().find(|(found, _)| found == kind).map(|(_, says)| says).unwrap_or_default()
}

#[test]
fn a_server_that_runs_is_ready_and_synced_and_nothing_else() {
    let conditions = after(&[], 1, &good());
    let kinds: Vec<_> = conditions.iter().map(|one| one.type_.as_str()).collect();
    assert_eq!(kinds, ["Bootstrapped", "DatabaseReady", "Ready", "Synced"]);
    assert!(conditions.iter().all(|one| one.status == "True"));
    assert_eq!(after(&conditions, 1, &good()), conditions, "nothing new, nothing written");
}

#[test]
fn what_was_noted_first_is_shown_and_what_is_eager_comes_next() {
    let mut seen = failing(good(), Reason::DeploymentUnavailable);
    seen.is_not_ready(State::no(Reason::Unreachable, "Later."), again(Class::Unreachable));
    assert_eq!(says(&after(&[], 1, &seen), "Ready"), "False DeploymentUnavailable");
    assert_eq!(says(&after(&[], 1, &seen), "Synced"), "True Applied");
    assert_eq!(seen.next(), again(Class::Unreachable));
    assert_eq!(good().next(), Next::Settled);
}

#[test]
fn what_was_not_looked_at_stays_as_it_was() {
    let ready = after(&[], 1, &good());
    let broken = after(&ready, 2, &failing(Seen::default(), Reason::Invalid));
    assert_eq!(says(&broken, "DatabaseReady"), "True Available");
    assert_eq!(says(&broken, "Synced"), "False Invalid");
    assert_eq!(says(&broken, "Degraded"), "True Invalid", "the update failed");
    assert_eq!(says(&after(&broken, 3, &good()), "Degraded"), "");
    let first = after(&[], 1, &failing(Seen::default(), Reason::Invalid));
    assert_eq!(says(&first, "Bootstrapped"), "Unknown Invalid");
    assert_eq!(says(&first, "Degraded"), "", "a first create that fails is no update");
}

#[test]
fn a_rotation_that_is_denied_leaves_ready_as_it_is() {
    let degraded = Some(State::yes(Reason::RotationDenied, "Because."));
    let conditions = after(&[], 1, &Seen { degraded, ..good() });
    assert_eq!(says(&conditions, "Ready"), "True Available");
    assert_eq!(says(&conditions, "Synced"), "True Applied");
    assert_eq!(says(&conditions, "Degraded"), "True RotationDenied");
}

#[test]
fn a_blocked_deletion_is_degraded() {
    let ready = after(&[], 1, &good());
    let blocked = after(&ready, 2, &failing(Seen::default(), Reason::DeletionBlocked));
    assert_eq!(says(&blocked, "Degraded"), "True DeletionBlocked");
    assert_eq!(says(&blocked, "Ready"), "False DeletionBlocked");
}

#[tokio::test]
async fn a_refusal_where_the_bridge_may_work_is_not_called_a_missing_grant() {
    let world = World::new().await;
    let there = || world.cluster.at(SERVER).unwrap();
    for reason in ["NamespaceNotGranted", "Invalid"] {
        let server: TerdutServer = serde_json::from_value(there()).unwrap();
        let status = Status::failure("exceeded quota", "Forbidden").with_code(403).boxed();
        let refused = KubeError::new("apply", "Service a/b", kube::Error::Api(status));
        end(&world.context, &server, Seen::default(), Err(refused.into())).await;
        let server: TerdutServer = serde_json::from_value(there()).unwrap();
        assert_eq!(find(server.conditions(), "Ready").unwrap().reason, reason);
        world.context.stores.namespaces().grant("oncall");
    }
}
