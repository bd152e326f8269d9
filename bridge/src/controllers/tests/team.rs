//! Teams: the golden path, who owns what, the key, deletion.

use std::time::Duration;

use serde_json::json;

use crate::engine::Next;
use crate::testing::world::{SERVER, World, path, record, team_spec, value};

const TEAMS: &str = "terdutteams";

fn team() -> String {
    path(TEAMS, "platform")
}

#[tokio::test]
async fn a_team_is_made_with_four_writes_and_a_second_pass_writes_nothing() {
    let world = World::new().await;
    let groups = json!({ "memberGroup": "people" });
    let mut spec = team_spec("Platform");
    spec["oidc"] = groups;
    world.put(TEAMS, "platform", &spec);
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    let writes = [
        format!("PATCH {}", team()),
        "POST /api/v1/namespaces/terdut-bridge/secrets".to_owned(),
        format!("PUT {}", record("platform")),
        format!("PATCH {}/status", team()),
    ];
    assert_eq!(world.take_writes(), writes);
    let made = world.simulator.state().team_named("Platform").unwrap();
    assert_eq!(made.team.oidc_member_group.as_deref(), Some("people"));
    let status = world.cluster.at(&team()).unwrap()["status"].clone();
    assert_eq!(status["teamID"], made.team.id.to_string());
    assert_eq!(status["credentialsSecretRef"]["name"], "tenant.platform-team-credentials");
    assert_eq!(world.ready(TEAMS, "platform"), "True Available");
    assert_eq!(world.take_events(), ["KeyMinted"]);

    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_eq!(world.take_writes(), Vec::<String>::new());
    assert_eq!(world.take_events(), Vec::<String>::new());
}

#[tokio::test]
async fn the_key_is_of_a_team_account_and_stays_in_the_bridges_namespace() {
    let world = World::with_team().await;
    let kept = world.cluster.at(&record("platform")).unwrap();
    let team = world.simulator.state().team_named("Platform").unwrap().team.id;
    let accounts = world.simulator.state().accounts();
    let account = accounts.iter().find(|account| account.team_id == Some(team)).unwrap();
    assert!(account.name.ends_with(&format!("-team-{team}")), "{}", account.name);
    assert_eq!(value(&kept, "account-id"), account.id.to_string());
    let secrets = world.cluster.list("Secret");
    assert!(secrets.iter().all(|secret| secret["metadata"]["namespace"] == "terdut-bridge"));
}

#[tokio::test]
async fn a_change_and_a_drift_are_brought_back_and_told_apart() {
    let world = World::with_team().await;
    world.cluster.edit(&team(), |team| team["spec"]["displayName"] = json!("Base"));
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    let id = world.simulator.state().team_named("Base").unwrap().team.id;
    assert_eq!(world.take_events(), ["Updated"]);

    world.simulator.state().rename_team(id, "Else").unwrap();
    world.simulator.state().edit_team(id, |team| team.oidc_owner_group = Some("x".to_owned()));
    let world = world.restarted().await;
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    let there = world.simulator.state().team(id).unwrap().team;
    assert_eq!((there.name.as_str(), there.oidc_owner_group), ("Base", None));
    assert_eq!(world.take_events(), ["DriftRepaired"]);
}

#[tokio::test]
async fn a_rename_to_a_name_that_is_taken_is_never_an_adoption() {
    let world = World::with_team().await;
    world.simulator.state().add_team("Taken");
    world.cluster.edit(&team(), |team| team["spec"]["displayName"] = json!("Taken"));
    world.team("platform").await;
    assert_eq!(world.ready(TEAMS, "platform"), "False NameTaken");
    assert_eq!(world.condition(TEAMS, "platform", "Degraded").0, "True");
    assert!(world.simulator.state().team_named("Platform").is_some());
    world.cluster.edit(&team(), |team| team["spec"]["displayName"] = json!("Free"));
    world.team("platform").await;
    assert_eq!(world.ready(TEAMS, "platform"), "True Available");
    assert_eq!(world.condition(TEAMS, "platform", "Degraded").0, "");
}

#[tokio::test]
async fn a_team_that_is_gone_is_made_again_under_a_new_record() {
    let world = World::with_team().await;
    let old = world.simulator.state().team_named("Platform").unwrap().team.id;
    world.simulator.state().delete_team(old).unwrap();
    let world = world.restarted().await;
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    let new = world.simulator.state().team_named("Platform").unwrap().team.id;
    assert_ne!(old, new);
    let kept = world.cluster.at(&record("platform")).unwrap();
    assert_eq!(value(&kept, "team-id"), new.to_string());
    assert_eq!(world.ready(TEAMS, "platform"), "True Available");
}

