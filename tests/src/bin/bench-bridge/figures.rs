//! What was measured, and the limits that it has to keep.

use terdut_tests::bench::{Limit, count, number};

use crate::floor::Floor;
use crate::load::Load;
use crate::mix::Mix;
use crate::per_child::ApiWrites;
use crate::program::Program;
use crate::resync::{Fresh, Idle};

const MEBIBYTE: f64 = 1024.0 * 1024.0;
const MEGABYTE: f64 = 1_000_000.0;

/// Everything.
#[derive(Debug)]
pub(crate) struct Figures {
    /// The program.
    pub(crate) program: Program,
    /// Writes for each object.
    pub(crate) api_writes: ApiWrites,
    /// One run for each size, in the order in which they were asked for.
    pub(crate) runs: Vec<Run>,
}

/// Everything at one size.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) mix: Mix,
    /// The floor before the bridge ran, and after.
    pub(crate) floors: [Floor; 2],
    pub(crate) load: Load,
    pub(crate) idle: Idle,
    pub(crate) fresh: Fresh,
}

impl Figures {
    /// The run with the most objects: the one that the limits are about.
    pub(crate) fn largest(&self) -> Option<&Run> {
        self.runs.iter().max_by_key(|run| run.mix.objects())
    }

    /// The size of the program in megabytes.
    pub(crate) fn program_megabytes(&self) -> f64 {
        number(self.program.bytes) / MEGABYTE
    }

    /// Every limit, kept or not.
    pub(crate) fn limits(&self) -> Vec<Limit> {
        let writes = &self.api_writes;
        let mut limits = vec![
            Limit::at_most("API writes of a team", writes.team, 4.0),
            Limit::at_most("API writes of an escalation rule", writes.rule, 3.0),
            Limit::at_most("API writes of a dead man's switch", writes.switch, 3.0),
            Limit::at_most("API writes of an alert source", writes.source, 4.0),
            Limit::at_most("megabytes of the program", self.program_megabytes(), 20.0),
            Limit::at_least(
                "the program is static (1)",
                f64::from(u8::from(self.program.is_static)),
                1.0,
            ),
        ];
        if let Some(run) = self.largest() {
            limits.extend([
                Limit::at_least("ready rate / write floor", run.ready_rate_vs_write_floor(), 0.6),
                Limit::at_most("MiB at most", run.memory_peak_mib(), 60.0),
                Limit::at_most(
                    "REST requests of an idle resync",
                    run.idle.rest_requests_per_round(),
                    200.0,
                ),
                Limit::at_most("API writes of an idle resync", number(run.idle.api_writes), 0.0),
                Limit::at_most(
                    "ms until a new object is ready, p99",
                    run.new_object_p99_ms(),
                    2_000.0,
                ),
            ]);
        }
        limits
    }
}

impl Run {
    /// Objects that became ready in a second.
    pub(crate) fn ready_per_second(&self) -> f64 {
        count(self.mix.objects()) / self.load.seconds
    }

    /// Objects that can be written in a second.
    pub(crate) fn floor_per_second(&self) -> f64 {
        let objects: usize = self.floors.iter().map(|floor| floor.objects).sum();
        count(objects) / self.floors.iter().map(|floor| floor.seconds).sum::<f64>()
    }

    /// The first as a part of the second.
    pub(crate) fn ready_rate_vs_write_floor(&self) -> f64 {
        self.ready_per_second() / self.floor_per_second()
    }

    /// Resident memory of a bridge that has nothing to do.
    pub(crate) fn memory_idle_mib(&self) -> f64 {
        number(self.load.memory_idle) / MEBIBYTE
    }

    /// The most memory that a bridge had in any part of the run.
    pub(crate) fn memory_peak_mib(&self) -> f64 {
        let peaks = [self.load.memory_peak, self.idle.memory_peak, self.fresh.memory_peak];
        number(peaks.into_iter().max().unwrap_or_default()) / MEBIBYTE
    }

    /// How long all but one of a hundred new objects took at most.
    pub(crate) fn new_object_p99_ms(&self) -> f64 {
        self.fresh.percentile(99) * 1000.0
    }
}
