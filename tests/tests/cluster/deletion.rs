//! Deletion ends: with a dead server, in every order, for what is kept, for what is paused, and with
//! whole namespaces.

use std::time::Duration;

use futures::future::join_all;
use serde_json::json;
use terdut_tests::cluster::{Client, Cluster, Entry, Filter, Kind, conditions, kind};

use crate::scene::{CHILDREN, Scene, credential_name, from, labelled};

mod namespaces;

const ABANDONED_WITHIN: Duration = Duration::from_secs(10);
const RETAINED_WITHIN: Duration = Duration::from_secs(5);
const NAME: &str = "platform";

/// A team and what is below it.
const TEAM_AND_CHILDREN: [Kind; 4] = [kind::TEAM, kind::RULE, kind::SWITCH, kind::SOURCE];

#[tokio::test]
async fn a_deletion_that_a_dead_server_blocks_is_ended_by_an_annotation() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &labelled()).await;
    let bridge = scene.start().await;
    let (client, guest) = (&scene.client, scene.guest());
    scene.settle(guest, "Platform").await;
    let before = scene.on_server();
    scene.site.traffic.cut_off(Filter::terdut());
    for kind in CHILDREN {
        client.delete(kind, guest, NAME).await;
        client.wait_reason(kind, guest, NAME, "Ready", "DeletionBlocked").await;
    }
    for kind in CHILDREN {
        abandon(client, kind, guest).await;
    }
    client.delete(kind::TEAM, guest, NAME).await;
    let blocked = client.wait_reason(kind::TEAM, guest, NAME, "Ready", "DeletionBlocked").await;
    assert_eq!(conditions::status(&blocked, "Degraded"), Some("True"));
    abandon(client, kind::TEAM, guest).await;
    assert_eq!(scene.on_server(), before, "what was given up stays");
    let record = format!("{guest}.{NAME}-team-credentials");
    assert!(client.find(kind::SECRET, &scene.site.own, &record).await.is_none());
    for kind in TEAM_AND_CHILDREN {
        let events = scene.events(guest, kind, NAME).await;
        let count = |reason: &str| events.iter().filter(|event| event.starts_with(reason)).count();
        assert_eq!((count("DeletionBlocked"), count("Abandoned")), (1, 1), "{events:?}");
    }
    drop(bridge);
}

async fn abandon(client: &Client, kind: Kind, namespace: &str) {
    client.annotate(kind, namespace, NAME, "terdut.ryuvia.com/on-delete", Some("abandon")).await;
    client.within(ABANDONED_WITHIN).wait_gone(kind, namespace, NAME).await;
}

/// What is deleted in every order: the handed-in key, the server, the team, and the children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Key,
    Server,
    Team,
    Children,
}

const PARTS: [Part; 4] = [Part::Key, Part::Server, Part::Team, Part::Children];