#[tokio::test]
async fn a_team_of_the_name_is_adopted_once_and_only_where_the_server_allows_it() {
    let world = World::new().await;
    let there = world.simulator.state().add_team("Platform").id;
    world.cluster.edit(SERVER, |server| server["spec"]["allowedTeams"]["adoption"] = json!("Deny"));
    world.put(TEAMS, "platform", &team_spec("Platform"));
    world.team("platform").await;
    assert_eq!(world.ready(TEAMS, "platform"), "False AdoptionNotPermitted");
    assert_eq!(world.simulator.count("POST", "*"), 0);
    assert!(world.cluster.at(&record("platform")).is_none());

    world
        .cluster
        .edit(SERVER, |server| server["spec"]["allowedTeams"]["adoption"] = json!("Allow"));
    world.take_events();
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_eq!(world.take_events(), ["Adopted", "KeyMinted"]);
    let kept = world.cluster.at(&record("platform")).unwrap();
    assert_eq!(value(&kept, "team-id"), there.to_string());
}

#[tokio::test]
async fn a_team_that_another_object_owns_is_left_alone() {
    let world = World::with_team().await;
    world.put(TEAMS, "other", &team_spec("Platform"));
    let requests = world.simulator.requests().len();
    world.team("other").await;
    assert_eq!(world.ready(TEAMS, "other"), "False NameClaimed");
    let sent = world.simulator.requests().split_off(requests);
    assert!(sent.iter().all(|request| request.method == "GET"), "{sent:?}");
    // The second one goes without touching what it never had.
    world.cluster.delete_at(&path(TEAMS, "other"));
    assert_eq!(world.team("other").await, Some(Next::Gone));
    assert!(world.simulator.state().team_named("Platform").is_some());
    // The name is free when its owner goes.
    world.put(TEAMS, "other", &team_spec("Platform"));
    world.cluster.delete_at(&team());
    assert_eq!(world.team("platform").await, Some(Next::Gone));
    assert_eq!(world.team("other").await, Some(Next::Settled));
}

#[tokio::test]
async fn a_name_that_is_lost_to_another_at_the_last_moment_is_not_taken_for_ours() {
    use terdut_simulator::Fault;
    for resumed in [false, true] {
        let world = World::new().await;
        world.cluster.edit(SERVER, |it| it["spec"]["allowedTeams"]["adoption"] = json!("Deny"));
        world.put(TEAMS, "platform", &team_spec("Platform"));
        // Whoever takes the name does it between our look and our POST.
        let taken = Fault::on("POST", "/api/teams").error(409, "name taken");
        world.simulator.fault(taken);
        world.team("platform").await;
        assert_eq!(world.ready(TEAMS, "platform"), "False NameTaken");
        world.simulator.state().add_team("Platform");
        let world = if resumed { world.restarted().await } else { world };
        world.team("platform").await;
        assert_eq!(world.ready(TEAMS, "platform"), "False AdoptionNotPermitted", "{resumed}");
        world.cluster.delete_at(&team());
        assert_eq!(world.team("platform").await, Some(Next::Gone));
        assert!(world.simulator.state().team_named("Platform").is_some());
    }
}

#[tokio::test]
async fn another_name_ends_the_wait_for_one_that_was_lost_to_another_object() {
    use terdut_simulator::Fault;
    let world = World::new().await;
    world.put(TEAMS, "platform", &team_spec("Platform"));
    // Whether the request acted is not known, so that the record stays.
    world.simulator.fault(Fault::on("POST", "/api/teams").error(500, "no").times(9));
    assert!(matches!(world.team("platform").await, Some(Next::Retry(_))));
    world.recovers();
    world.put(TEAMS, "other", &team_spec("Platform"));
    assert_eq!(world.team("other").await, Some(Next::Settled));
    assert_eq!(world.team("platform").await, Some(Next::Waiting));
    assert_eq!(world.ready(TEAMS, "platform"), "False NameClaimed");
    world.cluster.edit(&team(), |team| team["spec"]["displayName"] = json!("Base"));
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert!(world.simulator.state().team_named("Base").is_some());
    assert!(world.simulator.state().team_named("Platform").is_some());
}

