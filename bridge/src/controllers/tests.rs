//! Whole passes of teams and their children over a made-up API server and the simulator.

mod child;
mod crash;
mod rule;
mod silence;
mod source;
mod switch;
mod team;

/// What the tests of the three kinds below a team share.
mod shared {
    use crate::engine::Next;
    use crate::testing::world::{World, rule_spec, source_spec, switch_spec};

    pub(super) const RULES: &str = "terdutescalationrules";
    pub(super) const SWITCHES: &str = "terdutdeadmanswitches";
    pub(super) const SOURCES: &str = "terdutalertsources";
    pub(super) const SETTLED: Option<Next> = Some(Next::Settled);

    /// The path of the Secret of the source `source`.
    pub(super) fn webhook() -> String {
        "/api/v1/namespaces/tenant/secrets/source-terdut-webhook".to_owned()
    }

    pub(super) fn team(world: &World) -> terdut_simulator::TeamState {
        world.simulator.state().team_named("Platform").expect("the team")
    }

    pub(super) async fn with_switch() -> World {
        let world = World::with_team().await;
        world.put(SWITCHES, "switch", &switch_spec("watchdog"));
        assert_eq!(world.switch("switch").await, SETTLED);
        world
    }

    pub(super) async fn with_source() -> World {
        let world = World::with_team().await;
        world.put(SOURCES, "source", &source_spec("alerts"));
        assert_eq!(world.source("source").await, SETTLED);
        world
    }

    pub(super) async fn with_rule() -> World {
        let world = World::with_team().await;
        world.put(RULES, "rule", &rule_spec());
        assert_eq!(world.rule("rule").await, SETTLED);
        world
    }
}
