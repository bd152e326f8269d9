//! Many objects.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::peer::standard;

#[test]
fn ten_thousand_switches_are_listed_and_changed_quickly() {
    let (simulator, admin) = standard();
    simulator.state().fill(10, 10_000);
    let teams = simulator.state().teams();
    assert!(teams.iter().all(|team| team.switches.len() == 1_000));
    let begun = Instant::now();
    for team in &teams {
        let path = format!("/api/teams/{}/deadman-switches", team.team.id);
        assert_eq!(admin.get(&path).is(200).as_array().map(Vec::len), Some(1_000));
        let body = json!({ "name": "n", "matcher": "a=b", "timeout": "5m", "severity": "info" });
        admin.post(&path, &body).is(201);
        admin.delete(&format!("{path}/{}", team.switches[500].id));
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn many_callers_at_once_get_different_ids() {
    let (simulator, admin) = standard();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let admin = &admin;
            scope.spawn(move || {
                for number in 0..25 {
                    let name = format!("team-{worker}-{number}");
                    admin.post("/api/teams", &json!({ "name": name })).is(201);
                }
            });
        }
    });
    assert_eq!(simulator.state().team_count(), 200);
    assert_eq!(simulator.count("POST", "/api/teams"), 200);
}
