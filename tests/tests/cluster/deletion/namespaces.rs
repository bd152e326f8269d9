//! Many namespaces with all kinds in them, deleted at once.

use std::time::{Duration, Instant};

use futures::future::join_all;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use terdut_tests::cluster::{Cluster, Kind, Rights, Site, kind};
use terdut_tests::harness::wait_for;

use super::NAME;
use crate::scene::{Scene, from, labelled};

const NAMESPACES: usize = 50;
const GONE_WITHIN: Duration = Duration::from_mins(1);
/// How many namespaces are filled at once.
const AT_ONCE: usize = 10;

#[tokio::test]
async fn namespaces_with_all_kinds_in_them_end_by_themselves() {
    let Some(cluster) = Cluster::shared() else { return };
    let seed: u64 = rand::random();
    println!("the seed is {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let site = Site::new(cluster, 1 + NAMESPACES).await;
    // The rights that lie in a namespace go with it; those on the bridge's own kinds do not where
    // a person deletes namespaces.
    site.grant_everywhere(&Rights::everywhere()).await;
    let scene = Scene::over(site, &labelled()).await;
    let bridge = scene.start().await;
    let namespaces: Vec<_> = (1..=NAMESPACES).map(|n| scene.site.tenant(n).to_owned()).collect();
    for some in namespaces.chunks(AT_ONCE) {
        join_all(some.iter().map(|namespace| fill(&scene, namespace))).await;
    }
    let orders: Vec<_> = namespaces.iter().map(|_| shuffled(&mut random)).collect();
    let begun = Instant::now();
    let deletions = namespaces.iter().zip(&orders);
    join_all(deletions.map(|(namespace, order)| delete(&scene, namespace, order))).await;
    let gone = || async {
        let left = scene.client.list(kind::NAMESPACE, "").await;
        !left.iter().any(|one| {
            namespaces.iter().any(|namespace| one["metadata"]["name"] == namespace.as_str())
        })
    };
    wait_for("all namespaces are gone", GONE_WITHIN, gone).await;
    println!("{NAMESPACES} namespaces were gone after {:?}", begun.elapsed());
    let records = scene.client.list(kind::SECRET, &scene.site.own).await;
    let names = records.iter().filter_map(|secret| secret["metadata"]["name"].as_str());
    let left: Vec<_> = names.filter(|name| name.contains('.')).collect();
    assert!(left.is_empty(), "seed {seed}: {left:?}");
    drop(bridge);
}

/// A server, a team on it and its children, all ready.
async fn fill(scene: &Scene<'_>, namespace: &str) {
    let client = &scene.client;
    scene.add_server(namespace, "main", &from("Same")).await;
    let display = format!("Team of {namespace}");
    client.apply(&crate::scene::team(namespace, NAME, (namespace, "main"), &display)).await;
    scene.add_children(namespace, NAME).await;
    client.wait_ready(kind::TEAM, namespace, NAME).await;
    scene.children_ready(namespace, NAME).await;
}

/// In which order the kinds are deleted; the namespace itself is deleted where `None` stands.
fn shuffled(random: &mut StdRng) -> Vec<Option<Kind>> {
    let mut order: Vec<_> = Kind::OURS.into_iter().map(Some).chain([None]).collect();
    order.shuffle(random);
    order
}

async fn delete(scene: &Scene<'_>, namespace: &str, order: &[Option<Kind>]) {
    for one in order {
        match one {
            Some(kind::SERVER) => scene.client.delete(kind::SERVER, namespace, "main").await,
            Some(kind) => scene.client.delete(*kind, namespace, NAME).await,
            None => scene.client.delete(kind::NAMESPACE, "", namespace).await,
        }
    }
}
