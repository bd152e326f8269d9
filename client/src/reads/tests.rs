//! Sharing, remembering and forgetting, with counted fetches and a clock that is set by hand.

mod written;

use std::sync::atomic::{AtomicUsize, Ordering};

use terdut_core::error::{Class, Effect};
use tokio::sync::Notify;

use super::*;

struct Fixture {
    reads: Arc<Reads>,
    time: Arc<Mutex<Instant>>,
    fetches: Arc<AtomicUsize>,
    gate: Arc<Notify>,
}

impl Fixture {
    fn new() -> Self {
        let time = Arc::new(Mutex::new(Instant::now()));
        let shown = Arc::clone(&time);
        let reads = Reads::new(Clock::new(move || *shown.lock().unwrap()));
        Self { reads, time, fetches: Arc::default(), gate: Arc::default() }
    }

    fn fetch(&self, outcome: Outcome) -> impl Future<Output = Outcome> + Send + use<> {
        let fetches = Arc::clone(&self.fetches);
        async move {
            fetches.fetch_add(1, Ordering::SeqCst);
            outcome
        }
    }

    async fn read(&self, key: &str, subject: Subject) -> Outcome {
        self.reads.read(Wanted::Any, key.to_owned(), subject, |_| self.fetch(Ok(teams()))).await
    }

    /// A read that ends only when the gate is opened.
    async fn slow_read(&self) -> Outcome {
        self.reads
            .read(Wanted::Any, "/teams".to_owned(), Subject::Teams, |left| self.gated(left, true))
            .await
    }

    /// A fresh read that leaves only when the gate is opened, or ends only then.
    async fn slow_fresh_read(&self, leaves: bool) -> Outcome {
        let fetch = |left| self.gated(left, leaves);
        self.reads.read(Wanted::Fresh, "/teams".to_owned(), Subject::Teams, fetch).await
    }

    fn gated(
        &self,
        departure: Departure,
        leaves: bool,
    ) -> impl Future<Output = Outcome> + Send + use<> {
        let (gate, fetch) = (Arc::clone(&self.gate), self.fetch(Ok(teams())));
        async move {
            if leaves {
                departure.leave();
            }
            let outcome = fetch.await;
            gate.notified().await;
            outcome
        }
    }

    fn count(&self) -> usize {
        self.fetches.load(Ordering::SeqCst)
    }
}

fn teams() -> Reply {
    Reply::Teams([].into())
}

fn failed() -> Outcome {
    Err(ApiError {
        class: Class::Unreachable,
        effect: Effect::None,
        method: "GET",
        route: "/api/teams",
        status: None,
        own_word: false,
        said: String::new(),
    })
}

fn rename(team: i64) -> Request {
    Request::RenameTeam { team: TeamId(team), name: String::new() }
}

#[tokio::test]
async fn a_list_lives_thirty_seconds() {
    let fixture = Fixture::new();
    for (age, fetches) in [(0, 1), (29, 1), (30, 2), (59, 2), (60, 3)] {
        let start = *fixture.time.lock().unwrap();
        *fixture.time.lock().unwrap() = start + Duration::from_secs(age);
        fixture.read("/teams", Subject::Teams).await.unwrap();
        assert_eq!(fixture.count(), fetches, "{age} s");
        *fixture.time.lock().unwrap() = start;
    }
}

#[tokio::test]
async fn a_list_that_has_to_be_recent_lives_ten_seconds_under_way_or_answered() {
    let fixture = Fixture::new();
    let start = *fixture.time.lock().unwrap();
    let recent = async |age: u64| {
        *fixture.time.lock().unwrap() = start + Duration::from_millis(age);
        let fetch = |_| fixture.fetch(Ok(teams()));
        let key = "/teams".to_owned();
        fixture.reads.read(Wanted::Recent, key, Subject::Teams, fetch).await.unwrap();
        fixture.count()
    };
    for (age, fetches) in [(0, 1), (9_900, 1), (10_100, 2), (20_000, 2), (20_200, 3)] {
        assert_eq!(recent(age).await, fetches, "{age} ms");
    }
    fixture.reads.forget();
    let mut slow = Box::pin(fixture.slow_read());
    assert!(futures::poll!(&mut slow).is_pending());
    assert_eq!(recent(30_300).await, 5, "one that has been under way for ten seconds");
}

#[tokio::test]
async fn concurrent_readers_share_one_request() {
    let fixture = Fixture::new();
    let open = async {
        tokio::task::yield_now().await;
        fixture.gate.notify_one();
    };
    let (one, two, ()) = futures::join!(fixture.slow_read(), fixture.slow_read(), open);
    assert_eq!((one, two, fixture.count()), (Ok(teams()), Ok(teams()), 1));
}

