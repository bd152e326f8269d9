//! A wish to stop while `terdut_server` is made, changed or destroyed.

use std::sync::Arc;

use futures::{StreamExt, stream};
use serde_json::json;
use terdut_simulator::Fault;
use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Profile, Session};

use super::{HELD, SOON, stop_when_held};
use crate::faults::hit::Asked;
use crate::faults::server::{Cell, Deed};
use crate::faults::truth::Truth;

const DEEDS: [Deed; 4] = [Deed::Bootstrap, Deed::Mint, Deed::Rotate, Deed::Destroy];

/// Stops at once: each has a provider of its own.
const AT_ONCE: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_at_any_write_to_a_server_ends_soon_and_leaves_all_true() {
    let mut cells = Vec::new();
    let host = provider().await;
    for deed in DEEDS {
        for asked in writes(host.session(), deed).await {
            cells.extend([false, true].map(|acted| (deed, asked.clone(), acted)));
        }
    }
    host.shutdown().await;
    let walks = cells.into_iter().map(|(deed, asked, acted)| async move {
        let stopped = stopped(deed, &asked, acted).await;
        stopped.map_err(|lie| format!("{deed:?} at {} ({acted}): {lie}", asked.name()))
    });
    let ended: Vec<_> = stream::iter(walks).buffer_unordered(AT_ONCE).collect().await;
    let lies: Vec<_> = ended.into_iter().filter_map(Result::err).collect();
    assert!(lies.is_empty(), "{}", lies.join("\n"));
}

async fn provider() -> Host {
    let binary = Binary::provider().with_env("TERDUT_RETRY_BASE", "1ms");
    let host = Host::start(&binary, Profile::modern()).await;
    host.session().may_forget();
    host
}

async fn writes(session: &Session, deed: Deed) -> Vec<Asked> {
    let mut cell = Cell::set(session, deed).await;
    cell.simulator.clear_requests();
    cell.act().await.unwrap_or_else(|failure| panic!("without a fault: {failure}"));
    let asked = Asked::all(&cell.simulator.requests()).into_iter();
    asked.filter(Asked::writes).collect()
}

async fn stopped(deed: Deed, asked: &Asked, acted: bool) -> Result<(), String> {
    let host = provider().await;
    let session = host.session().clone();
    let mut cell = Cell::set(&session, deed).await;
    let settings = json!({ "request_timeout": "60s", "max_retries": 1 });
    session.configure(&settings).await.expect("the settings are good");
    let before = Truth::look(&cell.simulator);
    let held = Fault::on(&asked.method, &asked.route).delay(HELD);
    cell.simulator.fault(if acted { held.after_acting() } else { held });
    let simulator = Arc::clone(&cell.simulator);
    let (ended, since) = tokio::join!(cell.act(), stop_when_held(&session, &simulator));
    let took = since.elapsed();
    cell.simulator.clear_faults();
    if took > SOON {
        return Err(format!("it took {took:?}"));
    }
    cell.is_true(&before, &ended)?;
    host.shutdown().await;
    cell.world.restart(provider().await).await;
    cell.end_well(&ended).await?;
    Ok(())
}
