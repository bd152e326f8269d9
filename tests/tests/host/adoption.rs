//! Adoption of what differs: what can be changed is changed, what cannot is named.

use serde_json::{Value as Json, json};
use terdut_simulator::{Level, Owner, Policy, Switch, Target};

use crate::kinds::with;
use crate::scene::{ADDRESS, Scene};

async fn adopt(scene: &mut Scene, type_name: &str) -> Json {
    let kind = scene.kind(type_name);
    let config = with(&kind.full, "adopt_existing", &json!(true));
    scene.settle(&kind, &config).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_with_other_groups_is_adopted_and_changed() {
    let mut scene = Scene::start().await;
    let team = scene.simulator.state().add_team("Platform");
    scene.simulator.state().edit_team(team.id, |team| team.oidc_owner_group = Some("x".into()));
    let state = adopt(&mut scene, "terdut_team").await;
    assert_eq!(state["id"], json!(team.id.to_string()));
    let team = scene.simulator.state().team(team.id).expect("the team is there").team;
    assert_eq!(team.oidc_owner_group.as_deref(), Some("o"));
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_is_not_empty_is_not_overwritten_unasked() {
    let mut scene = Scene::start().await;
    let team: i64 = scene.fixture.team.parse().expect("a number");
    let target = Target { kind: "oncall".into(), user_id: None };
    let level = Level { timeout: "3m0s".into(), targets: vec![target] };
    let policy =
        Policy { team_id: team, repeat_count: 1, fallback_topic: None, levels: vec![level] };
    scene.simulator.state().set_policy(team, Some(policy.clone())).expect("the team is there");
    let kind = scene.kind("terdut_escalation_rule");
    let applied = scene.world.apply(ADDRESS, kind.type_name, &kind.full).await;
    let failure = applied.expect_err("the policy is somebody's");
    assert!(failure.says("adopt_existing"), "{failure}");
    let left = scene.simulator.state().team(team).and_then(|team| team.policy);
    assert_eq!(left, Some(policy));
    adopt(&mut scene, "terdut_escalation_rule").await;
    scene.world.close().await;
}

/// It may be what an apply has left that was cut short, and nothing of anybody's is overwritten.
#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_says_the_same_is_taken_up_unasked() {
    let mut scene = Scene::start().await;
    let kind = scene.kind("terdut_escalation_rule");
    scene.settle(&kind, &kind.full).await;
    scene.world.forget(ADDRESS);
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let before = scene.writes();
    scene.settle(&kind, &kind.full).await;
    assert_eq!(scene.writes(), before, "it was overwritten");
    let applied = scene.world.apply("thing.second", kind.type_name, &kind.full).await;
    let failure = applied.expect_err("two resources would fight over it");
    assert!(failure.says("another resource of this configuration"), "{failure}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_is_taken_over_names_the_keys_that_come_along() {
    let mut scene = Scene::start().await;
    let team = scene.fixture.team.parse().expect("a number");
    let (_, key) = scene.simulator.state().add_account("ci", Some(team));
    let kind = scene.kind("terdut_service_account");
    let config = with(&kind.full, "adopt_existing", &json!(true));
    let applied = scene.world.apply(ADDRESS, kind.type_name, &config).await.expect("adopted");
    let named = format!("ids {}.", key.id);
    assert!(applied.warns(&named), "{named}: {:?}", applied.diagnostics);
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_names_others_of_its_name_but_not_those_that_are_held() {
    let mut scene = Scene::start().await;
    let kind = scene.kind("terdut_service_account_key");
    scene.world.create_before_destroy(true);
    let config = |turn: &str| with(&kind.full, "rotate_when_changed", &json!({ "turn": turn }));
    let told = "same name";
    for (address, turn) in [(ADDRESS, "1"), ("thing.second", "1"), (ADDRESS, "2")] {
        let applied = scene.world.apply(address, kind.type_name, &config(turn)).await;
        let applied = applied.unwrap_or_else(|failure| panic!("{failure}"));
        assert!(!applied.warns(told), "{address} {turn}: {:?}", applied.diagnostics);
    }
    let account = scene.fixture.account.parse().expect("a number");
    let left = scene.simulator.state().add_key(Owner::Account(account), "deploy");
    // The key that is replaced has the name too until the apply is over, so the next read tells.
    let applied = scene.world.apply(ADDRESS, kind.type_name, &config("3")).await.expect("rotated");
    assert!(!applied.warns(told), "{:?}", applied.diagnostics);
    let named = format!("ids {}.", left.id);
    let read = scene.world.refresh_told(ADDRESS).await.expect("read");
    assert!(read.iter().any(|one| one.says(&named)), "{read:?}");
    let again = scene.world.refresh_told(ADDRESS).await.expect("read");
    assert!(!again.iter().any(|one| one.says(told)), "told once: {again:?}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_that_differs_is_made_anew() {
    let mut scene = Scene::start().await;
    let team: i64 = scene.fixture.team.parse().expect("a number");
    let switch = Switch {
        id: 0,
        team_id: team,
        name: "watchdog".into(),
        matcher: "a=b".into(),
        timeout: "1h0m0s".into(),
        severity: "info".into(),
        last_seen_at: None,
    };
    let old = scene.simulator.state().add_switch(switch).expect("the team is there");
    let state = adopt(&mut scene, "terdut_deadman_switch").await;
    assert_ne!(state["id"], json!(old.id.to_string()));
    let left = scene.simulator.state().team(team).expect("the team is there").switches;
    assert_eq!(left.len(), 1, "{left:?}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_of_another_scope_is_named_and_left_alone() {
    let mut scene = Scene::start().await;
    scene.simulator.state().add_account("ci", None);
    let kind = scene.kind("terdut_service_account");
    let config = with(&kind.full, "adopt_existing", &json!(true));
    let applied = scene.world.apply(ADDRESS, kind.type_name, &config).await;
    let failure = applied.expect_err("the scope cannot be changed");
    assert!(failure.says("scope"), "{failure}");
    assert!(scene.simulator.state().account("ci").is_some());
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_with_another_address_is_named_and_left_alone() {
    let mut scene = Scene::start().await;
    scene.simulator.state().add_user("eve", "other@example.org");
    let kind = scene.kind("terdut_user");
    let config = with(&kind.full, "adopt_existing", &json!(true));
    let applied = scene.world.apply(ADDRESS, kind.type_name, &config).await;
    let failure = applied.expect_err("the address cannot be changed");
    assert!(failure.says("email"), "{failure}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_switch_replaced_create_first_says_what_to_remove() {
    let mut scene = Scene::start().await;
    let kind = scene.kind("terdut_deadman_switch");
    scene.settle(&kind, &kind.full).await;
    scene.world.create_before_destroy(true);
    let config = with(&kind.full, "timeout", &json!("20m"));
    let applied = scene.world.apply(ADDRESS, kind.type_name, &config).await;
    let failure = applied.expect_err("the name is taken by the one before");
    assert!(failure.says("create_before_destroy"), "{failure}");
    scene.world.create_before_destroy(false);
    scene.settle(&kind, &config).await;
    scene.world.close().await;
}
