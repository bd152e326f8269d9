//! Alert sources: the key that is shown once, its Secret, names that are taken.

use std::time::Duration;

use serde_json::json;
use terdut_simulator::Fault;

use super::shared::{SETTLED, SOURCES, team, webhook, with_source};
use crate::engine::Next;
use crate::testing::world::{World, path, source_spec, value};

#[tokio::test]
async fn a_sources_secret_holds_what_is_shown_once() {
    let world = with_source().await;
    let there = &team(&world).integrations[0];
    let key = world.simulator.state().integration_key(there.team_id, there.id).unwrap();
    let secret = world.cluster.at(&webhook()).unwrap();
    assert_eq!(value(&secret, "key"), key);
    assert!(value(&secret, "url").contains(&key));
    assert_eq!(secret["type"], "Opaque");
    let owner = &secret["metadata"]["ownerReferences"][0];
    let source = world.cluster.at(&path(SOURCES, "source")).unwrap();
    assert_eq!(owner["uid"], source["metadata"]["uid"]);
    assert_eq!(source["status"]["webhookURLSecretRef"]["name"], "source-terdut-webhook");
    assert_eq!(source["status"]["integrationID"], there.id.to_string());
}

#[tokio::test]
async fn a_source_is_renamed_in_place_and_another_kind_rotates_its_key() {
    let world = with_source().await;
    world.simulator.assume(|assumed| assumed.other_integration_kinds = true);
    let id = team(&world).integrations[0].id;
    let key = value(&world.cluster.at(&webhook()).unwrap(), "key");
    world.cluster.edit(&path(SOURCES, "source"), |it| it["spec"]["name"] = json!("renamed"));
    assert_eq!(world.source("source").await, SETTLED);
    assert_eq!(team(&world).integrations[0].name, "renamed");
    assert_eq!(team(&world).integrations[0].id, id);
    assert_eq!(world.take_events(), ["Updated"]);

    world.cluster.edit(&path(SOURCES, "source"), |it| it["spec"]["kind"] = json!("webhook"));
    assert_eq!(world.source("source").await, SETTLED);
    assert_eq!(world.take_events(), ["KeyRotated"]);
    assert_eq!(team(&world).integrations.len(), 1);
    assert_eq!(team(&world).integrations[0].kind, "webhook");
    let new = value(&world.cluster.at(&webhook()).unwrap(), "key");
    assert_ne!(new, key);
    let there = &team(&world).integrations[0];
    assert_eq!(world.simulator.state().integration_key(there.team_id, there.id), Some(new));
}

#[tokio::test]
async fn a_change_by_a_person_while_a_source_is_made_costs_no_second_key() {
    let world = World::with_team().await;
    world.put(SOURCES, "source", &source_spec("alerts"));
    let post = ("POST", "/api/teams/{id}/integrations");
    let slow = Fault::on(post.0, post.1).after_acting().delay(Duration::from_millis(200));
    world.simulator.fault(slow);
    let person = async {
        while team(&world).integrations.is_empty() {
            tokio::task::yield_now().await;
        }
        world.cluster.edit(&path(SOURCES, "source"), |it| {
            it["metadata"]["labels"] = json!({ "team": "a" });
        });
    };
    let (next, ()) = tokio::join!(world.source("source"), person);
    assert_eq!(next, SETTLED);
    let id = team(&world).integrations[0].id;
    let source = world.cluster.at(&path(SOURCES, "source")).unwrap();
    assert_eq!(source["metadata"]["labels"]["team"], "a");
    assert_eq!(source["status"]["integrationID"], id.to_string());
    assert_eq!(world.source("source").await, SETTLED);
    assert_eq!(world.simulator.count(post.0, post.1), 1);
    assert_eq!(team(&world).integrations[0].id, id);
}

