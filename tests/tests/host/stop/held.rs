//! A wish to stop while one request after the other is held, before the server acts and after it:
//! it ends soon, state and server are true, and the next run ends well.

use std::sync::Arc;

use futures::{StreamExt, stream};
use serde_json::json;
use terdut_simulator::Fault;
use terdut_tests::host::Profile;

use super::{HELD, SOON, stop_when_held};
use crate::faults::deed::Deed;
use crate::faults::hit::Asked;
use crate::faults::judge::{is_true, may_have_made, others_are_untouched};
use crate::faults::stage::Stage;
use crate::faults::truth::Truth;
use crate::kinds::Kind;
use crate::scene::{ADDRESS, Scene};

for_each_kind!(a_stop_at_any_request_ends_soon_and_leaves_all_true);

const DEEDS: [Deed; 5] = [Deed::Refresh, Deed::Create, Deed::Update, Deed::Replace, Deed::Destroy];

/// Stops at once: each has a provider of its own.
const AT_ONCE: usize = 6;

async fn a_stop_at_any_request_ends_soon_and_leaves_all_true(scene: Scene, kind: Kind) {
    scene.world.close().await;
    let deeds = Deed::of(&kind).into_iter().filter(|deed| DEEDS.contains(deed));
    let mut cells = Vec::new();
    for deed in deeds {
        for asked in asked(kind.type_name, deed).await {
            let acted = if asked.writes() { &[false, true][..] } else { &[false] };
            cells.extend(acted.iter().map(|acted| (deed, asked.clone(), *acted)));
        }
    }
    assert!(cells.iter().any(|(.., acted)| *acted), "something is written");
    let walks = cells.into_iter().map(|(deed, asked, acted)| {
        let type_name = kind.type_name;
        async move {
            let stopped = stopped(type_name, deed, &asked, acted).await;
            stopped.map_err(|lie| format!("{deed:?} at {} ({acted}): {lie}", asked.name()))
        }
    });
    let ended: Vec<_> = stream::iter(walks).buffer_unordered(AT_ONCE).collect().await;
    let lies: Vec<_> = ended.into_iter().filter_map(Result::err).collect();
    assert!(lies.is_empty(), "{}", lies.join("\n"));
}

/// The requests of the deed when all is well, each sort once; the looks before it are a refresh's.
async fn asked(type_name: &str, deed: Deed) -> Vec<Asked> {
    let mut stage = Stage::set(type_name, deed).await;
    stage.begin().await;
    stage.configure(false).await;
    stage.scene.simulator.clear_requests();
    stage.act().await.unwrap_or_else(|failure| panic!("without a fault: {failure}"));
    let mut asked = Asked::all(&stage.scene.simulator.requests());
    if deed.looks_first() {
        asked.retain(Asked::writes);
    }
    let mut each: Vec<Asked> = Vec::new();
    for one in asked {
        if !each.iter().any(|other| other.is_like(&one)) {
            each.push(one);
        }
    }
    stage.scene.world.close().await;
    each
}

async fn stopped(type_name: &str, deed: Deed, asked: &Asked, acted: bool) -> Result<(), String> {
    let mut stage = Stage::set(type_name, deed).await;
    stage.begin().await;
    let mut settings = stage.scene.settings();
    settings["request_timeout"] = json!("60s");
    stage.scene.world.configure(&settings).await.expect("the settings are good");
    let before = Truth::look(&stage.scene.simulator);
    let held = Fault::on(&asked.method, &asked.route).delay(HELD);
    stage.scene.simulator.fault(if acted { held.after_acting() } else { held });
    let session = stage.scene.world.session().clone();
    let simulator = Arc::clone(&stage.scene.simulator);
    let (ended, since) = tokio::join!(stage.act(), stop_when_held(&session, &simulator));
    let took = since.elapsed();
    stage.scene.simulator.clear_faults();
    if took > SOON {
        return Err(format!("it took {took:?}"));
    }
    let after = Truth::look(&stage.scene.simulator);
    others_are_untouched(&stage, &before, &after, &ended)?;
    if stage.scene.world.is_tainted(ADDRESS) {
        return Err("it is tainted".to_owned());
    }
    let there = stage.objects(&after);
    if deed.only_reads() {
        let kept = stage.scene.world.state(ADDRESS) == stage.prior.as_ref();
        return if kept && after == before { Ok(()) } else { Err(format!("{ended:?}")) };
    }
    is_true(&there, &before, &stage, &ended)?;
    let unsure = may_have_made(&ended);
    stage.scene.restart(Profile::modern()).await;
    stage.scene.world.session().may_forget();
    stage.end_well(unsure).await?;
    stage.scene.world.close().await;
    Ok(())
}
