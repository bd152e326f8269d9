//! A server that does not answer: whom it sends away, and what brings them back.

use terdut_core::api::Request;
use terdut_core::ids::TeamId;
use terdut_simulator::Fault;

use super::shared::{RULES, SETTLED, SOURCES, SWITCHES, team, with_switch};
use crate::controllers::child;
use crate::crd::TerdutDeadmanSwitch;
use crate::engine::{Next, Pass, Reason};
use crate::servers::Link;
use crate::testing::world::{World, path, rule_spec, source_spec};

/// After so long a server that fell silent once may be asked again.
const PAUSE: std::time::Duration = std::time::Duration::from_secs(2);

fn link(world: &World) -> Link {
    let server = world.context.stores.servers().get("oncall", "main").unwrap();
    world.context.servers.link(&server).unwrap()
}

/// The server dies, which the pass over a source is the first to notice.
async fn dies(world: &World) {
    world.simulator.fault(Fault::on("*", "*").error(503, "no").always());
    world.put(SOURCES, "source", &source_spec("alerts"));
    world.source("source").await;
    assert_eq!(world.ready(SOURCES, "source"), "False Unreachable");
}

#[tokio::test]
async fn a_remembered_list_is_no_sign_of_life() {
    let world = with_switch().await;
    assert_eq!(world.switch("switch").await, SETTLED);
    let switch = world.cluster.at(&path(SWITCHES, "switch")).unwrap();
    let switch: TerdutDeadmanSwitch = serde_json::from_value(switch).unwrap();
    let pass = Pass::new(Reason::Changed, 1, switch.metadata.uid.as_deref().unwrap());
    let work = child::begin(&world.context, &switch, &pass).await.unwrap();
    dies(&world).await;
    world.simulator.clear_requests();
    let list = Request::ListSwitches { team: TeamId(team(&world).team.id) };
    work.ask(list, false).await.unwrap();
    assert!(world.simulator.requests().is_empty(), "it was remembered");
    assert!(link(&world).admit().is_err());
}

#[tokio::test]
async fn whoever_finds_out_whether_a_server_answers_asks_it() {
    let world = with_switch().await;
    assert_eq!(world.switch("switch").await, SETTLED);
    dies(&world).await;
    world.clock.advance(PAUSE);
    assert!(matches!(world.switch("switch").await, Some(Next::Retry(_))));
    assert_eq!(world.ready(SWITCHES, "switch"), "False Unreachable");
    assert!(link(&world).admit().is_err(), "the others need not find out too");
    world.simulator.clear_faults();
    world.clock.advance(2 * PAUSE);
    assert_eq!(world.switch("switch").await, SETTLED);
    assert!(link(&world).admit().is_ok());
}

#[tokio::test]
async fn whose_own_request_fails_is_not_woken_by_what_others_are_answered() {
    let world = with_switch().await;
    world
        .simulator
        .fault(Fault::on("GET", "/api/teams/{id}/integrations").error(503, "no").always());
    world.put(SOURCES, "source", &source_spec("alerts"));
    world.source("source").await;
    assert_eq!(world.ready(SOURCES, "source"), "False Unreachable");
    world.put(RULES, "rule", &rule_spec());
    assert!(matches!(world.rule("rule").await, Some(Next::Retry(_))));
    world.clock.advance(PAUSE);
    world.context.wake.woken();
    assert_eq!(world.switch("switch").await, SETTLED);
    assert_eq!(
        world.context.wake.woken(),
        ["TerdutEscalationRule rule", "TerdutDeadmanSwitch switch"]
    );
    assert_eq!(world.rule("rule").await, SETTLED);
    assert_eq!(world.context.wake.woken(), Vec::<String>::new());
}
