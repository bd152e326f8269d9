//! Alert sources over a simulated server: what a pass costs, and what happens to the one key.

use serde_json::{Value, json};
use terdut_simulator::Fault;

use super::*;
use crate::controllers::team::TeamController;
use crate::crd::names::API_VERSION;
use crate::testing::{Fixture, PATIENCE, namespace, team_on};

const SECRET: &str = "am-terdut-webhook";

struct Scene {
    fixture: Fixture,
    controller: AlertSourceController,
}

impl Scene {
    /// A team that is ready, and an alert source that is new.
    async fn start() -> Self {
        let (fixture, _) = Fixture::with_server(&json!({ "from": "Same" })).await;
        fixture.cluster.put(&namespace("oncall", &json!({})));
        fixture.cluster.put(&team_on("oncall", "platform", ("oncall", "main")));
        let teams = TeamController::new(Arc::clone(&fixture.context));
        assert_eq!(fixture.pass(&teams, "oncall", "platform").await, Next::Settled);
        fixture.cluster.take_lines();
        let controller = AlertSourceController::new(Arc::clone(&fixture.context));
        let scene = Self { fixture, controller };
        scene.put("am");
        scene
    }

    fn put(&self, name: &str) {
        self.fixture.cluster.put(&json!({
            "apiVersion": API_VERSION, "kind": "TerdutAlertSource",
            "metadata": { "namespace": "oncall", "name": name },
            "spec": { "teamRef": { "name": "platform" }, "name": "main-am" },
        }));
    }

    async fn pass(&self, name: &str) -> Next {
        self.fixture.pass(&self.controller, "oncall", name).await
    }

    fn ready(&self, name: &str) -> String {
        let source = self.fixture.cluster.get("TerdutAlertSource", "oncall", name).unwrap();
        let conditions = source["status"]["conditions"].as_array().unwrap().clone();
        let ready = conditions.iter().find(|condition| condition["type"] == "Ready").unwrap();
        ready["reason"].as_str().unwrap().to_owned()
    }

    fn secret(&self) -> Option<Value> {
        self.fixture.cluster.get("Secret", "oncall", SECRET)
    }

    fn sources(&self) -> usize {
        let teams = self.fixture.simulator.state().teams();
        teams.iter().map(|team| team.integrations.len()).sum()
    }

    fn made(&self) -> usize {
        self.fixture.simulator.count("POST", "/api/teams/{id}/integrations")
    }

    fn writes(&self) -> Vec<String> {
        let lines = self.fixture.cluster.take_lines();
        let is_write = |line: &String| !line.starts_with("GET") && !line.contains("/events");
        lines.into_iter().filter(is_write).collect()
    }
}

#[tokio::test]
async fn a_source_takes_four_writes_and_then_none() {
    let scene = Scene::start().await;
    assert_eq!(scene.pass("am").await, Next::Settled);
    assert_eq!(scene.ready("am"), "Available");
    let writes = scene.writes();
    assert_eq!(writes.len(), 4, "{writes:?}");
    assert!(writes[1].ends_with("/secrets"), "the key is kept before the id is on record");
    assert_eq!(scene.pass("am").await, Next::Settled);
    assert_eq!((scene.sources(), scene.writes()), (1, Vec::new()));
}

#[tokio::test]
async fn a_key_whose_answer_was_lost_is_made_again_and_none_is_left() {
    let scene = Scene::start().await;
    let lost = Fault::on("POST", "/api/teams/{id}/integrations").drop_after();
    scene.fixture.simulator.fault(lost);
    assert_eq!(scene.pass("am").await, Next::Settled);
    assert_eq!((scene.sources(), scene.made()), (1, 2));
    assert!(scene.secret().is_some());
}

#[tokio::test]
async fn a_lost_secret_is_told_and_not_healed() {
    let scene = Scene::start().await;
    assert_eq!(scene.pass("am").await, Next::Settled);
    scene.fixture.cluster.delete("Secret", "oncall", SECRET);
    // The watch over Secrets may not have seen it yet.
    let seen = async { while scene.pass("am").await == Next::Settled {} };
    tokio::time::timeout(PATIENCE, seen).await.unwrap();
    assert_eq!(scene.ready("am"), "WebhookSecretLost");
    assert_eq!((scene.secret(), scene.made()), (None, 1));
}

#[tokio::test]
async fn a_secret_of_somebody_else_keeps_the_source_from_being_made() {
    let scene = Scene::start().await;
    let planted = scene.fixture.cluster.put(&json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "namespace": "oncall", "name": SECRET,
            "labels": { "app.kubernetes.io/managed-by": "terdut-bridge" },
        },
    }));
    assert_eq!(scene.pass("am").await, Next::Waiting);
    assert_eq!(scene.ready("am"), "ForeignObject");
    assert_eq!((scene.secret(), scene.made()), (Some(planted), 0));
}

#[tokio::test]
async fn a_source_that_has_the_name_is_never_taken_over() {
    let scene = Scene::start().await;
    assert_eq!(scene.pass("am").await, Next::Settled);
    scene.put("second");
    assert!(scene.pass("second").await != Next::Settled);
    assert_eq!(scene.ready("second"), "NameTaken");
    scene.fixture.cluster.delete("TerdutAlertSource", "oncall", "second");
    assert_eq!(scene.pass("second").await, Next::Gone);
    assert_eq!((scene.sources(), scene.made()), (1, 1));
}
