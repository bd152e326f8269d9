//! Two and more candidates on one made-up API server, with stopped processes, lost answers and
//! clocks that disagree: nobody acts while another may.

use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const TIMES: LeaseTimes = LeaseTimes {
    duration: Duration::from_secs(35),
    deadline: Duration::from_secs(30),
    retry: Duration::from_secs(5),
};

fn at(seconds: u64) -> Moment {
    Moment::since_boot(Duration::from_secs(seconds))
}

fn held(holder: &str, version: &str) -> Seen {
    let record = Record { holder: holder.to_owned(), seconds: 35, ..Record::default() };
    Seen { version: version.to_owned(), record }
}

fn decide(machine: &mut Machine, seen: Option<Seen>, seconds: u64) -> Act {
    machine.decide(seen, at(seconds), Timestamp::UNIX_EPOCH)
}

#[test]
fn without_a_lease_one_is_made() {
    let mut machine = Machine::new("a", TIMES);
    let Act::Create(record) = decide(&mut machine, None, 1) else { panic!("not created") };
    assert_eq!((record.holder.as_str(), record.seconds, record.transitions), ("a", 35, 1));
    let deadline = machine.written(Seen { version: "1".into(), record }, at(1));
    assert_eq!(deadline, Some(at(31)));
    assert_eq!(machine.pause(at(1)), TIMES.retry);
}

#[test]
fn a_lease_is_taken_when_it_has_not_changed_for_its_duration() {
    let mut machine = Machine::new("a", TIMES);
    assert_eq!(decide(&mut machine, Some(held("b", "1")), 100), Act::Watch);
    assert_eq!(decide(&mut machine, Some(held("b", "1")), 134), Act::Watch);
    assert_eq!(machine.pause(at(134)), SECOND);
    assert_eq!(decide(&mut machine, Some(held("b", "2")), 135), Act::Watch);
    assert_eq!(decide(&mut machine, Some(held("b", "2")), 169), Act::Watch);
    let act = decide(&mut machine, Some(held("b", "2")), 170);
    assert!(matches!(act, Act::Replace { version, .. } if version == "2"));
}

#[test]
fn a_holder_with_longer_times_keeps_them() {
    let mut machine = Machine::new("a", TIMES);
    let mut seen = held("b", "1");
    seen.record.seconds = 60;
    decide(&mut machine, Some(seen.clone()), 0);
    assert_eq!(decide(&mut machine, Some(seen), 59), Act::Watch);
}

#[test]
fn a_lease_that_was_given_back_is_taken_at_once() {
    let mut holder = Machine::new("a", TIMES);
    let act = decide(&mut holder, Some(held("", "1")), 0);
    let Act::Replace { record, .. } = act else { panic!("not taken") };
    holder.written(Seen { version: "2".into(), record: record.clone() }, at(0));
    let seen = Seen { version: "2".into(), record };
    let (version, record) = holder.release(&seen).unwrap();
    assert_eq!((version.as_str(), record.holder.as_str()), ("2", ""));
    assert_eq!(Machine::new("b", TIMES).release(&seen), None);
    let mut other = Machine::new("b", TIMES);
    let act = decide(&mut other, Some(Seen { version: "3".into(), record }), 0);
    assert!(matches!(act, Act::Replace { record, .. } if record.holder == "b"));
}

#[test]
fn renewing_needs_no_reading_and_counts_no_transition() {
    let mut machine = Machine::new("a", TIMES);
    let Act::Create(record) = decide(&mut machine, None, 0) else { panic!("not created") };
    machine.written(Seen { version: "1".into(), record }, at(0));
    let known = machine.known().cloned();
    let act = decide(&mut machine, known, 5);
    let Act::Replace { version, record } = act else { panic!("not renewed") };
    assert_eq!((version.as_str(), record.transitions), ("1", 1));
    machine.forget();
    assert_eq!(machine.known(), None);
}

/// The API server's side of compare-and-swap.
#[derive(Default)]
struct Server {
    lease: Option<Seen>,
    version: u64,
}

impl Server {
    fn write(&mut self, act: Act) -> Option<Seen> {
        let record = match (act, &self.lease) {
            (Act::Create(record), None) => record,
            (Act::Replace { version, record }, Some(seen)) if seen.version == version => record,
            _ => return None,
        };
        self.version += 1;
        self.lease = Some(Seen { version: self.version.to_string(), record });
        self.lease.clone()
    }
}

struct Candidate {
    machine: Machine,
    /// How far its clock is ahead of the others': boot times have nothing in common.
    ahead: Duration,
    deadline: Moment,
}

impl Candidate {
    fn new(number: u64) -> Self {
        Self {
            machine: Machine::new(&number.to_string(), TIMES),
            ahead: SECOND * u32::try_from(number * 1000).unwrap(),
            deadline: Moment::default(),
        }
    }

    fn acts(&self, now: Moment) -> bool {
        now.plus(self.ahead) < self.deadline
    }

    /// A turn that reads at `read` and whose write arrives at `write`. What is lost happened.
    fn turn(&mut self, server: &mut Server, read: Moment, lost: bool) {
        let seen = self.machine.known().cloned().or_else(|| server.lease.clone());
        let now = read.plus(self.ahead);
        let act = self.machine.decide(seen, now, Timestamp::UNIX_EPOCH);
        if act == Act::Watch {
            return;
        }
        match server.write(act).filter(|_| !lost) {
            Some(seen) => {
                if let Some(deadline) = self.machine.written(seen, now) {
                    self.deadline = deadline;
                }
            }
            None => self.machine.forget(),
        }
    }
}

proptest! {
    #[test]
    fn never_do_two_act_at_once(
        turns in prop::collection::vec((0_usize..3, 0_u64..20, prop::bool::weighted(0.2)), 1..300),
    ) {
        let mut server = Server::default();
        let mut candidates: Vec<Candidate> = (0..3).map(Candidate::new).collect();
        let mut now = at(0);
        for (who, pause, lost) in turns {
            now = now.plus(SECOND * u32::try_from(pause).unwrap());
            candidates[who].turn(&mut server, now, lost);
            let acting = candidates.iter().filter(|candidate| candidate.acts(now)).count();
            prop_assert!(acting <= 1, "{acting} act at {now:?}");
        }
    }

    #[test]
    fn somebody_acts_again_after_the_holder_died(number in 0_u64..30) {
        let mut server = Server::default();
        let (mut dead, mut other) = (Candidate::new(0), Candidate::new(1));
        dead.turn(&mut server, at(number), false);
        let (mut now, died) = (at(number), at(number));
        while !other.acts(now) {
            other.turn(&mut server, now, false);
            if !other.acts(now) {
                now = now.plus(other.machine.pause(now.plus(other.ahead)));
            }
            prop_assert!(now.since(died) <= TIMES.duration + SECOND);
        }
        prop_assert!(!dead.acts(now));
    }
}
