//! From objects that nobody has looked at to objects that are all ready.

use std::time::{Duration, Instant};

use crate::census::Census;
use crate::mix::Mix;
use crate::observer::Observer;
use crate::place::Place;

const WITHIN: Duration = Duration::from_mins(20);
/// How long the bridge has nothing to do before its memory is called idle.
const REST: Duration = Duration::from_secs(20);

/// What came of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// From the start of the process to the last object that became ready.
    pub(crate) seconds: f64,
    /// Processor time of the bridge until then.
    pub(crate) processor_seconds: f64,
    /// Everything that was written until the bridge had nothing to do.
    pub(crate) api_writes: u64,
    /// Requests to the terdut server until then.
    pub(crate) rest_requests: usize,
    /// Resident memory after a rest, and the most there ever was, in bytes.
    pub(crate) memory_idle: u64,
    pub(crate) memory_peak: u64,
    /// Processor time during the rest.
    pub(crate) processor_idle_percent: f64,
}

/// Makes all objects, starts a bridge, and waits until all are ready.
pub(crate) async fn measure(place: &Place<'_>, mix: &Mix) -> Load {
    place.create(Mix::teams()).await;
    place.create(mix.children()).await;
    let observer = Observer::start(&place.admin);
    let before = Census::take(&place.admin).await;
    place.simulator.clear_requests();
    let started = Instant::now();
    let bridge = place.start("10m").await;
    let last = observer.wait(mix.objects(), WITHIN).await;
    let processor_seconds = bridge.process().processor_time().as_secs_f64();
    tokio::time::sleep(REST).await;
    let rested = bridge.process().processor_time();
    tokio::time::sleep(REST).await;
    let resting = bridge.process().processor_time().saturating_sub(rested);
    let load = Load {
        seconds: last.duration_since(started).as_secs_f64(),
        processor_seconds,
        api_writes: Census::take(&place.admin).await.since(&before),
        rest_requests: place.simulator.count("*", "*"),
        memory_idle: bridge.process().memory(),
        memory_peak: bridge.process().memory_peak(),
        processor_idle_percent: 100.0 * resting.as_secs_f64() / REST.as_secs_f64(),
    };
    bridge.stop_well().await;
    load
}
