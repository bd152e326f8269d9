//! Switches over a simulated server: what a pass costs, and whose a switch is.

use serde_json::{Value, json};
use terdut_core::record::ChildRecord;

use super::*;
use crate::controllers::team::TeamController;
use crate::crd::names::{API_VERSION, annotation};
use crate::testing::{Fixture, namespace, team_on};

struct Scene {
    fixture: Fixture,
    controller: DeadmanSwitchController,
}

impl Scene {
    /// A team that is ready.
    async fn start() -> Self {
        let (fixture, _) = Fixture::with_server(&json!({ "from": "Same" })).await;
        fixture.cluster.put(&namespace("oncall", &json!({})));
        fixture.cluster.put(&team_on("oncall", "platform", ("oncall", "main")));
        let teams = TeamController::new(Arc::clone(&fixture.context));
        assert_eq!(fixture.pass(&teams, "oncall", "platform").await, Next::Settled);
        fixture.cluster.take_lines();
        let controller = DeadmanSwitchController::new(Arc::clone(&fixture.context));
        Self { fixture, controller }
    }

    fn put(&self, name: &str, timeout: &str, annotations: &Value) -> Value {
        self.fixture.cluster.put(&json!({
            "apiVersion": API_VERSION, "kind": "TerdutDeadmanSwitch",
            "metadata": { "namespace": "oncall", "name": name, "annotations": annotations },
            "spec": {
                "teamRef": { "name": "platform" }, "name": "watchdog",
                "matcher": "alertname=Watchdog", "timeout": timeout,
            },
        }))
    }

    async fn pass(&self, name: &str) -> Next {
        self.fixture.pass(&self.controller, "oncall", name).await
    }

    fn ready(&self, name: &str) -> String {
        let switch = self.fixture.cluster.get("TerdutDeadmanSwitch", "oncall", name).unwrap();
        let conditions = switch["status"]["conditions"].as_array().unwrap().clone();
        let ready = conditions.iter().find(|condition| condition["type"] == "Ready").unwrap();
        ready["reason"].as_str().unwrap().to_owned()
    }

    fn switches(&self) -> Vec<i64> {
        let teams = self.fixture.simulator.state().teams();
        teams.iter().flat_map(|team| &team.switches).map(|switch| switch.id).collect()
    }

    fn patches(&self) -> usize {
        let lines = self.fixture.cluster.take_lines();
        lines.iter().filter(|line| line.starts_with("PATCH")).count()
    }
}

#[tokio::test]
async fn a_switch_takes_three_writes_and_then_none() {
    let scene = Scene::start().await;
    scene.put("a", "5m", &Value::Null);
    assert_eq!(scene.pass("a").await, Next::Settled);
    assert_eq!((scene.ready("a").as_str(), scene.patches()), ("Available", 3));
    assert_eq!(scene.pass("a").await, Next::Settled);
    assert_eq!((scene.switches().len(), scene.patches()), (1, 0));
}

#[tokio::test]
async fn two_objects_do_not_fight_for_one_switch() {
    let scene = Scene::start().await;
    scene.put("a", "5m", &Value::Null);
    assert_eq!(scene.pass("a").await, Next::Settled);
    let before = scene.switches();
    scene.put("b", "10m", &Value::Null);
    for _ in 0..2 {
        assert_eq!(scene.pass("b").await, Next::Waiting);
        assert_eq!(scene.ready("b"), "NameTaken");
        assert_eq!(scene.pass("a").await, Next::Settled);
    }
    assert_eq!(scene.switches(), before);
    scene.fixture.cluster.delete("TerdutDeadmanSwitch", "oncall", "b");
    assert_eq!(scene.pass("b").await, Next::Gone);
    assert_eq!(scene.switches(), before);
}

#[tokio::test]
async fn a_copied_record_is_none_and_a_switch_that_nobody_owns_is_taken_over() {
    let scene = Scene::start().await;
    let first = scene.put("a", "5m", &Value::Null);
    assert_eq!(scene.pass("a").await, Next::Settled);
    let object = scene.fixture.cluster.get("TerdutDeadmanSwitch", "oncall", "a").unwrap();
    let text = object["metadata"]["annotations"][annotation::RECORD].as_str().unwrap();
    let record = ChildRecord::parse(text).unwrap();
    assert_eq!(json!(record.uid), first["metadata"]["uid"]);
    // The manifest with its annotations, applied under another name.
    scene.put("copy", "10m", &object["metadata"]["annotations"]);
    assert_eq!(scene.pass("copy").await, Next::Waiting);
    assert_eq!(scene.switches(), [record.id.unwrap()]);
    scene.fixture.cluster.put(&json!({
        "apiVersion": API_VERSION, "kind": "TerdutDeadmanSwitch",
        "metadata": { "namespace": "oncall", "name": "a" },
        "spec": { "deletionPolicy": "Retain" },
    }));
    scene.fixture.cluster.delete("TerdutDeadmanSwitch", "oncall", "a");
    assert_eq!(scene.pass("a").await, Next::Gone);
    assert_eq!(scene.pass("copy").await, Next::Settled);
    assert_eq!((scene.ready("copy").as_str(), scene.switches().len()), ("Available", 1));
}
