//! One size: everything is applied, planned again several times, and destroyed.
//!
//! Terraform writes the whole state after each object that it makes or destroys, so that takes the
//! square of their number; where nobody is compared, `terraform_data` is not destroyed.
//! Each subject has a folder, a state and a simulator of its own; they take turns, so that all of
//! them meet the same moods of the machine. A plan that shows a difference fails the bench.

use terdut_simulator::{Options, Simulator};
use terdut_tests::bench::{count, median, number, progress};
use terdut_tests::harness::{Binary, Program, Workspace};

use crate::command::{self, Cost};
use crate::configuration::{self, TEAMS};
use crate::subject::Subject;

const APPLY: [&str; 4] = ["apply", "-no-color", "-input=false", "-auto-approve"];
const PLAN: [&str; 4] = ["plan", "-no-color", "-input=false", "-detailed-exitcode"];
const DESTROY: [&str; 4] = ["destroy", "-no-color", "-input=false", "-auto-approve"];

/// A command with the requests that the server saw meanwhile.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Step {
    pub(crate) cost: Cost,
    pub(crate) requests: usize,
}

/// What one subject did.
#[derive(Debug, Clone)]
pub(crate) struct Life {
    pub(crate) subject: Subject,
    pub(crate) apply: Step,
    pub(crate) plans: Vec<Step>,
    /// `None` where it was left alone.
    pub(crate) destroy: Option<Step>,
}

impl Life {
    /// The middle one of the plans, by what is asked for.
    pub(crate) fn plan(&self, figure: impl Fn(&Step) -> f64) -> f64 {
        median(self.plans.iter().map(figure).collect())
    }

    /// The requests of the plan that made most of them.
    pub(crate) fn plan_requests(&self) -> f64 {
        count(self.plans.iter().map(|step| step.requests).max().unwrap_or(usize::MAX))
    }

    /// The most memory that a provider had in any command. No process has none: then nobody looked.
    pub(crate) fn memory(&self) -> f64 {
        let steps = self.plans.iter().chain([&self.apply]).chain(&self.destroy);
        let most = steps.map(|step| step.cost.memory).max().filter(|most| *most > 0);
        most.map_or(f64::NAN, number)
    }
}

/// What is done at a size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) objects: usize,
    /// Who takes part.
    pub(crate) subjects: &'static [Subject],
    /// How often a plan without changes is made.
    pub(crate) plans: usize,
}

impl Scope {
    /// With the peers.
    pub(crate) const fn full(objects: usize) -> Self {
        Self { objects, subjects: &Subject::ALL, plans: 5 }
    }

    /// Without them.
    pub(crate) const fn ours(objects: usize) -> Self {
        Self { objects, subjects: &[Subject::Nothing, Subject::Ours], plans: 3 }
    }

    fn destroys(&self, subject: Subject) -> bool {
        subject != Subject::Nothing || self.subjects.len() == Subject::ALL.len()
    }
}

/// Everything of one size, in the order of the subjects.
pub(crate) fn measure(terraform: &Program, scope: &Scope) -> Vec<Life> {
    let Scope { objects, subjects, plans: rounds } = *scope;
    progress(&format!("{objects} objects: {}", Subject::names(subjects)));
    let places: Vec<_> =
        subjects.iter().map(|subject| Place::prepare(terraform, *subject, objects)).collect();
    let applies: Vec<_> = places.iter().map(|place| place.step("apply", &APPLY)).collect();
    let mut plans = vec![Vec::new(); places.len()];
    for _ in 0..rounds {
        for (plans, place) in plans.iter_mut().zip(&places) {
            plans.push(place.step("plan", &PLAN));
        }
    }
    let destroyed =
        |place: &Place| scope.destroys(place.subject).then(|| place.step("destroy", &DESTROY));
    let destroys = places.iter().map(destroyed);
    let steps = applies.into_iter().zip(plans).zip(destroys);
    let lives = subjects.iter().zip(steps);
    lives
        .map(|(subject, ((apply, plans), destroy))| Life {
            subject: *subject,
            apply,
            plans,
            destroy,
        })
        .collect()
}

/// Where a subject lives.
#[derive(Debug)]
struct Place {
    subject: Subject,
    workspace: Workspace,
    simulator: Simulator,
}

impl Place {
    fn prepare(terraform: &Program, subject: Subject, objects: usize) -> Self {
        let simulator = Simulator::start(Options::default());
        let key = simulator.seed_admin();
        simulator.state().fill(TEAMS, 0);
        let teams: Vec<_> = simulator.state().teams().iter().map(|team| team.team.id).collect();
        let binary = settled(&subject.binary(), simulator.url(), &key);
        let workspace = Workspace::new(terraform, &binary, subject.source());
        workspace.write("main.tf", &configuration::text(subject, objects, &teams));
        command::run(&workspace, &["init", "-no-color", "-input=false"]);
        Self { subject, workspace, simulator }
    }

    fn step(&self, name: &str, arguments: &[&str]) -> Step {
        self.simulator.clear_requests();
        let cost = command::run(&self.workspace, arguments);
        progress(&format!("{name}: {}, {:.1} s", self.subject.name(), cost.wall.as_secs_f64()));
        Step { cost, requests: self.simulator.requests().len() }
    }
}

/// The program with where the server is and which key it is asked with.
fn settled(binary: &Binary, url: &str, key: &str) -> Binary {
    binary.clone().with_env("TERDUT_URL", url).with_env("TERDUT_TOKEN", key)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use super::*;

    /// A life in which each command took so many seconds of everything, and mebibytes.
    pub(crate) fn life(subject: Subject, seconds: u64) -> Life {
        let time = Duration::from_secs(seconds);
        let cost =
            Cost { wall: time, providers: time, terraform: time, memory: seconds * 1024 * 1024 };
        let step = Step { cost, requests: 10 };
        Life { subject, apply: step, plans: vec![step; 3], destroy: Some(step) }
    }
}
