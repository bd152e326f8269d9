//! Plans and creates carried out, with answers lost at the worst moments.

use std::time::Duration;

use terdut_client::execute::{
    Failed, Order, Progress, Why, carry_out, carry_out_durably, create, create_durable,
};
use terdut_client::{Caller, Claims};
use terdut_core::api::AccountScope;
use terdut_core::create::{Failure, NewSource, NewTeam, Outcome};
use terdut_core::ids::{AccountId, IntegrationId, TeamId};
use terdut_core::model::{
    DesiredTeam, EscalationRule, Kind, Level, ObservedServiceAccount, ServiceAccount, Target, Team,
};
use terdut_core::plan::{Action, Ownership, Plan, Policy, Step, plan};
use terdut_core::value::{Field, GoDuration, Name};

use crate::client;
use crate::peer::{Act, Peer, json, with_headers};

const TEAM: &str = r#"{"id":1,"name":"a"}"#;
const SOURCE: &str = r#"{"id":5,"kind":"alertmanager","name":"s"}"#;
const MADE_SOURCE: &str = r#"{"id":6,"kind":"alertmanager","name":"s","key":"k","url":"/k"}"#;

fn list(items: &[&str]) -> Act {
    json(200, &format!("[{}]", items.join(",")))
}

fn caller(peer: &Peer) -> Caller {
    Caller::unstoppable(client(&peer.url()))
}

fn team() -> NewTeam {
    NewTeam { name: "a".into() }
}

fn source() -> NewSource {
    NewSource { team: TeamId(1), kind: "alertmanager".into(), name: "s".into() }
}

fn methods(peer: &Peer) -> String {
    let first = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
    peer.lines().iter().map(first).collect::<Vec<_>>().join(" ")
}

async fn carried(peer: &Peer, action: Action, steps: Vec<Step>) -> Progress {
    let (replace, updates, warnings) = (vec![], vec![], vec![]);
    let plan = Plan { action, steps, replace, updates, warnings, refusal: None };
    carried_plan(peer, &plan, Ownership::Recorded).await
}