/// Every order of the four parts.
fn orders() -> Vec<Vec<Part>> {
    let mut orders = vec![Vec::new()];
    for _ in PARTS {
        let longer = |order: &Vec<Part>| {
            let left = PARTS.into_iter().filter(|part| !order.contains(part)).collect::<Vec<_>>();
            let order = order.clone();
            left.into_iter().map(move |part| [order.clone(), vec![part]].concat())
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

#[tokio::test]
async fn key_server_team_and_children_go_in_every_order() {
    let Some(cluster) = Cluster::shared() else { return };
    let orders = orders();
    assert_eq!(orders.len(), 24);
    let scene = Scene::new(cluster, 1 + orders.len(), &labelled()).await;
    let bridge = scene.start().await;
    let runs = orders.iter().enumerate().map(|(number, order)| {
        let namespace = scene.site.tenant(1 + number);
        one_order(&scene, namespace, order)
    });
    join_all(runs).await;
    drop(bridge);
}

/// A server with a team and children, all in one namespace, deleted in this order. After each
/// request the bridge has said that it waits, or the object is gone.
async fn one_order(scene: &Scene<'_>, namespace: &str, order: &[Part]) {
    let (client, display) = (&scene.client, format!("Team of {namespace}"));
    scene.add_server(namespace, "main", &from("Same")).await;
    client.apply(&crate::scene::team(namespace, NAME, (namespace, "main"), &display)).await;
    scene.add_children(namespace, NAME).await;
    client.wait_ready(kind::TEAM, namespace, NAME).await;
    scene.children_ready(namespace, NAME).await;
    for part in order {
        for (kind, namespace, name) in places(scene, namespace, *part) {
            client.delete(kind, &namespace, &name).await;
            let settled = |found: Option<&serde_json::Value>| {
                found.is_none_or(|object| {
                    conditions::reason(object, "Ready") == Some("DeletionBlocked")
                })
            };
            let what = format!("gone or blocked in the order {order:?}");
            client.wait(kind, &namespace, &name, &what, settled).await;
        }
    }
    for (kind, namespace, name) in PARTS.into_iter().flat_map(|p| places(scene, namespace, p)) {
        client.wait_gone(kind, &namespace, &name).await;
    }
    let is_there = scene.simulator.state().team_named(&display).is_some();
    let place = |part: Part| order.iter().position(|one| *one == part);
    let could = place(Part::Team) < place(Part::Key).min(place(Part::Server));
    assert_eq!(
        is_there, !could,
        "{order:?}: deleted on the server only while there is a way to it"
    );
    let records = client.list(kind::SECRET, &scene.site.own).await;
    let left = records.iter().filter_map(|secret| secret["metadata"]["name"].as_str());
    let left: Vec<_> = left.filter(|name| name.starts_with(&format!("{namespace}."))).collect();
    assert!(left.is_empty(), "{order:?}: {left:?}");
}

fn places(scene: &Scene<'_>, namespace: &str, part: Part) -> Vec<(Kind, String, String)> {
    let own = |kind: Kind, name: &str| (kind, namespace.to_owned(), name.to_owned());
    match part {
        Part::Key => {
            let name = credential_name(namespace, "main");
            vec![(kind::SECRET, scene.site.own.clone(), name)]
        }
        Part::Server => vec![own(kind::SERVER, "main")],
        Part::Team => vec![own(kind::TEAM, NAME)],
        Part::Children => CHILDREN.map(|kind| own(kind, NAME)).to_vec(),
    }
}

/// What is missing when something that is kept is deleted.
#[derive(Debug, Clone, Copy)]
enum Missing {
    Nothing,
    Answers,
    Key,
    Server,
}

#[tokio::test]
async fn what_is_kept_goes_at_once_and_stays_on_the_server() {
    let Some(cluster) = Cluster::shared() else { return };
    for missing in [Missing::Nothing, Missing::Answers, Missing::Key, Missing::Server] {
        let scene = Scene::new(cluster, 3, &labelled()).await;
        let bridge = scene.start().await;
        for number in [1, 2] {
            let namespace = scene.site.tenant(number);
            scene.settle(namespace, &format!("Team {number}")).await;
            for kind in TEAM_AND_CHILDREN {
                let patch = json!({ "spec": { "deletionPolicy": "Retain" } });
                scene.client.patch(kind, namespace, NAME, &patch).await;
            }
        }
        let teams = scene.on_server()["teams"].clone();
        take_away(&scene, missing).await;
        let mark = scene.site.traffic.mark();
        // The team goes first in one namespace and last in the other.
        for (number, order) in [(1, [0, 1, 2, 3]), (2, [3, 2, 1, 0])] {
            for index in order {
                let (kind, namespace) = (TEAM_AND_CHILDREN[index], scene.site.tenant(number));
                scene.client.delete(kind, namespace, NAME).await;
                scene.client.within(RETAINED_WITHIN).wait_gone(kind, namespace, NAME).await;
            }
        }
        assert_eq!(scene.on_server()["teams"], teams, "{missing:?}");
        let deletes = scene.site.traffic.matching(&Filter::terdut().verb("delete").after(mark));
        let of_teams = deletes.iter().filter(|one| one.resource.starts_with("/api/teams"));
        let of_teams: Vec<_> = of_teams.map(Entry::line).collect();
        assert!(of_teams.is_empty(), "{missing:?}: {of_teams:?}");
        drop(bridge);
    }
}

async fn take_away(scene: &Scene<'_>, missing: Missing) {
    let (client, host) = (&scene.client, scene.host());
    match missing {
        Missing::Nothing => {}
        Missing::Answers => scene.site.traffic.cut_off(Filter::terdut()),
        Missing::Key => {
            let name = credential_name(host, "main");
            client.delete(kind::SECRET, &scene.site.own, &name).await;
        }
        Missing::Server => {
            client.delete(kind::SERVER, host, "main").await;
            client.wait_gone(kind::SERVER, host, "main").await;
        }
    }
}

#[tokio::test]
async fn a_pause_does_not_keep_anything_from_being_deleted() {
    let Some(cluster) = Cluster::shared() else { return };
    let scene = Scene::new(cluster, 2, &labelled()).await;
    let bridge = scene.start().await;
    let (client, guest) = (&scene.client, scene.guest());
    let before = scene.on_server();
    let team = scene.settle(guest, "Platform").await;
    for kind in TEAM_AND_CHILDREN {
        let key = "terdut.ryuvia.com/reconcile";
        client.annotate(kind, guest, NAME, key, Some("disabled")).await;
        client.wait_reason(kind, guest, NAME, "Synced", "Paused").await;
    }
    for kind in CHILDREN {
        client.delete(kind, guest, NAME).await;
        client.wait_gone(kind, guest, NAME).await;
    }
    let left = scene.simulator.state().team(team).expect("the team is still there");
    assert!(left.switches.is_empty() && left.integrations.is_empty() && left.policy.is_none());
    client.delete(kind::TEAM, guest, NAME).await;
    client.wait_gone(kind::TEAM, guest, NAME).await;
    assert_eq!(scene.on_server(), before);
    drop(bridge);
}
