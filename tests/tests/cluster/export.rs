//! `terdut-bridge export` and a bridge: applied, the manifests adopt what is there as it is.

use serde_json::json;
use terdut_simulator::{Level, Policy, Simulator, Switch, Target};
use terdut_tests::cluster::{Cluster, Kind, kind};
use terdut_tests::harness::Binary;

use crate::scene::{Scene, labelled};

/// Two teams of one slug, with all that a team can have.
fn fill(simulator: &Simulator) {
    let state = simulator.state();
    let ada = state.add_user("ada", "ada@example.org").id;
    for name in ["Zürich \"all\"", "Zürich, all"] {
        let team_id = state.add_team(name).id;
        state.edit_team(team_id, |team| team.oidc_member_group = Some(name.to_owned()));
        let oncall = Target { kind: "oncall".to_owned(), user_id: None };
        let person = Target { kind: "user".to_owned(), user_id: Some(ada) };
        let levels = vec![Level { timeout: "5m0s".to_owned(), targets: vec![oncall, person] }];
        let fallback_topic = Some("pages".to_owned());
        state
            .set_policy(team_id, Some(Policy { team_id, repeat_count: 2, fallback_topic, levels }));
        for severity in ["critical", "page"] {
            state.add_switch(Switch {
                id: 0,
                team_id,
                name: format!("{severity} watchdog"),
                matcher: "env=prod, alertname=Watchdog".to_owned(),
                timeout: "1h30m0s".to_owned(),
                severity: severity.to_owned(),
                last_seen_at: None,
            });
        }
        state.add_integration(team_id, "prod");
    }
}

fn exported(scene: &Scene<'_>) -> String {
    let binary = Binary::bridge().with_env("TERDUT_URL", scene.simulator.url());
    let binary = binary.with_env("TERDUT_TOKEN", &scene.simulator.seed_admin());
    let place = ["--server-name", "main", "--server-namespace", scene.host()];
    let command = &mut binary.command();
    let output = command.args(["export", "-n", scene.guest()]).args(place).output();
    let output = output.expect("the bridge's program runs");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

async fn names(scene: &Scene<'_>, kind: Kind) -> Vec<String> {
    let objects = scene.client.list(kind, scene.guest()).await;
    let name = |object: &serde_json::Value| object["metadata"]["name"].as_str().map(str::to_owned);
    objects.iter().filter_map(name).collect()
}

#[tokio::test]
async fn exported_manifests_adopt_what_is_there_and_change_nothing() {
    let Some(cluster) = Cluster::shared() else { return };
    let mut allowed = labelled();
    allowed["adoption"] = json!("Allow");
    let scene = Scene::new(cluster, 2, &allowed).await;
    fill(&scene.simulator);
    let before = scene.simulator.state().teams();
    let kubectl = cluster.kubectl();
    kubectl.apply(&exported(&scene), &[]).await.expect_ok();
    let _bridge = scene.start().await;
    for (kind, count) in [(kind::TEAM, 2), (kind::RULE, 2), (kind::SWITCH, 4)] {
        let names = names(&scene, kind).await;
        assert_eq!(names.len(), count, "{names:?}");
        for name in names {
            scene.client.wait_ready(kind, scene.guest(), &name).await;
        }
    }
    let sources = names(&scene, kind::SOURCE).await;
    assert_eq!(sources, ["zurich-all-2-prod", "zurich-all-prod"]);
    for name in &sources {
        scene.client.wait_reason(kind::SOURCE, scene.guest(), name, "Synced", "Paused").await;
    }
    assert_eq!(scene.simulator.state().teams(), before);
    hand_over(&scene, &sources[1], before[0].team.id, before[0].integrations[0].id).await;
}

/// The way that the export names: gone on the server, then no longer paused.
async fn hand_over(scene: &Scene<'_>, name: &str, team: i64, source: i64) {
    scene.simulator.state().delete_integration(team, source).expect("the source");
    let taken = json!({ "metadata": { "annotations": { "terdut.ryuvia.com/reconcile": null } } });
    scene.client.patch(kind::SOURCE, scene.guest(), name, &taken).await;
    scene.client.wait_ready(kind::SOURCE, scene.guest(), name).await;
    let there = scene.simulator.state().team(team).expect("the team").integrations;
    assert_eq!(there.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["prod"]);
    assert_ne!(there[0].id, source);
}