async fn carried_plan(peer: &Peer, plan: &Plan, ownership: Ownership) -> Progress {
    let wanted = plan.action != Action::Delete;
    let order = Order { plan, wanted, ownership, policy: Policy::default() };
    carry_out(&caller(peer), &Claims::default(), order).await
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_the_one_new_object_is_ours() {
    let peer = Peer::start([list(&[]), Act::Drop, list(&[TEAM])]).await;
    let outcome = create(&caller(&peer), &Claims::default(), team(), false).await;
    assert!(matches!(outcome, Outcome::Made { made, .. } if made.id == TeamId(1)));
    assert_eq!(methods(&peer), "GET POST GET");
}

#[tokio::test]
async fn a_post_that_did_not_act_is_sent_again() {
    let peer = Peer::start([list(&[]), json(502, ""), list(&[]), json(201, TEAM)]).await;
    let outcome = create(&caller(&peer), &Claims::default(), team(), false).await;
    assert!(matches!(outcome, Outcome::Made { .. }), "{outcome:?}");
    assert_eq!(methods(&peer), "GET POST GET POST");
}

#[tokio::test]
async fn a_source_whose_key_was_lost_is_made_anew_and_the_lost_one_removed() {
    let lost = [list(&[]), Act::Drop, list(&[SOURCE]), json(204, "")];
    let script = [&lost[..], &[json(201, MADE_SOURCE), list(&[MADE_SOURCE])]].concat();
    let peer = Peer::start(script).await;
    let outcome = create(&caller(&peer), &Claims::default(), source(), false).await;
    let Outcome::Made { made, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!((made.integration.id, made.key.expose()), (IntegrationId(6), "k"));
    assert!(peer.lines()[3].starts_with("DELETE /api/teams/1/integrations/5 "));
}

#[tokio::test]
async fn two_creates_of_one_name_never_both_find_theirs() {
    let peer = Peer::start([list(&[]), json(201, TEAM), list(&[TEAM])]).await;
    let (caller, claims) = (caller(&peer), Claims::default());
    let (one, two) = futures::join!(
        create(&caller, &claims, team(), false),
        create(&caller, &claims, team(), false)
    );
    assert!(matches!(one, Outcome::Made { .. }), "{one:?}");
    assert!(matches!(two, Outcome::Failed(Failure::Taken { .. })), "{two:?}");
}

#[tokio::test]
async fn a_stop_during_the_post_still_learns_what_was_made_but_posts_no_more() {
    for (proof, made) in [(list(&[TEAM]), true), (list(&[]), false)] {
        let Act::Raw(answer) = json(502, "") else { panic!() };
        let late = Act::Late(Duration::from_millis(200), answer);
        let peer = Peer::start([list(&[]), late, proof]).await;
        let stop = tokio::time::sleep(Duration::from_millis(100));
        let caller = Caller::new(client(&peer.url()), stop);
        let outcome = create(&caller, &Claims::default(), team(), false).await;
        assert_eq!(matches!(outcome, Outcome::Made { .. }), made, "{outcome:?}");
        let unseen = matches!(outcome, Outcome::Failed(Failure::Unseen { .. }));
        assert_eq!(unseen, !made, "a gateway may still have it: {outcome:?}");
        assert_eq!(methods(&peer), "GET POST GET");
    }
}

#[tokio::test]
async fn a_create_that_is_told_to_come_later_is_posted_once() {
    let limited = with_headers(429, "retry-after: 3600\r\n", "");
    let peer = Peer::start([list(&[]), limited]).await;
    let outcome = create(&caller(&peer), &Claims::default(), team(), false).await;
    let Outcome::Failed(Failure::Call { error, .. }) = outcome else { panic!("{outcome:?}") };
    assert!(error.said.contains("a pause of 3600 seconds"), "{error}");
    assert_eq!(methods(&peer), "GET POST");
}

#[tokio::test]
async fn a_stop_ends_the_wait_for_a_claim() {
    let peer = Peer::start([list(&[]), Act::Hang]).await;
    let claims = Claims::default();
    let holder = caller(&peer);
    let mut held = Box::pin(create(&holder, &claims, team(), false));
    assert!(futures::poll!(&mut held).is_pending());
    let stopped = Caller::new(client(&peer.url()), std::future::ready(()));
    let outcome = create(&stopped, &claims, team(), false).await;
    assert!(matches!(outcome, Outcome::Failed(Failure::Call { .. })), "{outcome:?}");
}

#[tokio::test]
async fn what_was_made_is_reported_beside_what_failed() {
    let peer = Peer::start([list(&[]), json(201, TEAM), json(403, r#"{"error":"no"}"#)]).await;
    let desired = DesiredTeam {
        name: Field::Known("a".parse::<Name>().unwrap()),
        member_group: Field::Known("m".into()),
        owner_group: Field::Known(String::new()),
    };
    let plan = plan::<Team>(Some(&desired), None, Ownership::Recorded, Policy::default());
    let progress = carried_plan(&peer, &plan, Ownership::Recorded).await;
    assert_eq!(progress.team().map(|team| team.id), Some(TeamId(1)));
    let Some(Failed { index: 1, why: Why::Call(error), .. }) = progress.failed else { panic!() };
    assert_eq!(error.status, Some(403));
    assert!(peer.log()[2].ends_with(r#"{"member_group":"m","owner_group":""}"#));
}

#[tokio::test]
async fn a_rename_whose_answer_was_lost_is_looked_up() {
    let rename =
        || Step::RenameSource { team: TeamId(1), source: IntegrationId(5), name: "s".into() };
    let old = SOURCE.replace("\"s\"", "\"old\"");
    for (script, expected) in [
        (vec![Act::Drop, list(&[SOURCE])], "PATCH GET"),
        (vec![Act::Drop, list(&[&old]), json(200, SOURCE)], "PATCH GET PATCH"),
    ] {
        let peer = Peer::start(script).await;
        let progress = carried(&peer, Action::Update, vec![rename()]).await;
        assert!(progress.is_complete(), "{progress:?}");
        assert_eq!(methods(&peer), expected);
    }
}

#[tokio::test]
async fn removing_what_is_not_there_has_done_its_work() {
    let delete = || vec![Step::DeleteTeam { team: TeamId(1) }];
    let absent = || json(404, r#"{"error":"no such team"}"#);
    for answer in [absent(), json(500, ""), json(200, "<html>")] {
        let peer = Peer::start([answer.clone(), list(&[])]).await;
        assert!(carried(&peer, Action::Delete, delete()).await.is_complete(), "{answer:?}");
        assert_eq!(methods(&peer), "DELETE GET");
        // It is not gone while a list has it, nor where there is no list.
        for list in [list(&[TEAM]), absent()] {
            let peer = Peer::start([answer.clone(), list]).await;
            let progress = carried(&peer, Action::Delete, delete()).await;
            assert!(!progress.is_complete(), "{answer:?}");
        }
    }
    let peer = Peer::start([with_headers(404, "", "404 page not found")]).await;
    assert!(!carried(&peer, Action::Delete, delete()).await.is_complete());
    assert_eq!(methods(&peer), "DELETE");
}

#[tokio::test]
async fn what_is_below_a_parent_is_gone_with_it() {
    let delete = || vec![Step::DeleteSource { team: TeamId(1), source: IntegrationId(5) }];
    let absent = || json(404, r#"{"error":"no such team"}"#);
    for (teams, gone) in [(list(&[]), true), (list(&[TEAM]), false), (absent(), false)] {
        let peer = Peer::start([absent(), absent(), teams]).await;
        let progress = carried(&peer, Action::Delete, delete()).await;
        assert_eq!(progress.is_complete(), gone, "{progress:?}");
        assert_eq!(methods(&peer), "DELETE GET GET");
    }
    let peer = Peer::start([absent(), list(&[SOURCE])]).await;
    assert!(!carried(&peer, Action::Delete, delete()).await.is_complete());
}

#[tokio::test]
async fn a_policy_is_reset_when_it_is_gone_or_its_team_is() {
    let reset = || vec![Step::ResetPolicy { team: TeamId(1) }];
    let absent = || json(404, r#"{"error":"none"}"#);
    let policy = r#"{"team_id":1,"repeat_count":1,"levels":[{"timeout":"5m0s","targets":[]}]}"#;
    for (answers, done) in [
        ([absent(), list(&[])], true),
        ([absent(), list(&[TEAM])], false),
        ([json(500, ""), absent()], true),
        ([json(500, ""), json(200, policy)], false),
    ] {
        let peer = Peer::start(answers.clone()).await;
        let progress = carried(&peer, Action::Delete, reset()).await;
        assert_eq!(progress.is_complete(), done, "{answers:?}");
    }
}

#[tokio::test]
async fn an_account_that_cannot_be_deleted_is_left_without_keys() {
    let keys = list(&[r#"{"id":7,"name":"a"}"#, r#"{"id":8,"name":"b"}"#]);
    let script = [with_headers(404, "", "404 page not found\n"), keys, json(204, "")];
    let peer = Peer::start(script).await;
    let observed = ObservedServiceAccount {
        id: AccountId(3),
        name: "a".into(),
        scope: AccountScope::Instance,
    };
    let plan =
        plan::<ServiceAccount>(None, Some(&observed), Ownership::Recorded, Policy::default());
    let progress = carried_plan(&peer, &plan, Ownership::Recorded).await;
    assert!(progress.is_complete() && progress.warnings.len() == 1, "{progress:?}");
    assert_eq!(methods(&peer), "DELETE GET DELETE DELETE");
}

#[tokio::test]
async fn a_policy_is_put_with_the_ids_of_the_users_it_names() {
    let rule = EscalationRule {
        team: TeamId(1),
        repeat_count: 0,
        fallback_topic: String::new(),
        levels: vec![Level {
            timeout: "5m".parse::<GoDuration>().unwrap(),
            targets: vec![Target::User("ann".parse::<Name>().unwrap())],
        }],
    };
    let put = || vec![Step::PutPolicy { rule: rule.clone() }];
    // Not in the first list: made meanwhile by other means.
    let ann = r#"{"id":3,"username":"ann"}"#;
    let peer = Peer::start([list(&[]), list(&[ann]), json(200, "{}")]).await;
    assert!(carried(&peer, Action::Create, put()).await.is_complete());
    assert!(peer.log()[2].contains(r#"{"kind":"user","user_id":3}"#), "{:?}", peer.log());

    let peer = Peer::start([list(&[])]).await;
    let progress = carried(&peer, Action::Create, put()).await;
    let doing = terdut_core::explain::Doing::creating(Kind::EscalationRule, "of team 1");
    let problems = progress.failed.unwrap().problems(&doing);
    assert_eq!(problems[0].path.to_string(), "levels[0].targets[0].username");
}

#[tokio::test]
async fn a_policy_whose_answer_was_lost_is_looked_up() {
    let rule = EscalationRule {
        team: TeamId(1),
        repeat_count: 2,
        fallback_topic: String::new(),
        levels: vec![Level { timeout: "60m".parse().unwrap(), targets: vec![Target::OnCall] }],
    };
    let policy = |count: u32| {
        let levels = r#"[{"timeout":"1h0m0s","targets":[{"kind":"oncall"}]}]"#;
        json(200, &format!(r#"{{"team_id":1,"repeat_count":{count},"levels":{levels}}}"#))
    };
    let doing = terdut_core::explain::Doing::creating(Kind::EscalationRule, "1");
    for (look, done, unsure) in [
        (policy(2), true, false),
        (policy(1), false, false),
        (json(404, r#"{"error":"none"}"#), false, false),
        (json(500, ""), false, true),
    ] {
        let peer = Peer::start([json(500, ""), look.clone()]).await;
        let put = vec![Step::PutPolicy { rule: rule.clone() }];
        let progress = carried(&peer, Action::Create, put).await;
        assert_eq!(
            (progress.is_complete(), methods(&peer).as_str()),
            (done, "PUT GET"),
            "{look:?}"
        );
        let told = progress.failed.map(|failed| failed.problems(&doing));
        let says = told.is_some_and(|told| told[0].detail.contains("may have been made"));
        assert_eq!(says, unsure, "{look:?}");
    }
}

#[tokio::test]
async fn a_plan_that_breaks_a_rule_is_not_begun() {
    let peer = Peer::start([json(204, "")]).await;
    let steps = vec![Step::DeleteTeam { team: TeamId(1) }];
    let progress = carried(&peer, Action::Create, steps).await;
    assert!(matches!(progress.failed, Some(Failed { why: Why::Broken(_), .. })));
    assert_eq!(peer.log(), Vec::<String>::new());
}

#[tokio::test]
async fn what_had_the_name_before_is_given_back_when_adoption_is_allowed() {
    let peer = Peer::start([list(&[TEAM])]).await;
    let outcome = create(&caller(&peer), &Claims::default(), team(), true).await;
    assert!(matches!(outcome, Outcome::Found(found) if found.id == TeamId(1)));
    assert_eq!(methods(&peer), "GET");
}

#[tokio::test]
async fn nothing_is_posted_before_the_record_is_safe() {
    let peer = Peer::start([list(&[]), json(201, TEAM)]).await;
    let refuse = |_| std::future::ready(Err("no leader"));
    let claims = Claims::default();
    let outcome = create_durable(&caller(&peer), &claims, team(), false, None, refuse).await;
    assert_eq!(outcome.unwrap_err(), "no leader");
    assert_eq!(methods(&peer), "GET");

    let peer = Peer::start([list(&[r#"{"id":4,"name":"b"}"#]), json(201, TEAM)]).await;
    let mut seen = Vec::new();
    let record = |before| {
        seen.push((peer.log().len(), before));
        std::future::ready(Ok::<_, ()>(()))
    };
    let outcome = create_durable(&caller(&peer), &claims, team(), false, None, record).await;
    assert!(matches!(outcome, Ok(Outcome::Made { made, .. }) if made.id == TeamId(1)));
    assert_eq!(seen, [(1, [].into())]);
}

#[tokio::test]
async fn after_a_crash_the_new_one_is_taken_without_another_post() {
    let peer = Peer::start([list(&[TEAM])]).await;
    let record = |_| std::future::ready(Err("recorded twice"));
    let (claims, before) = (Claims::default(), Some([].into()));
    let outcome = create_durable(&caller(&peer), &claims, team(), false, before, record).await;
    assert!(matches!(outcome, Ok(Outcome::Made { made, .. }) if made.id == TeamId(1)));
    assert_eq!(methods(&peer), "GET");
}

#[tokio::test]
async fn a_plan_that_replaces_records_its_successor_before_it_is_posted() {
    let made = r#"{"id":8,"name":"s","matcher":"a=b","timeout":"5m0s","severity":"critical"}"#;
    let (name, matcher) = ("s".to_owned(), "a=b".to_owned());
    let (timeout, severity) = ("5m".to_owned(), "critical".to_owned());
    let switch = terdut_core::api::NewSwitch { name, matcher, timeout, severity };
    let team = TeamId(1);
    let steps = vec![
        Step::DeleteSwitch { team, switch: terdut_core::ids::SwitchId(7) },
        Step::CreateSwitch { team, switch },
    ];
    let (replace, updates, warnings) = (vec![], vec![], vec![]);
    let plan = Plan { action: Action::Replace, steps, replace, updates, warnings, refusal: None };
    let (ownership, policy) = (Ownership::Recorded, Policy::default());
    let order = Order { plan: &plan, wanted: true, ownership, policy };
    let claims = Claims::default();

    let peer = Peer::start([json(204, ""), list(&[]), json(201, made)]).await;
    let refuse = |_| std::future::ready(Err("conflict"));
    let ended = carry_out_durably(&caller(&peer), &claims, order, None, refuse).await;
    assert_eq!(ended.unwrap_err(), "conflict");
    assert_eq!(methods(&peer), "DELETE GET");

    let peer = Peer::start([json(204, ""), list(&[made])]).await;
    let recorded = |_| std::future::ready(Err("recorded twice"));
    let before = Some([].into());
    let ended = carry_out_durably(&caller(&peer), &claims, order, before, recorded).await;
    assert_eq!(ended.map(|progress| progress.made_id()), Ok(Some(8)));
    assert_eq!(methods(&peer), "DELETE GET", "the one new switch is ours");
}