#[tokio::test]
async fn a_key_that_is_old_is_replaced() {
    let world = World::with_flags(&["--rotate-credentials-after=1h"]).await;
    world.put(TEAMS, "platform", &team_spec("Platform"));
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    let token = || value(&world.cluster.at(&record("platform")).unwrap(), "token");
    let first = token();
    world.clock.advance(Duration::from_mins(59));
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_eq!(token(), first);
    world.clock.advance(Duration::from_mins(2));
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_ne!(token(), first);
    assert_one_team_key(&world);
}

#[tokio::test]
async fn a_rotation_that_is_denied_leaves_the_key_that_works() {
    use terdut_simulator::Fault;
    let world = World::with_team().await;
    let token = || value(&world.cluster.at(&record("platform")).unwrap(), "token");
    let first = token();
    world.cluster.edit(&team(), |team| {
        team["metadata"]["annotations"] = json!({ "terdut.ryuvia.com/rotate-credentials": "1" });
    });
    let keys = "/api/service-accounts/{id}/keys";
    world.simulator.fault(Fault::on("POST", keys).error(403, "no").always());
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_eq!(world.ready(TEAMS, "platform"), "True Available");
    assert_eq!(token(), first);
    assert_eq!(world.take_events(), ["RotationDenied"]);
    let (requests, secret) =
        (world.simulator.requests().len(), world.cluster.at(&record("platform")));
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    let asked = world.simulator.requests().split_off(requests);
    assert!(asked.iter().all(|request| request.method == "GET"), "not asked again: {asked:?}");
    assert_eq!(world.cluster.at(&record("platform")), secret, "and nothing is written");
    world.recovers();
    world.clock.advance(Duration::from_hours(23));
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_eq!(token(), first);
    world.clock.advance(Duration::from_hours(1));
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_ne!(token(), first, "another day may be better");
}

