//! The provider is killed at every call of an apply of all kinds, and the next apply goes on.
//!
//! A life without a death says which calls each [`Step`] makes and how things look after it. Then
//! the life is lived again until the provider has died at each of these calls, once before the
//! server acts and once after it acted. The state is what was answered before the death. Where
//! nothing was made that the state lacks, the next apply finishes; where something was, its name is
//! taken, and `adopt_existing` finishes it; a key that nobody holds is named; a bootstrap that
//! nobody holds is told. Never is there a duplicate, and nothing of others is ever written to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use futures::{StreamExt, stream};
use serde_json::Value as Json;
use terdut_simulator::Logged;
use terdut_tests::harness::Binary;

use self::cast::{EVERYTHING, Role, SERVER, SERVER_ALONE, Step};
use self::life::Life;

mod cast;
mod life;
mod look;

/// How many lives are lived at once.
const AT_ONCE: usize = 6;

/// One call of a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Call {
    /// Counted from 0 in its step.
    index: usize,
    /// Whose turn it was.
    address: &'static str,
    method: String,
    route: String,
}

impl Call {
    fn is(&self, address: &str, request: &Logged) -> bool {
        self.address == address && self.method == request.method && self.route == request.route
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.address, self.method, self.route)
    }
}

/// A death: at which call of a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Death {
    step: Step,
    call: Call,
    before: bool,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = if self.before { "before" } else { "after" };
        write!(f, "{:?}, call {}, {moment} {}", self.step, self.call.index, self.call)
    }
}

/// What happens without a death: the calls of each step, and how things look after it.
#[derive(Debug, Default)]
struct Course {
    calls: BTreeMap<Step, Vec<Call>>,
    looks: BTreeMap<Step, Json>,
}

impl Course {
    /// The calls of each step, one a line.
    fn shown(&self) -> String {
        let lines = self.calls.iter().flat_map(|(step, calls)| {
            calls.iter().map(move |call| format!("{step:?} {}: {call}", call.index))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Whether nothing of the bootstrap is in any state after that death.
    fn loses_bootstrap(&self, death: &Death) -> bool {
        let of_making = || self.calls[&Step::Make].iter();
        let bootstrap = of_making().find(|call| call.route == "/api/bootstrap");
        let bootstrap = bootstrap.expect("the server is bootstrapped").index;
        let has_acted =
            death.call.index > bootstrap || (death.call.index == bootstrap && !death.before);
        death.step == Step::Make && death.call.address == SERVER && has_acted
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_killed_at_any_call_of_all_kinds_leaves_what_the_next_apply_finishes() {
    let died = every_death(&EVERYTHING).await;
    assert!(died >= 160, "{died} deaths are too few");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_killed_at_any_call_of_a_server_alone_leaves_what_the_next_apply_finishes() {
    let died = every_death(&SERVER_ALONE).await;
    assert!(died >= 34, "{died} deaths are too few");
}

/// Lives until every death was died; how many there were.
#[expect(clippy::print_stdout, reason = "a run says what it visited")]
async fn every_death(cast: &'static [Role]) -> usize {
    let binary = Binary::provider();
    let course = undisturbed(&binary, cast).await;
    println!("{}", course.shown());
    let (lost, usual): (Vec<_>, Vec<_>) =
        deaths(&course).into_iter().partition(|death| course.loses_bootstrap(death));
    let planned: BTreeSet<_> = lost.iter().chain(&usual).cloned().collect();
    // An account that was taken over makes the later calls of a server others.
    let (alone, together) = if cast.len() == 1 { (usual, Vec::new()) } else { (Vec::new(), usual) };
    let mut lives = shared_out(together);
    let one_each = lost.into_iter().chain(alone);
    lives.extend(one_each.map(|death| BTreeMap::from([(death.step, death)])));
    let lives = stream::iter(lives).map(|deaths| live(&binary, cast, &course, deaths));
    let died: Vec<_> = lives.buffer_unordered(AT_ONCE).collect().await;
    let died: Vec<_> = died.into_iter().flatten().collect();
    assert_eq!(died.len(), planned.len(), "each death is died once");
    assert_eq!(died.iter().cloned().collect::<BTreeSet<_>>(), planned);
    println!("{} calls, {} deaths", died.len() / 2, died.len());
    died.len()
}

async fn undisturbed(binary: &Binary, cast: &'static [Role]) -> Course {
    let mut life = Life::begin(binary, cast).await;
    let mut course = Course::default();
    for step in Step::ALL {
        let first = life.simulator.requests().len();
        life.take(step).await.unwrap_or_else(|failure| panic!("{step:?}: {failure}"));
        let requests = life.simulator.requests().split_off(first);
        let calls = requests.into_iter().enumerate().map(|(index, request)| Call {
            index,
            address: life.turn_at(first + index),
            method: request.method,
            route: request.route,
        });
        course.calls.insert(step, calls.collect());
        course.looks.insert(step, look::look(&life.simulator, &[]));
        life.expect_quiet(step).await;
        assert_eq!(life.unheld(), BTreeSet::new(), "{step:?}");
        life.expect_no_doubt();
    }
    life.end().await;
    course
}

/// Each call, before and after the server acts.
fn deaths(course: &Course) -> Vec<Death> {
    let calls =
        course.calls.iter().flat_map(|(step, calls)| calls.iter().map(|call| (*step, call)));
    let both = calls.flat_map(|(step, call)| {
        [true, false].map(|before| Death { step, call: call.clone(), before })
    });
    both.collect()
}

/// As few lives as will do: in each, the provider dies once a step.
fn shared_out(deaths: Vec<Death>) -> Vec<BTreeMap<Step, Death>> {
    let mut lives: Vec<BTreeMap<Step, Death>> = Vec::new();
    for death in deaths {
        match lives.iter_mut().find(|life| !life.contains_key(&death.step)) {
            Some(life) => drop(life.insert(death.step, death)),
            None => lives.push(BTreeMap::from([(death.step, death)])),
        }
    }
    lives
}

/// A life in which the provider dies once in some steps. One that has lost its bootstrap is set up
/// with another configuration, whose changes are no longer those of the course.
async fn live(
    binary: &Binary,
    cast: &'static [Role],
    course: &Course,
    deaths: BTreeMap<Step, Death>,
) -> Vec<Death> {
    let mut life = Life::begin(binary, cast).await;
    let has_lost = deaths.values().any(|death| course.loses_bootstrap(death));
    for step in Step::ALL.into_iter().filter(|step| !has_lost || *step != Step::Change) {
        let context = if let Some(death) = deaths.get(&step) {
            life.dies(step, death).await;
            life.recovers(step, death).await;
            death.to_string()
        } else {
            life.take(step).await.unwrap_or_else(|failure| panic!("{step:?}: {failure}"));
            format!("{step:?} after {deaths:?}")
        };
        life.expect_looks(&course.looks[&step], &context);
    }
    life.end().await;
    deaths.into_values().collect()
}
