//! Reading many objects asks few questions.

use futures::StreamExt;
use serde_json::json;
use terdut_tests::host::World;

use crate::scene::Scene;

/// What a host reads at once, unless told otherwise.
const PARALLEL: usize = 10;

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_switches_in_ten_teams_are_read_with_few_requests() {
    let scene = Scene::start().await;
    scene.simulator.state().fill(10, 1000);
    let teams = scene.simulator.state().teams();
    let switches: Vec<_> = teams.into_iter().flat_map(|team| team.switches).collect();
    assert_eq!(switches.len(), 1000);
    scene.simulator.clear_requests();
    let session = scene.world.session();
    let reads = switches.into_iter().map(|switch| async move {
        let mut world = World::over(session.clone());
        let state = json!({
            "id": switch.id.to_string(), "team_id": switch.team_id.to_string(),
            "name": switch.name, "matcher": switch.matcher, "timeout": switch.timeout,
            "severity": switch.severity
        });
        world.put_state("a", "terdut_deadman_switch", 0, state);
        world.refresh("a").await.expect("a read").expect("it is there");
    });
    futures::stream::iter(reads).buffer_unordered(PARALLEL).collect::<Vec<()>>().await;
    let requests = scene.simulator.requests().len();
    assert!(requests <= 40, "{requests} requests");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_switches_are_created_with_one_request_each_and_few_lists() {
    const SWITCHES: usize = 200;
    const TEAMS: usize = 4;
    let scene = Scene::start().await;
    scene.simulator.state().fill(TEAMS, 0);
    let teams: Vec<_> = scene.simulator.state().teams().iter().map(|team| team.team.id).collect();
    scene.simulator.clear_requests();
    let session = scene.world.session();
    let makes = (0..SWITCHES).map(|number| {
        let config = json!({
            "team_id": teams[number % TEAMS].to_string(), "name": format!("switch-{number}"),
            "matcher": "alertname=Watchdog", "timeout": "1h"
        });
        async move {
            let mut world = World::over(session.clone());
            world.apply("a", "terdut_deadman_switch", &config).await.expect("it is made");
        }
    });
    futures::stream::iter(makes).buffer_unordered(PARALLEL).collect::<Vec<()>>().await;
    let route = "/api/teams/{id}/deadman-switches";
    assert_eq!(scene.simulator.count("POST", route), SWITCHES);
    let lists = scene.simulator.count("GET", "*");
    assert!(lists <= 2 * TEAMS, "{lists} lists");
    scene.world.close().await;
}