#[tokio::test]
async fn a_source_is_never_adopted() {
    let world = World::with_team().await;
    let there = world.simulator.state().add_integration(team(&world).team.id, "alerts").id;
    world.put(SOURCES, "source", &source_spec("alerts"));
    world.source("source").await;
    assert_eq!(world.ready(SOURCES, "source"), "False NameTaken");
    assert!(world.cluster.at(&webhook()).is_none());
    world.cluster.edit(&path(SOURCES, "source"), |it| it["spec"]["name"] = json!("other"));
    assert_eq!(world.source("source").await, SETTLED);
    world.cluster.delete_at(&path(SOURCES, "source"));
    assert_eq!(world.source("source").await, Some(Next::Gone));
    assert_eq!(team(&world).integrations[0].id, there);
}

#[tokio::test]
async fn a_name_that_is_lost_at_the_last_moment_is_nobodys_record() {
    let world = World::with_team().await;
    world.put(SOURCES, "source", &source_spec("alerts"));
    let route = "/api/teams/{id}/integrations";
    world.simulator.fault(Fault::on("POST", route).error(409, "name taken"));
    world.source("source").await;
    assert_eq!(world.ready(SOURCES, "source"), "False NameTaken");
    let there = world.simulator.state().add_integration(team(&world).team.id, "alerts").id;
    world.source("source").await;
    assert_eq!(world.ready(SOURCES, "source"), "False NameTaken");
    world.cluster.delete_at(&path(SOURCES, "source"));
    assert_eq!(world.source("source").await, Some(Next::Gone));
    assert_eq!(team(&world).integrations[0].id, there, "it was never ours");
}

#[tokio::test]
async fn a_webhook_secret_that_is_lost_is_said_and_not_healed() {
    let world = with_source().await;
    world.take_writes();
    world.cluster.take_away(&webhook());
    for _ in 0..2 {
        assert_eq!(world.source("source").await, Some(Next::Waiting));
        assert_eq!(world.ready(SOURCES, "source"), "False WebhookSecretLost");
        assert_eq!(world.condition(SOURCES, "source", "Synced").0, "True");
    }
    assert_eq!(world.take_events(), ["WebhookSecretLost"]);
    assert_eq!(world.simulator.count("POST", "/api/teams/{id}/integrations"), 1);
    assert!(world.cluster.at(&webhook()).is_none());
    world.cluster.delete_at(&path(SOURCES, "source"));
    assert_eq!(world.source("source").await, Some(Next::Gone));
    world.put(SOURCES, "source", &source_spec("alerts"));
    assert_eq!(world.source("source").await, SETTLED);
}

#[tokio::test]
async fn a_label_that_is_taken_off_is_put_back() {
    let world = with_source().await;
    let before = world.cluster.at(&webhook()).unwrap();
    world.cluster.edit(&webhook(), |secret| secret["metadata"]["labels"] = json!({}));
    assert_eq!(world.source("source").await, SETTLED);
    let after = world.cluster.at(&webhook()).unwrap();
    assert_eq!(after["metadata"]["labels"], before["metadata"]["labels"]);
    assert_eq!(after["data"], before["data"]);
}

#[tokio::test]
async fn a_secret_of_somebody_else_is_not_touched() {
    let world = World::with_team().await;
    let foreign = json!({
        "apiVersion": "v1", "kind": "Secret", "data": {},
        "metadata": { "labels": { "app.kubernetes.io/managed-by": "terdut-bridge" } },
    });
    world.cluster.put_at(&webhook(), foreign);
    let before = world.cluster.at(&webhook());
    world.put(SOURCES, "source", &source_spec("alerts"));
    world.source("source").await;
    assert_eq!(world.ready(SOURCES, "source"), "False ForeignObject");
    assert!(team(&world).integrations.is_empty(), "nothing whose key has no place is made");
    assert_eq!(world.cluster.at(&webhook()), before);
    world.cluster.take_away(&webhook());
    assert_eq!(world.source("source").await, SETTLED);
}
