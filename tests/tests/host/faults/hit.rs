//! Which requests of a deed are hit, by what, and for how long.

use std::time::{Duration, Instant};

use terdut_simulator::{Fault, Logged, Simulator};
use terdut_tests::harness::wait_for;

use super::sort::Sort;

/// One request of a deed, as a run without faults shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) route: String,
    /// How many came before it.
    pub(crate) before: u32,
    /// Which of those to its route it is, from 1.
    nth: u32,
}

impl Asked {
    /// All requests of a log.
    pub(crate) fn all(log: &[Logged]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (before, request) in (0..).zip(log) {
            let (method, route) = (request.method.clone(), request.route.clone());
            let same = |one: &&Self| (&one.method, &one.route) == (&method, &route);
            let nth = 1 + u32::try_from(all.iter().filter(same).count()).expect("few");
            all.push(Self { method, route, before, nth });
        }
        all
    }

    pub(crate) fn writes(&self) -> bool {
        self.method != "GET"
    }

    /// Whether it asks for a team's policy.
    pub(crate) fn is_policy(&self) -> bool {
        self.method == "GET" && self.route.ends_with("/escalation")
    }

    /// Whether it is the same sort of request.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (&self.method, &self.route) == (&other.method, &other.route)
    }

    /// As the table names it.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.route)
    }

    fn at(&self) -> Fault {
        Fault::on(&self.method, &self.route).nth(self.nth)
    }
}

/// For how long it is hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// The one request.
    Once,
    /// It and every later one to its route.
    Route,
    /// It and every later one.
    All,
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) sort: Sort,
    pub(crate) asked: Asked,
    /// The server acts on the first one that is hit.
    pub(crate) acted: bool,
    pub(crate) span: Span,
}

impl Hit {
    /// Puts it into the simulator's script.
    pub(crate) fn set(&self, simulator: &Simulator) {
        if self.sort == Sort::Refused {
            return self.leave(simulator);
        }
        let rule = |at: Fault, acted| self.sort.rule(at, acted);
        match self.span {
            Span::Once => simulator.fault(rule(self.asked.at(), self.acted)),
            Span::Route => simulator.fault(rule(self.asked.at().always(), self.acted)),
            Span::All => {
                simulator.fault(rule(self.asked.at(), self.acted));
                let later = Fault::on("*", "*").nth(self.asked.before + 2).always();
                simulator.fault(rule(later, false));
            }
        }
    }

    /// Whether the requests that came were hit as they should be: one that is to be refused was
    /// not if it was answered.
    pub(crate) fn is_met(&self, log: &[Logged]) -> bool {
        let was_struck = log.iter().any(|seen| seen.fault);
        if self.sort != Sort::Refused {
            return was_struck;
        }
        let asked = &self.asked;
        let answered =
            |seen: &&Logged| seen.is(&asked.method, &asked.route) && seen.status.is_some();
        let answered = log.iter().filter(answered).count();
        (was_struck || asked.before == 0) && answered < asked.nth as usize
    }

    /// The request before the first that is refused is the last that is answered.
    fn leave(&self, simulator: &Simulator) {
        match self.asked.before {
            0 => simulator.restart_after(Duration::from_hours(1)),
            before => {
                let last = Fault::on("*", "*").nth(before);
                simulator.fault(self.sort.rule(last, false));
            }
        }
    }
}

/// Waits until a server that acts late has acted on all that it was asked.
pub(crate) async fn all_has_acted(simulator: &Simulator) {
    let acted = || async {
        let rules = simulator.faults().into_iter().filter(|rule| rule.fault.deaf);
        rules.map(|rule| rule.struck - rule.acted).sum::<u32>() == 0
    };
    wait_for("the server acts late", Duration::from_secs(20), acted).await;
}

/// For how long a fault is tried to be met.
///
/// Some requests are on their way together, in no order that is fixed: what is to be refused may
/// have overtaken the one after which the server leaves.
#[derive(Debug)]
pub(crate) struct Patience {
    hit: Hit,
    until: Instant,
}

impl Patience {
    pub(crate) fn with(hit: &Hit) -> Self {
        Self { hit: hit.clone(), until: Instant::now() + Duration::from_secs(20) }
    }

    /// Whether it was met. Panics when it was not for too long.
    pub(crate) fn is_met(&self, log: &[Logged]) -> bool {
        let is_met = self.hit.is_met(log);
        assert!(is_met || Instant::now() < self.until, "it was not met: {:?}", self.hit);
        is_met
    }
}
