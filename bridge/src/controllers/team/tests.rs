//! Teams over a simulated server: what a pass costs, and that a record without an id is no leave to
//! take or to delete what another object has made.

use serde_json::{Value, json};
use terdut_simulator::Fault;

use super::*;
use crate::testing::{Fixture, namespace, team_on};

struct Scene {
    fixture: Fixture,
    controller: TeamController,
    server_uid: String,
}

impl Scene {
    async fn start() -> Self {
        let (fixture, server) = Fixture::with_server(&json!({ "from": "All" })).await;
        for name in ["oncall", "red", "blue"] {
            fixture.cluster.put(&namespace(name, &json!({})));
        }
        let server_uid = server["metadata"]["uid"].as_str().unwrap().to_owned();
        let controller = TeamController::new(Arc::clone(&fixture.context));
        Self { fixture, controller, server_uid }
    }

    /// A TerdutTeam that is to be the team Payments.
    fn put(&self, namespace: &str) -> Value {
        let mut team = team_on(namespace, "payments", ("oncall", "main"));
        team["spec"]["displayName"] = json!("Payments");
        self.fixture.cluster.put(&team)
    }

    async fn pass(&self, namespace: &str) -> Next {
        self.fixture.pass(&self.controller, namespace, "payments").await
    }

    fn ready(&self, namespace: &str) -> String {
        let team = self.fixture.cluster.get("TerdutTeam", namespace, "payments").unwrap();
        let conditions = team["status"]["conditions"].as_array().unwrap().clone();
        let ready = conditions.iter().find(|condition| condition["type"] == "Ready").unwrap();
        ready["reason"].as_str().unwrap().to_owned()
    }

    /// A POST of that namespace's team that never reached the server: all that is left is a record
    /// of what was about to be made.
    async fn fails_to_make(&self, namespace: &str) {
        self.put(namespace);
        self.fixture.simulator.fault(Fault::on("POST", "/api/teams").error(500, "busy").times(9));
        assert!(matches!(self.pass(namespace).await, Next::Retry(_)));
        self.fixture.simulator.clear_faults();
        assert_eq!(self.record(namespace).team, None);
        assert_eq!(self.teams(), 0);
    }

    fn record(&self, namespace: &str) -> TeamRecord {
        self.fixture.context.secrets.kept(namespace, "payments").unwrap().record
    }

    fn teams(&self) -> usize {
        self.fixture.simulator.state().teams().len()
    }
}

fn writes(lines: &[String]) -> Vec<&str> {
    let writes = lines.iter().filter(|line| !line.starts_with("GET") && !line.contains("/events"));
    writes.map(|line| line.split('/').next().unwrap().trim()).collect()
}

#[tokio::test]
async fn a_team_takes_four_writes_and_then_none() {
    let scene = Scene::start().await;
    scene.put("red");
    scene.fixture.cluster.take_lines();
    assert_eq!(scene.pass("red").await, Next::Settled);
    assert_eq!(scene.ready("red"), "Available");
    let lines = scene.fixture.cluster.take_lines();
    assert_eq!(writes(&lines), ["PATCH", "POST", "PUT", "PATCH"]);
    assert_eq!(scene.pass("red").await, Next::Settled);
    assert_eq!(writes(&scene.fixture.cluster.take_lines()), Vec::<&str>::new());
    assert_eq!(scene.record("red").server_uid, scene.server_uid);
}

#[tokio::test]
async fn an_unfinished_record_takes_no_team_that_another_object_made_since() {
    let scene = Scene::start().await;
    scene.fails_to_make("red").await;
    scene.put("blue");
    assert_eq!(scene.pass("blue").await, Next::Settled);
    let owned = scene.record("blue");
    assert!(owned.team.is_some());
    for _ in 0..2 {
        assert_eq!(scene.pass("red").await, Next::Waiting);
        assert_eq!(scene.ready("red"), "NameClaimed");
    }
    assert_eq!(scene.pass("blue").await, Next::Settled);
    assert_eq!((scene.record("blue"), scene.teams()), (owned, 1));
}

#[tokio::test]
async fn an_unfinished_record_deletes_no_team_that_another_object_made_since() {
    let scene = Scene::start().await;
    scene.fails_to_make("red").await;
    scene.put("blue");
    assert_eq!(scene.pass("blue").await, Next::Settled);
    scene.fixture.cluster.delete("TerdutTeam", "red", "payments");
    assert_eq!(scene.pass("red").await, Next::Gone);
    assert_eq!(scene.fixture.cluster.get("TerdutTeam", "red", "payments"), None);
    assert_eq!(scene.teams(), 1);
    assert_eq!(scene.fixture.simulator.count("DELETE", "*"), 0);
    assert_eq!(scene.pass("blue").await, Next::Settled);
}

#[tokio::test]
async fn a_maker_that_others_may_be_mistaken_for_puts_the_id_on_record_at_once() {
    let scene = Scene::start().await;
    scene.fails_to_make("red").await;
    scene.put("blue");
    // The team is made, its key is not.
    let no_account = Fault::on("POST", "/api/service-accounts").error(500, "busy").times(9);
    scene.fixture.simulator.fault(no_account);
    assert!(matches!(scene.pass("blue").await, Next::Retry(_)));
    scene.fixture.simulator.clear_faults();
    assert!(scene.record("blue").team.is_some());
    assert_eq!(scene.pass("red").await, Next::Waiting);
    assert_eq!(scene.pass("blue").await, Next::Settled);
    assert_eq!(scene.ready("blue"), "Available");
}

#[tokio::test]
async fn what_a_lost_answer_left_is_found_again() {
    let scene = Scene::start().await;
    scene.fails_to_make("red").await;
    assert_eq!(scene.pass("red").await, Next::Settled);
    assert_eq!((scene.ready("red").as_str(), scene.teams()), ("Available", 1));
    scene.fixture.cluster.delete("TerdutTeam", "red", "payments");
    assert_eq!(scene.pass("red").await, Next::Gone);
    assert_eq!(scene.teams(), 0);
}
