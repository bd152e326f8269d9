//! Comparing everything with the server again: what it costs, and whom it holds up.

use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream;
use terdut_tests::cluster::{Bridge, kind};
use terdut_tests::harness::wait_for;

use crate::census::Census;
use crate::mix::{self, Mix, TEAMS};
use crate::observer::Observer;
use crate::place::Place;

/// Longer than the bridge remembers a list, with its jitter: each round asks the server anew.
const INTERVAL: &str = "60s";
/// Every object is looked at at least once in that time: the interval with the most jitter.
const ROUND: Duration = Duration::from_secs(72);
/// As soon as one round is over the next one is due.
const WITHOUT_PAUSE: &str = "1s";
const WITHIN: Duration = Duration::from_mins(10);
const PASSES: &str = "controller_runtime_reconcile_total";
const NEW_OBJECTS: usize = 300;
const ONE_EACH: Duration = Duration::from_millis(100);

/// What a full resync costs when nothing has changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Idle {
    /// Passes in the time that was watched; more than there are objects.
    pub(crate) passes: f64,
    /// Requests to the terdut server and writes to the API server in that time.
    pub(crate) rest_requests: usize,
    pub(crate) api_writes: u64,
    /// Processor time of the bridge in that time.
    pub(crate) processor_seconds: f64,
    pub(crate) memory_peak: u64,
    /// How many objects there are.
    pub(crate) objects: usize,
}

impl Idle {
    /// Requests for as many passes as there are objects.
    pub(crate) fn rest_requests_per_round(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "both are far below 2^52")]
        let (requests, objects) = (self.rest_requests as f64, self.objects as f64);
        requests * objects / self.passes.max(1.0)
    }
}

/// Watches one round.
pub(crate) async fn measure_idle(place: &Place<'_>, objects: usize) -> Idle {
    let bridge = place.start(INTERVAL).await;
    settled(&bridge, objects).await;
    place.simulator.clear_requests();
    let before = Census::take(&place.admin).await;
    let (passes, time) = (bridge.metric(PASSES).await, bridge.process().processor_time());
    tokio::time::sleep(ROUND).await;
    let idle = Idle {
        passes: bridge.metric(PASSES).await - passes,
        rest_requests: place.simulator.count("*", "*"),
        api_writes: Census::take(&place.admin).await.since(&before),
        processor_seconds: bridge.process().processor_time().saturating_sub(time).as_secs_f64(),
        memory_peak: bridge.process().memory_peak(),
        objects,
    };
    bridge.stop_well().await;
    idle
}

/// How long new objects take while everything else is looked at again and again.
#[derive(Debug, Clone)]
pub(crate) struct Fresh {
    /// From the request that made an object to its being ready, sorted.
    pub(crate) seconds: Vec<f64>,
    /// Passes over all objects in each second of that time.
    pub(crate) passes_per_second: f64,
    pub(crate) memory_peak: u64,
}

impl Fresh {
    /// The time within which so many of a hundred were ready.
    pub(crate) fn percentile(&self, hundredth: usize) -> f64 {
        let at = (self.seconds.len() * hundredth).div_ceil(100).saturating_sub(1);
        self.seconds.get(at).copied().unwrap_or(f64::INFINITY)
    }
}

/// Makes new switches, one after another, while the slow lane never empties.
pub(crate) async fn measure_new_objects(place: &Place<'_>, mix: &Mix) -> Fresh {
    let bridge = place.start(WITHOUT_PAUSE).await;
    let observer = Observer::start(&place.admin);
    observer.wait(mix.objects(), WITHIN).await;
    first_passes(&bridge, mix.objects()).await;
    let (started, passes) = (Instant::now(), bridge.metric(PASSES).await);
    let made: Vec<_> =
        stream::iter(0..NEW_OBJECTS).then(|number| make(place, number)).collect().await;
    observer.wait(mix.objects() + NEW_OBJECTS, WITHIN).await;
    let passes = bridge.metric(PASSES).await - passes;
    let mut seconds: Vec<_> = made
        .iter()
        .map(|(namespace, name, at)| {
            let ready = observer.when(kind::SWITCH, namespace, name).expect("all are ready");
            ready.duration_since(*at).as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let passes_per_second = passes / started.elapsed().as_secs_f64();
    let fresh = Fresh { seconds, passes_per_second, memory_peak: bridge.process().memory_peak() };
    bridge.stop_well().await;
    fresh
}

/// Namespace, name, and when it was asked for.
async fn make(place: &Place<'_>, number: usize) -> (String, String, Instant) {
    tokio::time::sleep(ONE_EACH).await;
    let (team, name) = (number % TEAMS, format!("fresh-{number}"));
    let at = Instant::now();
    place.create(vec![mix::switch(team, &name)]).await;
    (mix::namespace(team), name, at)
}

/// Waits until each object was passed over once and nothing waits.
async fn settled(bridge: &Bridge, objects: usize) {
    first_passes(bridge, objects).await;
    let idle = || async {
        bridge.metric("workqueue_depth").await
            + bridge.metric("controller_runtime_active_workers").await
            < 1.0
    };
    wait_for("nothing waits for a pass", WITHIN, idle).await;
}

async fn first_passes(bridge: &Bridge, objects: usize) {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let enough = objects as f64;
    let done = || async { bridge.metric(PASSES).await >= enough };
    wait_for("every object was passed over once", WITHIN, done).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let seconds = (1..=200).map(f64::from).collect();
        let fresh = Fresh { seconds, passes_per_second: 0.0, memory_peak: 0 };
        assert!((fresh.percentile(50) - 100.0).abs() < f64::EPSILON);
        assert!((fresh.percentile(99) - 198.0).abs() < f64::EPSILON);
        assert!((fresh.percentile(100) - 200.0).abs() < f64::EPSILON);
    }
}