#[tokio::test]
async fn errors_are_not_remembered() {
    let fixture = Fixture::new();
    let read = || {
        fixture.reads.read(Wanted::Any, "/t".into(), Subject::Teams, |_| fixture.fetch(failed()))
    };
    assert_eq!((read().await, read().await), (failed(), failed()));
    assert_eq!(fixture.count(), 2);
}

#[tokio::test]
async fn a_write_forgets_its_team_and_kind_only() {
    let fixture = Fixture::new();
    let lists = [
        ("/teams", Subject::Teams),
        ("/teams/1/switches", Subject::Switches(TeamId(1))),
        ("/teams/2/switches", Subject::Switches(TeamId(2))),
        ("/teams/1/integrations", Subject::Integrations(TeamId(1))),
        ("/users", Subject::Users),
    ];
    for (write, refetched) in [
        (rename(1), 1),
        (Request::DeleteSwitch { team: TeamId(1), switch: terdut_core::ids::SwitchId(9) }, 1),
        (Request::DeleteTeam { team: TeamId(1) }, 3),
        (Request::OnCall, 0),
    ] {
        for (key, subject) in lists {
            fixture.read(key, subject).await.unwrap();
        }
        let before = fixture.count();
        drop(fixture.reads.writing(&write));
        for (key, subject) in lists {
            fixture.read(key, subject).await.unwrap();
        }
        assert_eq!(fixture.count() - before, refetched, "{write:?}");
    }
}

#[tokio::test]
async fn an_answer_from_before_a_write_is_not_remembered() {
    let fixture = Fixture::new();
    let write_meanwhile = async {
        tokio::task::yield_now().await;
        drop(fixture.reads.writing(&rename(1)));
        fixture.gate.notify_one();
    };
    let (outcome, ()) = futures::join!(fixture.slow_read(), write_meanwhile);
    assert_eq!(outcome, Ok(teams()));
    fixture.read("/teams", Subject::Teams).await.unwrap();
    assert_eq!(fixture.count(), 2);
}

#[tokio::test]
async fn a_reader_that_gives_up_does_not_take_the_others_with_it() {
    let fixture = Fixture::new();
    let mut leader = Box::pin(fixture.slow_read());
    let mut follower = Box::pin(fixture.slow_read());
    assert!(futures::poll!(&mut leader).is_pending());
    assert!(futures::poll!(&mut follower).is_pending());
    drop(leader);
    fixture.gate.notify_one();
    assert_eq!((follower.await, fixture.count()), (Ok(teams()), 1));
}

#[tokio::test]
async fn a_fresh_read_asks_again_and_is_remembered() {
    let fixture = Fixture::new();
    fixture.read("/teams", Subject::Teams).await.unwrap();
    let fetch = |_| fixture.fetch(Ok(teams()));
    fixture.reads.read(Wanted::Fresh, "/teams".into(), Subject::Teams, fetch).await.unwrap();
    fixture.read("/teams", Subject::Teams).await.unwrap();
    assert_eq!(fixture.count(), 2);
    fixture.reads.forget();
    fixture.read("/teams", Subject::Teams).await.unwrap();
    assert_eq!(fixture.count(), 3);
}

#[tokio::test]
async fn fresh_readers_share_a_request_only_until_it_has_left() {
    for (leaves, fetches) in [(false, 1), (true, 2)] {
        let fixture = Fixture::new();
        let mut first = Box::pin(fixture.slow_fresh_read(leaves));
        let mut second = Box::pin(fixture.slow_fresh_read(leaves));
        assert!(futures::poll!(&mut first).is_pending());
        assert!(futures::poll!(&mut second).is_pending());
        assert_eq!(fixture.count(), fetches, "left: {leaves}");
        fixture.gate.notify_waiters();
        assert_eq!(futures::join!(first, second), (Ok(teams()), Ok(teams())));
    }
}

#[tokio::test]
async fn a_request_that_waits_while_something_is_written_proves_nothing_later() {
    let fixture = Fixture::new();
    let mut first = Box::pin(fixture.slow_fresh_read(false));
    assert!(futures::poll!(&mut first).is_pending());
    drop(fixture.reads.writing(&rename(1)));
    let mut second = Box::pin(fixture.slow_fresh_read(false));
    assert!(futures::poll!(&mut second).is_pending());
    assert_eq!(fixture.count(), 2);
}
