//! The fault matrix: every sort of fault at every request of everything that is done with a kind.
//!
//! Each cell begins with the same server and state, is judged by what is really on the server, and
//! ends with a run without faults, which has to end well. What became of each is `docs/faults.md`;
//! `UPDATE_EXPECT=1` writes the page again. `TERDUT_FAULTS=KIND` or `KIND/DEED` walks a part of it.

mod deed;
mod hit;
mod judge;
mod lane;
mod page;
mod server;
mod sort;
mod stage;
mod truth;

use expect_test::expect_file;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};

use deed::Deed;
use lane::{Lane, Walked};

const KINDS: [&str; 8] = [
    server::SERVER,
    "terdut_team",
    "terdut_escalation_rule",
    "terdut_deadman_switch",
    "terdut_alert_source",
    "terdut_user",
    "terdut_service_account",
    "terdut_service_account_key",
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
    let (mut lies, mut cells) = (Vec::new(), 0);
    let mut tables: Vec<_> = KINDS.iter().map(|kind| (*kind, Vec::new())).collect();
    for ended in walked {
        let (kind, walked) = ended.expect("a lane ends");
        lies.extend(walked.lies);
        cells += walked.cells;
        let table = tables.iter_mut().find(|table| table.0 == kind).expect("a kind of the list");
        table.1.extend(walked.rows);
    }
    assert!(lies.is_empty(), "{} of {cells} cells:\n{}", lies.len(), lies.join("\n"));
    if std::env::var_os("TERDUT_FAULTS").is_none() {
        expect_file!["../../../docs/faults.md"].assert_eq(&page::page(&tables, cells));
    }
}
