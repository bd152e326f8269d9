//! Dead man's switches: changes, adoption, and records that are copied or forged.

use serde_json::{Value, json};

use super::shared::{SETTLED, SWITCHES, team, with_switch};
use crate::engine::Next;
use crate::testing::world::{World, path, switch_spec};

#[tokio::test]
async fn a_switch_shows_what_the_server_has_and_another_spelling_changes_nothing() {
    let world = with_switch().await;
    let id = team(&world).switches[0].id;
    let status = world.cluster.at(&path(SWITCHES, "switch")).unwrap()["status"].clone();
    assert_eq!(status["switchID"], id.to_string());
    assert_eq!(
        status["applied"],
        json!({
            "name": "watchdog", "matcher": "alertname=Watchdog", "timeout": "15m0s",
            "severity": "critical",
        })
    );
    world.cluster.edit(&path(SWITCHES, "switch"), |switch| {
        switch["spec"]["timeout"] = json!("900s");
        switch["spec"]["severity"] = json!("");
    });
    assert_eq!(world.switch("switch").await, SETTLED);
    assert_eq!(team(&world).switches[0].id, id);
}

#[tokio::test]
async fn a_change_of_a_switch_deletes_it_and_makes_it_again() {
    let world = with_switch().await;
    let id = team(&world).switches[0].id;
    for (field, changed) in
        [("matcher", "a=b"), ("timeout", "20m"), ("severity", "info"), ("name", "other")]
    {
        world.cluster.edit(&path(SWITCHES, "switch"), |it| it["spec"][field] = json!(changed));
        assert_eq!(world.switch("switch").await, SETTLED, "{field}");
        assert_eq!(world.take_events(), ["Recreated"], "{field}");
        assert_eq!(team(&world).switches.len(), 1, "{field}");
    }
    assert_ne!(team(&world).switches[0].id, id);
    assert_eq!(team(&world).switches[0].name, "other");
}

#[tokio::test]
async fn a_switch_of_the_name_is_adopted_and_made_as_the_manifest_says() {
    for differs in [false, true] {
        let world = World::with_team().await;
        let there = add_switch(&world, "watchdog", if differs { "1h" } else { "15m" });
        world.put(SWITCHES, "switch", &switch_spec("watchdog"));
        assert_eq!(world.switch("switch").await, SETTLED);
        let switches = team(&world).switches;
        assert_eq!(switches.len(), 1);
        assert_eq!(switches[0].id == there, !differs);
        let expected: &[&str] = if differs { &["Adopted", "Recreated"] } else { &["Adopted"] };
        assert_eq!(world.take_events(), expected);
    }
}

fn add_switch(world: &World, name: &str, timeout: &str) -> i64 {
    let switch = terdut_simulator::Switch {
        id: 0,
        team_id: team(world).team.id,
        name: name.to_owned(),
        matcher: "alertname=Watchdog".to_owned(),
        timeout: timeout.to_owned(),
        severity: "critical".to_owned(),
        last_seen_at: None,
    };
    world.simulator.state().add_switch(switch).unwrap().id
}

#[tokio::test]
async fn a_switch_that_another_object_made_is_not_adopted() {
    let world = with_switch().await;
    // A copied manifest, with the record of the first one in it.
    let first = world.cluster.at(&path(SWITCHES, "switch")).unwrap();
    world.put(SWITCHES, "copy", &switch_spec("watchdog"));
    world.cluster.edit(&path(SWITCHES, "copy"), |copy| {
        copy["metadata"]["annotations"] = first["metadata"]["annotations"].clone();
    });
    world.switch("copy").await;
    assert_eq!(world.ready(SWITCHES, "copy"), "False NameTaken");
    world.cluster.delete_at(&path(SWITCHES, "copy"));
    assert_eq!(world.switch("copy").await, Some(Next::Gone));
    assert_eq!(team(&world).switches.len(), 1, "the first one's switch stays");
    world.put(SWITCHES, "copy", &switch_spec("watchdog"));
    world.cluster.delete_at(&path(SWITCHES, "switch"));
    assert_eq!(world.switch("switch").await, Some(Next::Gone));
    assert_eq!(world.switch("copy").await, SETTLED);
}

#[tokio::test]
async fn a_switch_that_gets_another_name_wakes_who_waits_for_the_old_one() {
    let world = with_switch().await;
    world.put(SWITCHES, "copy", &switch_spec("watchdog"));
    assert_eq!(world.switch("copy").await, Some(Next::Waiting));
    assert_eq!(world.ready(SWITCHES, "copy"), "False NameTaken");
    for (field, changed, woken) in
        [("timeout", "20m", &[][..]), ("name", "other", &["TerdutDeadmanSwitch copy"])]
    {
        world.cluster.edit(&path(SWITCHES, "switch"), |it| it["spec"][field] = json!(changed));
        world.context.wake.woken();
        assert_eq!(world.switch("switch").await, SETTLED);
        assert_eq!(world.context.wake.woken(), woken, "{field}");
    }
    assert_eq!(world.switch("copy").await, SETTLED);
}

#[tokio::test]
async fn a_forged_record_reaches_nothing_outside_its_own_team() {
    let world = with_switch().await;
    let other = world.simulator.state().add_team("Victim").id;
    let victim = terdut_simulator::Switch {
        team_id: other,
        name: "theirs".to_owned(),
        ..team(&world).switches[0].clone()
    };
    let theirs = world.simulator.state().add_switch(victim).unwrap().id;
    let uid = world.cluster.at(&path(SWITCHES, "switch")).unwrap()["metadata"]["uid"].clone();
    let own = team(&world).team.id;
    let forge = |team: i64, id: i64| -> Value {
        let record = json!({
            "uid": uid, "team": team, "kind": "DeadmanSwitch", "name": "theirs", "before": [],
            "id": id,
        });
        json!({ "terdut.ryuvia.com/record": record.to_string() })
    };
    for forged in [forge(other, theirs), forge(own, theirs), forge(own, -1)] {
        world.cluster.edit(&path(SWITCHES, "switch"), |switch| {
            switch["metadata"]["annotations"] = forged;
            switch["status"]["switchID"] = json!(theirs.to_string());
        });
        assert_eq!(world.switch("switch").await, SETTLED);
        let status = world.cluster.at(&path(SWITCHES, "switch")).unwrap()["status"].clone();
        assert_eq!(status["switchID"], team(&world).switches[0].id.to_string());
    }
    world.cluster.edit(&path(SWITCHES, "switch"), |switch| {
        switch["metadata"]["annotations"] = forge(own, theirs);
    });
    world.cluster.delete_at(&path(SWITCHES, "switch"));
    assert_eq!(world.switch("switch").await, Some(Next::Gone));
    assert_eq!(world.simulator.state().team(other).unwrap().switches.len(), 1);
}
