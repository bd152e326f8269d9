//! The bridge is killed at every call that it makes, and the next one goes on from there.
//!
//! All five kinds live one [`Life`]: made, changed, their keys replaced, deleted, one step after the
//! other. Two lives without a death say which calls each [`Step`] makes and how things look after it.
//! Then the life is lived again until the bridge has died at each of these calls, before and after
//! the other side acted; after each step all has to look as it did without a death: nothing twice,
//! nothing left over, one account each, one key that works. At the end the server is as before.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use futures::{StreamExt, stream};
use serde_json::Value as Json;
use terdut_tests::cluster::{Cluster, Moment};

use self::calls::{Call, common};
use self::life::Life;
use self::step::Step;

mod calls;
mod life;
mod step;

/// How many lives are lived at once.
const AT_ONCE: usize = 8;
/// With fewer deaths something was not done in the lives without one.
const FEWEST: usize = 160;

/// A death: at which call of a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Death {
    step: Step,
    call: Call,
    before: bool,
}

impl Death {
    fn moment(&self) -> Moment {
        if self.before { Moment::Before } else { Moment::After }
    }

    /// The one window that cannot be closed: the server has given its first key out, and nobody has
    /// kept it.
    fn loses_bootstrap(&self, calls: &[Call]) -> bool {
        let Some(bootstrap) = calls.iter().position(|call| call.resource == "/api/bootstrap")
        else {
            return false;
        };
        let kept = calls.iter().skip(bootstrap).find(|call| call.resource == "secrets");
        let at_bootstrap = self.call == calls[bootstrap] && !self.before;
        self.step == Step::MakeServer && (at_bootstrap || (kept == Some(&self.call) && self.before))
    }
}

/// What happens without a death: the calls of each step, and what is there after it.
#[derive(Debug, Default)]
struct Course {
    calls: BTreeMap<Step, Vec<Call>>,
    looks: BTreeMap<Step, Json>,
}

impl Course {
    /// The calls of each step, one step a line.
    fn shown(&self) -> String {
        let line = |(step, calls): (&Step, &Vec<Call>)| {
            let calls: Vec<_> = calls.iter().map(ToString::to_string).collect();
            format!("{step:?}: {}", calls.join(", "))
        };
        self.calls.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_dies_at_any_call_is_followed_by_one_who_goes_on() {
    let Some(cluster) = Cluster::shared() else { return };
    let course = undisturbed(cluster).await;
    let (lost, usual) = deaths(&course);
    let planned = lost.len() + usual.len();
    assert!(planned >= FEWEST, "{planned} deaths are too few:\n{}", course.shown());
    assert_eq!(lost.len(), 2, "{lost:#?}");
    let without_key = join_all(lost.iter().map(|death| life_without_key(cluster, death))).await;
    let lives = stream::iter(shared_out(usual)).map(|deaths| life_with(cluster, &course, deaths));
    let with_key: Vec<_> = lives.buffer_unordered(AT_ONCE).collect().await;
    let died: BTreeSet<_> = with_key.into_iter().flatten().chain(without_key).collect();
    assert_eq!(died.len(), planned, "each death was died once");
}

/// Lives twice without a death; what both have in common is what can be relied on.
async fn undisturbed(cluster: &Cluster) -> Course {
    let (one, other) = tokio::join!(undisturbed_once(cluster), undisturbed_once(cluster));
    assert_eq!(one.looks, other.looks);
    let calls = one.calls.iter().map(|(step, calls)| (*step, common(calls, &other.calls[step])));
    Course { calls: calls.collect(), looks: one.looks }
}

async fn undisturbed_once(cluster: &Cluster) -> Course {
    let mut life = Life::begin(cluster).await;
    let mut course = Course::default();
    for step in Step::ALL {
        let mark = life.site.traffic.mark();
        life.take(step).await;
        life.wait_done(step).await;
        course.calls.insert(step, calls::since(&life.site.traffic, mark, step.kind()));
        course.looks.insert(step, life.look().await);
    }
    life.check_end();
    course
}

/// Every death: those that lose a bootstrap, and the others.
fn deaths(course: &Course) -> (Vec<Death>, Vec<Death>) {
    let of_step = |(step, calls): (&Step, &Vec<Call>)| {
        let step = *step;
        let at = move |call: Call| {
            [true, false].map(|before| Death { step, call: call.clone(), before })
        };
        calls.clone().into_iter().flat_map(at).collect::<Vec<_>>()
    };
    let all = course.calls.iter().flat_map(of_step);
    all.partition(|death| death.loses_bootstrap(&course.calls[&death.step]))
}

/// As few lives as will do: in each, the bridge dies once a step.
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

/// A life in which the bridge dies once in some steps.
async fn life_with(
    cluster: &Cluster,
    course: &Course,
    deaths: BTreeMap<Step, Death>,
) -> Vec<Death> {
    let mut life = Life::begin(cluster).await;
    for step in Step::ALL {
        let death = deaths.get(&step);
        if let Some(death) = death {
            life.site.traffic.kill_at(death.call.filter(), death.call.nth, death.moment());
        }
        life.take(step).await;
        if let Some(death) = death {
            life.dies(death).await;
            life.goes_on().await;
        }
        life.wait_done(step).await;
        life.looks_like(&course.looks[&step], step, death).await;
    }
    life.check_end();
    deaths.into_values().collect()
}

/// The bridge dies where the server's only bootstrap is lost: that is told, and can be deleted.
async fn life_without_key(cluster: &Cluster, death: &Death) -> Death {
    let mut life = Life::begin(cluster).await;
    life.site.traffic.kill_at(death.call.filter(), death.call.nth, death.moment());
    life.take(Step::MakeServer).await;
    life.dies(death).await;
    life.goes_on().await;
    life.says_that_its_key_is_lost().await;
    life.take(Step::DeleteServer).await;
    life.wait_done(Step::DeleteServer).await;
    life.check_end();
    death.clone()
}
