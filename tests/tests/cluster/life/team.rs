//! A `TerdutTeam`.

use terdut_tests::cluster::{Filter, kind};

use super::stage::{Stage, TEAM};

#[tokio::test]
async fn a_team_is_created_changed_put_right_and_deleted() {
    let Some((stage, id)) = Stage::with_team().await else { return };
    let namespace = stage.namespace(kind::TEAM).to_owned();
    let found = || stage.simulator.state().team(id).map(|state| state.team);
    let groups = |name: &'static str, member: &'static str, owner: Option<&'static str>| {
        move || {
            found().is_some_and(|team| {
                team.name == name
                    && team.oidc_member_group.as_deref() == Some(member)
                    && team.oidc_owner_group.as_deref() == owner
            })
        }
    };
    assert!(groups("Platform", "platform-members", Some("platform-owners"))());
    let prefix = format!("{namespace}.{TEAM}-");
    assert_eq!(stage.own_secrets(&prefix).await, [format!("{prefix}team-credentials")]);

    let mut team = stage.team();
    team["spec"]["displayName"] = "Platform crew".into();
    team["spec"]["oidc"] = serde_json::json!({ "memberGroup": "crew", "ownerGroup": "" });
    stage.apply(&team).await;
    stage.ready(kind::TEAM, TEAM).await;
    let wanted = groups("Platform crew", "crew", None);
    assert!(wanted());

    stage.simulator.state().edit_team(id, |team| {
        team.name = "Somebody else's".to_owned();
        team.oidc_owner_group = Some("others".to_owned());
    });
    stage.until("drift is put right", &wanted).await;

    let mark = stage.site.traffic.mark();
    stage.delete(kind::TEAM, TEAM).await;
    assert!(found().is_none());
    assert!(stage.own_secrets(&prefix).await.is_empty());
    let deletes = Filter::terdut().verb("delete").of("/api/teams/{}").after(mark);
    assert_eq!(stage.site.traffic.count(&deletes), 1);
}
