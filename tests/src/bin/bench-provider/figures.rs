//! What was measured, and the limits that it has to keep.

use terdut_tests::bench::{Limit, count, median, number};

use crate::life::{Life, Step};
use crate::subject::Subject;

const MEBIBYTE: f64 = 1024.0 * 1024.0;
const MEGABYTE: f64 = 1_000_000.0;

/// Everything.
#[derive(Debug)]
pub(crate) struct Figures {
    /// Milliseconds of each start of each provider.
    pub(crate) starts: Vec<(Subject, Vec<f64>)>,
    /// Bytes of each provider's program.
    pub(crate) sizes: Vec<(Subject, u64)>,
    /// One run for each size, in the order in which they were asked for.
    pub(crate) runs: Vec<Run>,
}

/// Everything at one size.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) objects: usize,
    pub(crate) lives: Vec<Life>,
}

/// Seconds of wall clock.
pub(crate) fn wall(step: &Step) -> f64 {
    step.cost.wall.as_secs_f64()
}

/// Seconds of the processor, of all providers.
pub(crate) fn processor(step: &Step) -> f64 {
    step.cost.providers.as_secs_f64()
}

/// Seconds of the processor, of Terraform itself.
pub(crate) fn terraform_processor(step: &Step) -> f64 {
    step.cost.terraform.as_secs_f64()
}

/// Requests to the server.
pub(crate) fn requests(step: &Step) -> f64 {
    count(step.requests)
}

/// A figure that is never nothing: where it is, nobody looked, and no limit is kept.
fn seen(figure: f64) -> f64 {
    if figure > 0.0 { figure } else { f64::NAN }
}

impl Figures {
    /// The run with the fewest objects: the one in which the peers take part.
    pub(crate) fn smallest(&self) -> Option<&Run> {
        self.runs.iter().min_by_key(|run| run.objects)
    }

    /// The middle one of the starts, in milliseconds.
    pub(crate) fn start_ms(&self, subject: Subject) -> f64 {
        let starts = self.starts.iter().find(|(started, _)| *started == subject);
        starts.map_or(f64::NAN, |(_, took)| median(took.clone()))
    }

    /// The size of the program in megabytes.
    pub(crate) fn megabytes(&self, subject: Subject) -> f64 {
        let size = self.sizes.iter().find(|(sized, _)| *sized == subject);
        size.map_or(f64::NAN, |(_, bytes)| number(*bytes) / MEGABYTE)
    }

    /// Every limit, kept or not.
    pub(crate) fn limits(&self) -> Vec<Limit> {
        let mut limits: Vec<_> = self.runs.iter().flat_map(Run::limits).collect();
        if let Some(run) = self.smallest() {
            limits.extend(run.limits_beside_the_go_peer());
        }
        let half = self.start_ms(Subject::GoPeer) / 2.0;
        let start = self.start_ms(Subject::Ours);
        limits.push(Limit::at_most("ms to the schemas; half of the Go peer's", start, half));
        let size = self.megabytes(Subject::Ours);
        limits.push(Limit::at_most("megabytes of the program", size, 12.0));
        limits
    }
}

impl Run {
    /// What a subject did, if it took part.
    pub(crate) fn life(&self, subject: Subject) -> Option<&Life> {
        self.lives.iter().find(|life| life.subject == subject)
    }

    /// The requests of the plan that made most of them.
    pub(crate) fn plan_requests(&self, subject: Subject) -> f64 {
        self.life(subject).map_or(f64::NAN, Life::plan_requests)
    }

    /// A figure of the plan without changes.
    pub(crate) fn plan(&self, subject: Subject, figure: impl Fn(&Step) -> f64) -> f64 {
        self.life(subject).map_or(f64::NAN, |life| life.plan(figure))
    }

    /// How much longer a plan takes than one of as many objects that no provider holds.
    pub(crate) fn plan_ratio(&self, subject: Subject) -> f64 {
        self.plan(subject, wall) / self.plan(Subject::Nothing, wall)
    }

    /// How much longer a plan takes than one of as many objects without any field, where those took
    /// part.
    pub(crate) fn plan_ratio_to_bare(&self, subject: Subject) -> Option<f64> {
        let bare = self.life(Subject::Bare)?.plan(wall);
        Some(self.plan(subject, wall) / bare)
    }

    /// The most memory that one of its processes ever had.
    pub(crate) fn memory_mib(&self, subject: Subject) -> f64 {
        self.life(subject).map_or(f64::NAN, Life::memory) / MEBIBYTE
    }

    fn limits(&self) -> Vec<Limit> {
        let of = |what: &str| format!("{what}, {} objects", self.objects);
        let asked = self.plan_requests(Subject::Ours);
        vec![
            Limit::at_most(of("REST requests of a plan"), asked, 40.0),
            Limit::at_most(of("plan / terraform_data"), self.plan_ratio(Subject::Ours), 1.2),
        ]
    }

    fn limits_beside_the_go_peer(&self) -> Vec<Limit> {
        let sixth = self.plan(Subject::GoPeer, processor) / 6.0;
        let fifth = self.memory_mib(Subject::GoPeer) / 5.0;
        vec![
            Limit::at_most(
                "processor s of a plan; a sixth of the Go peer's",
                seen(self.plan(Subject::Ours, processor)),
                sixth,
            ),
            Limit::at_most("MiB; a fifth of the Go peer's", self.memory_mib(Subject::Ours), fifth),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::life::tests::life;

    #[test]
    fn what_was_not_measured_keeps_no_limit() {
        let run =
            Run { objects: 1_000, lives: vec![life(Subject::Ours, 0), life(Subject::GoPeer, 9)] };
        let beside = run.limits_beside_the_go_peer();
        assert_eq!(beside.len(), 2);
        assert!(beside.iter().all(|limit| !limit.is_kept()), "{beside:?}");
    }
}