#[tokio::test]
async fn consent_that_is_taken_back_stops_work_and_deletes_nothing() {
    let world = World::with_team().await;
    world.cluster.edit(SERVER, |server| {
        server["spec"]["allowedTeams"]["namespaces"]["from"] = json!("Same");
    });
    let requests = world.simulator.requests().len();
    world.team("platform").await;
    world.team("platform").await;
    assert_eq!(world.ready(TEAMS, "platform"), "False RefNotPermitted");
    assert_eq!(world.take_events(), ["ConsentRevoked"]);
    assert_eq!(world.simulator.requests().len(), requests, "nothing is asked of the server");
    assert!(world.simulator.state().team_named("Platform").is_some());

    world.cluster.edit(SERVER, |server| {
        server["spec"]["allowedTeams"]["namespaces"]["from"] = json!("All");
    });
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    world.cluster.edit(SERVER, |server| {
        server["spec"]["allowedTeams"]["namespaces"]["from"] = json!("None");
    });
    world.cluster.delete_at(&team());
    assert_eq!(world.team("platform").await, Some(Next::Gone));
    assert!(world.simulator.state().teams().is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_there_and_a_forbidden_one_look_the_same_to_a_stranger() {
    let world = World::new().await;
    world.cluster.edit(SERVER, |server| server["spec"]["allowedTeams"] = json!({}));
    world.put(TEAMS, "platform", &team_spec("Platform"));
    let mut missing = team_spec("Platform");
    missing["serverRef"]["name"] = json!("nowhere");
    world.put(TEAMS, "other", &missing);
    world.team("platform").await;
    world.team("other").await;
    let said = |name: &str| {
        let object = world.cluster.at(&path(TEAMS, name)).unwrap();
        object["status"]["conditions"][0]["message"].clone()
    };
    assert_eq!(said("platform"), said("other"));
    assert_eq!(world.ready(TEAMS, "other"), "False RefNotPermitted");
}

#[tokio::test]
async fn a_key_that_the_server_does_not_know_is_made_again() {
    let world = World::with_team().await;
    let kept = world.cluster.at(&record("platform")).unwrap();
    let key: i64 = value(&kept, "key-id").parse().unwrap();
    world.simulator.state().revoke_key(key).unwrap();
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    let again = world.cluster.at(&record("platform")).unwrap();
    assert_ne!(value(&again, "token"), value(&kept, "token"));
    assert_eq!(world.take_events(), ["KeyRotated"]);
    assert_one_team_key(&world);
}

#[tokio::test]
async fn a_rotation_is_made_once_for_each_wish() {
    let world = World::with_team().await;
    let wish = |value: &'static str| {
        world.cluster.edit(&team(), |team| {
            team["metadata"]["annotations"] =
                json!({ "terdut.ryuvia.com/rotate-credentials": value });
        });
    };
    let token = || value(&world.cluster.at(&record("platform")).unwrap(), "token");
    let first = token();
    wish("1");
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    let second = token();
    assert_ne!(first, second);
    assert_eq!(world.take_events(), ["KeyRotated"]);
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_eq!(token(), second);
    wish("2");
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_ne!(token(), second);
    assert_one_team_key(&world);
}

#[tokio::test]
async fn a_rotation_that_fails_is_tried_again() {
    use terdut_simulator::Fault;
    let world = World::with_team().await;
    let token = || value(&world.cluster.at(&record("platform")).unwrap(), "token");
    let first = token();
    world.cluster.edit(&team(), |team| {
        team["metadata"]["annotations"] = json!({ "terdut.ryuvia.com/rotate-credentials": "1" });
    });
    world
        .simulator
        .fault(Fault::on("POST", "/api/service-accounts/{id}/keys").error(503, "no").always());
    assert!(matches!(world.team("platform").await, Some(Next::Retry(_))));
    assert_eq!(token(), first);
    assert_eq!(world.take_events(), Vec::<String>::new());
    world.recovers();
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_ne!(token(), first);
    assert_one_team_key(&world);
}

fn assert_one_team_key(world: &World) {
    let state = world.simulator.state();
    let kept = world.cluster.at(&record("platform")).unwrap();
    let account: i64 = value(&kept, "account-id").parse().unwrap();
    let keys = state.keys_of(terdut_simulator::Owner::Account(account));
    let texts: Vec<_> = keys.iter().map(|key| key.text.clone()).collect();
    assert_eq!(texts, [value(&kept, "token")]);
}

#[tokio::test]
async fn what_was_never_made_or_is_to_stay_needs_no_call() {
    let world = World::with_team().await;
    world.cluster.edit(&team(), |team| team["spec"]["deletionPolicy"] = json!("Retain"));
    world.cluster.delete_at(&team());
    assert_eq!(world.team("platform").await, Some(Next::Gone));
    assert!(world.cluster.at(&team()).is_none() && world.cluster.at(&record("platform")).is_none());
    assert!(world.simulator.state().team_named("Platform").is_some());
    let accounts = world.simulator.state().accounts();
    assert!(accounts.iter().all(|account| account.team_id.is_none()), "its key is given up");
    assert_eq!(world.take_events(), ["Retained"]);
}

#[tokio::test]
async fn a_deletion_that_is_blocked_says_so_once_and_can_be_given_up() {
    let world = World::with_team().await;
    world.simulator.fault(terdut_simulator::Fault::on("*", "*").error(503, "no").always());
    world.cluster.delete_at(&team());
    for _ in 0..2 {
        assert!(matches!(world.team("platform").await, Some(Next::Retry(_))));
        assert_eq!(world.ready(TEAMS, "platform"), "False DeletionBlocked");
        assert_eq!(world.condition(TEAMS, "platform", "Degraded").0, "True");
    }
    assert_eq!(world.take_events(), ["DeletionBlocked"]);
    world.cluster.edit(&team(), |team| {
        team["metadata"]["annotations"] = json!({ "terdut.ryuvia.com/on-delete": "abandon" });
    });
    assert_eq!(world.team("platform").await, Some(Next::Gone));
    assert!(world.cluster.at(&team()).is_none() && world.cluster.at(&record("platform")).is_none());
    assert_eq!(world.take_events(), ["Abandoned"]);
}

#[tokio::test]
async fn a_team_does_not_wait_for_a_server_that_is_gone() {
    for gone in [false, true] {
        let world = World::with_team().await;
        if gone {
            world.cluster.take_away(SERVER);
        } else {
            world.cluster.edit(SERVER, |it| it["metadata"]["finalizers"] = json!(["x"]));
            world.cluster.delete_at(SERVER);
            world.team("platform").await;
            assert_eq!(world.ready(TEAMS, "platform"), "False ServerDeleting");
        }
        world.cluster.delete_at(&team());
        assert_eq!(world.team("platform").await, Some(Next::Gone), "{gone}");
        assert!(world.cluster.at(&record("platform")).is_none());
    }
}

#[tokio::test]
async fn a_pause_leaves_ready_and_blocks_no_deletion() {
    let world = World::with_team().await;
    world.cluster.edit(&team(), |team| {
        team["metadata"]["annotations"] = json!({ "terdut.ryuvia.com/reconcile": "disabled" });
        team["spec"]["displayName"] = json!("Else");
    });
    assert_eq!(world.team("platform").await, Some(Next::Waiting));
    assert_eq!(world.ready(TEAMS, "platform"), "True Available");
    assert_eq!(world.condition(TEAMS, "platform", "Synced").1, "Paused");
    assert!(world.simulator.state().team_named("Platform").is_some());
    world.cluster.delete_at(&team());
    assert_eq!(world.team("platform").await, Some(Next::Gone));
    assert!(world.simulator.state().teams().is_empty());
}

#[tokio::test]
async fn nothing_that_a_tenant_writes_leads_to_another_team() {
    let world = World::with_team().await;
    let victim = world.simulator.state().add_team("Victim").id;
    world.cluster.edit(&team(), |team| {
        team["metadata"]["annotations"] = json!({
            "terdut.ryuvia.com/record": format!("{{\"team\":{victim}}}"),
        });
        team["status"]["teamID"] = json!(victim.to_string());
        team["status"]["credentialsSecretRef"] = json!({ "name": "handed-in", "key": "token" });
    });
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    let own = world.simulator.state().team_named("Platform").unwrap().team.id;
    let status = world.cluster.at(&team()).unwrap()["status"].clone();
    assert_eq!(status["teamID"], own.to_string());
    assert_eq!(status["credentialsSecretRef"]["name"], "tenant.platform-team-credentials");
    // Nor is it believed while nobody can be asked.
    world
        .cluster
        .edit(SERVER, |it| it["spec"]["allowedTeams"]["namespaces"]["from"] = json!("None"));
    world.cluster.edit(&team(), |it| it["status"]["teamID"] = json!(victim.to_string()));
    world.team("platform").await;
    assert_eq!(world.ready(TEAMS, "platform"), "False RefNotPermitted");
    assert_eq!(world.cluster.at(&team()).unwrap()["status"]["teamID"], own.to_string());
    world.cluster.delete_at(&team());
    assert_eq!(world.team("platform").await, Some(Next::Gone));
    assert!(world.simulator.state().team(victim).is_some());
}

#[tokio::test]
async fn a_record_of_another_uid_is_no_record() {
    let world = World::with_team().await;
    world.cluster.take_away(&team());
    world.cluster.edit(SERVER, |it| it["spec"]["allowedTeams"]["adoption"] = json!("Deny"));
    world.put(TEAMS, "platform", &team_spec("Platform"));
    world.team("platform").await;
    assert_eq!(world.ready(TEAMS, "platform"), "False AdoptionNotPermitted");
    world.cluster.edit(SERVER, |it| it["spec"]["allowedTeams"]["adoption"] = json!("Allow"));
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    assert_one_team_key(&world);
}

#[tokio::test]
async fn what_is_wrong_or_cannot_be_asked_is_said_with_its_reason() {
    use terdut_simulator::Fault;
    let world = World::new().await;
    let mut spec = team_spec(" ");
    world.put(TEAMS, "platform", &spec);
    assert_eq!(world.team("platform").await, Some(Next::Waiting));
    assert_eq!(world.ready(TEAMS, "platform"), "False Invalid");
    spec["displayName"] = json!("Platform");
    world.cluster.edit(&team(), |team| team["spec"] = spec);
    for (fault, reason) in [
        (Fault::on("GET", "/api/teams").error(401, "no").always(), "Denied"),
        (Fault::on("GET", "/api/teams").no_route(), "ServerTooOld"),
        (Fault::on("GET", "/api/teams").error(503, "no").always(), "Unreachable"),
    ] {
        world.simulator.fault(fault);
        assert!(matches!(world.team("platform").await, Some(Next::Retry(_))));
        assert_eq!(world.ready(TEAMS, "platform"), format!("False {reason}"));
        world.recovers();
    }
    assert_eq!(world.team("platform").await, Some(Next::Settled));
    world.cluster.take_away("/api/v1/namespaces/terdut-bridge/secrets/handed-in");
    world.team("platform").await;
    assert_eq!(world.ready(TEAMS, "platform"), "False WaitingForServer");
}
