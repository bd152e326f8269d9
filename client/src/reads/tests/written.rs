//! What was written is brought into the lists that show it.

use terdut_core::api::Switch;
use terdut_core::ids::SwitchId;

use super::*;

const TEAM: TeamId = TeamId(1);
const SUBJECT: Subject = Subject::Switches(TEAM);

fn switch(id: i64) -> Switch {
    let text = |text: &str| text.to_owned();
    let (matcher, timeout, severity) = (text("a=b"), text("1h0m0s"), text("critical"));
    Switch { id: SwitchId(id), name: format!("s{id}"), matcher, timeout, severity }
}

fn list(ids: &[i64]) -> Reply {
    Reply::Switches(ids.iter().copied().map(switch).collect())
}

fn create(id: i64) -> (Request, Reply) {
    let Switch { name, matcher, timeout, severity, .. } = switch(id);
    let new = terdut_core::api::NewSwitch { name, matcher, timeout, severity };
    (Request::CreateSwitch { team: TEAM, switch: new }, Reply::Switch(switch(id)))
}

fn delete(id: i64) -> (Request, Reply) {
    (Request::DeleteSwitch { team: TEAM, switch: SwitchId(id) }, Reply::Done)
}

impl Fixture {
    /// The list, which the server says is this one if it is asked.
    async fn switches(&self, server: &[i64]) -> Reply {
        let fetch = |_| self.fetch(Ok(list(server)));
        self.reads.read(Wanted::Any, "/s".to_owned(), SUBJECT, fetch).await.unwrap()
    }

    fn write(&self, (request, reply): (Request, Reply)) {
        self.reads.writing(&request).answered(&reply);
    }
}

#[tokio::test]
async fn answered_writes_are_in_the_remembered_list() {
    let fixture = Fixture::new();
    fixture.switches(&[1, 2]).await;
    fixture.write(create(3));
    fixture.write(create(3));
    fixture.write(delete(1));
    assert_eq!(fixture.switches(&[]).await, list(&[2, 3]));
    assert_eq!(fixture.count(), 1);
}

#[tokio::test]
async fn a_write_whose_answer_is_lost_is_looked_up() {
    let fixture = Fixture::new();
    for (request, _) in [create(3), delete(1)] {
        fixture.switches(&[1]).await;
        let before = fixture.count();
        drop(fixture.reads.writing(&request));
        fixture.switches(&[1]).await;
        assert_eq!(fixture.count(), before + 1, "{request:?}");
    }
}

#[tokio::test]
async fn a_list_asked_for_before_a_write_shows_it_to_whoever_asks_after() {
    let fixture = Fixture::new();
    let slow = |shown: Reply| {
        let (gate, fetch) = (Arc::clone(&fixture.gate), fixture.fetch(Ok(shown)));
        async move {
            gate.notified().await;
            fetch.await
        }
    };
    let read =
        |shown: Reply| fixture.reads.read(Wanted::Any, "/s".into(), SUBJECT, move |_| slow(shown));
    let mut early = Box::pin(read(list(&[1])));
    assert!(futures::poll!(&mut early).is_pending());
    fixture.write(create(2));
    let mut late = Box::pin(read(list(&[])));
    assert!(futures::poll!(&mut late).is_pending());
    fixture.gate.notify_one();
    assert_eq!((early.await, late.await), (Ok(list(&[1, 2])), Ok(list(&[1, 2]))));
    assert_eq!((fixture.switches(&[]).await, fixture.count()), (list(&[1, 2]), 1));
}

#[tokio::test]
async fn a_write_that_is_brought_in_makes_a_list_no_younger() {
    let fixture = Fixture::new();
    fixture.switches(&[1]).await;
    *fixture.time.lock().unwrap() += Duration::from_secs(29);
    fixture.write(create(2));
    *fixture.time.lock().unwrap() += Duration::from_secs(1);
    fixture.switches(&[1, 2]).await;
    assert_eq!(fixture.count(), 2);
}
