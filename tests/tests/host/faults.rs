//! The fault matrix: every sort of fault at every request of everything that is done with a kind.
//!
//! Each cell begins with the same server and state, is judged by what is really on the server, and
//! ends with a run without faults, which has to end well. What became of each is `docs/faults.md`;
//! `UPDATE_EXPECT=1` writes the page again. `TERDUT_FAULTS=KIND` or `KIND/DEED` walks a part of it.

mod ask;
pub(crate) mod deed;
pub(crate) mod hit;
pub(crate) mod judge;
mod lane;
mod page;
pub(crate) mod server;
mod sort;
pub(crate) mod stage;
pub(crate) mod truth;

use expect_test::expect_file;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};

use std::collections::BTreeSet;

use ask::Ask;
use deed::Deed;
use lane::{Lane, Walked};

/// The tables of the page.
const KINDS: [&str; 12] = [
    server::SERVER,
    "terdut_team",
    "terdut_escalation_rule",
    "terdut_deadman_switch",
    "terdut_alert_source",
    "terdut_user",
    "terdut_service_account",
    "terdut_service_account_key",
    "data sources",
    "lists",
    "a key for one run",
    "a test alert",
];

/// Routes of the server that no walk asks, and why not.
const NOT_ASKED: [(&str, &str, &str); 5] = [
    ("POST", "/api/users/{id}/api-keys", "no resource makes a person's key; `contract` does"),
    ("GET", "/api/schedule", "shifts are no matter of the provider"),
    ("POST", "/api/schedule", "shifts are no matter of the provider"),
    ("DELETE", "/api/schedule/{id}", "shifts are no matter of the provider"),
    ("GET", "/api/incidents", "a test alert is looked for among the alerts"),
];

/// Lanes at once: most of a lane is waiting for what never comes.
const AT_ONCE: usize = 24;

fn is_wanted(kind: &str, deed: &str) -> bool {
    let wanted = std::env::var("TERDUT_FAULTS").ok();
    wanted.is_none_or(|wanted| wanted == kind || wanted == format!("{kind}/{deed}"))
}

/// Every deed with every kind.
async fn lanes() -> Vec<BoxFuture<'static, (&'static str, Walked)>> {
    let scene = crate::scene::Scene::start().await;
    let kinds = crate::kinds::all(&scene.fixture);
    scene.world.close().await;
    let mut lanes: Vec<BoxFuture<'static, _>> = Vec::new();
    for deed in server::Deed::ALL {
        if is_wanted(server::SERVER, deed.name()) {
            lanes.push(async move { (server::SERVER, server::walk(deed).await) }.boxed());
        }
    }
    for (table, ask) in Ask::all() {
        if is_wanted(table, ask.name()) {
            lanes.push(async move { (table, ask::walk(ask).await) }.boxed());
        }
    }
    for kind in kinds {
        let name = kind.type_name;
        for deed in Deed::of(&kind) {
            if is_wanted(name, deed.name()) {
                lanes.push(async move { (name, Lane::walk(name, deed).await) }.boxed());
            }
        }
    }
    lanes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_leaves_state_and_server_true() {
    let walks = lanes().await.into_iter().map(tokio::spawn);
    let walked: Vec<_> = futures::stream::iter(walks).buffered(AT_ONCE).collect().await;
    let (mut lies, mut cells, mut routes) = (Vec::new(), 0, BTreeSet::new());
    let mut tables: Vec<_> = KINDS.iter().map(|kind| (*kind, Vec::new())).collect();
    for ended in walked {
        let (kind, walked) = ended.expect("a lane ends");
        lies.extend(walked.lies);
        cells += walked.cells;
        routes.extend(walked.routes);
        let table = tables.iter_mut().find(|table| table.0 == kind).expect("a kind of the list");
        table.1.extend(walked.rows);
    }
    let is_whole = std::env::var_os("TERDUT_FAULTS").is_none();
    let (page, golden) = (page::page(&tables, cells), expect_file!["../../../docs/faults.md"]);
    if is_whole && std::env::var_os("UPDATE_EXPECT").is_some() {
        golden.assert_eq(&page);
    }
    assert!(lies.is_empty(), "{} of {cells} cells:\n{}", lies.len(), lies.join("\n"));
    if is_whole {
        expect_all_routes(&routes);
        golden.assert_eq(&page);
    }
}

/// Every route of the server was hit, or is one that nothing here asks, with a reason.
fn expect_all_routes(hit: &BTreeSet<(String, String)>) {
    let hit: BTreeSet<_> = hit.iter().map(|(method, route)| (&**method, &**route)).collect();
    let left: BTreeSet<_> = NOT_ASKED.iter().map(|(method, route, _)| (*method, *route)).collect();
    let all: BTreeSet<_> = terdut_simulator::routes().collect();
    let missing: Vec<_> =
        all.iter().filter(|one| !hit.contains(*one) && !left.contains(*one)).collect();
    assert!(missing.is_empty(), "no walk hits {missing:?}");
    let wrong: Vec<_> =
        left.iter().filter(|one| hit.contains(*one) || !all.contains(*one)).collect();
    assert!(wrong.is_empty(), "said not to be asked: {wrong:?}");
}
