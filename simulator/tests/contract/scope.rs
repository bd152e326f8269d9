//! Each route with each kind of key. The table is written by hand, from the contract.

use serde_json::json;
use terdut_simulator::{Options, Simulator};

use crate::peer::{Peer, server};

/// Which keys get past the gate: admin, instance, team.
type Gate = (bool, bool, bool);

const ALL: Gate = (true, true, true);
const NOT_TEAM: Gate = (true, true, false);
const ADMIN: Gate = (true, false, false);

/// `{team}` is the team key's own, `{none}` no object at all, `{own}` the team key's account,
/// `{me}` the instance key's, `{rival}` another instance account.
const TABLE: &[(&str, &str, Gate)] = &[
    ("GET", "/api/me", ALL),
    ("GET", "/api/users", ALL),
    ("POST", "/api/users", ADMIN),
    ("DELETE", "/api/users/{none}", ADMIN),
    ("PUT", "/api/users/{none}/password", ADMIN),
    ("PUT", "/api/users/{none}/notify", ADMIN),
    ("POST", "/api/users/{none}/api-keys", ADMIN),
    ("DELETE", "/api/users/{none}/api-keys/{none}", ADMIN),
    ("GET", "/api/service-accounts", NOT_TEAM),
    ("POST", "/api/service-accounts", NOT_TEAM),
    ("DELETE", "/api/service-accounts/{none}", NOT_TEAM),
    ("GET", "/api/service-accounts/{own}/keys", ALL),
    ("POST", "/api/service-accounts/{own}/keys", ALL),
    ("DELETE", "/api/service-accounts/{own}/keys/{none}", ALL),
    ("GET", "/api/service-accounts/{me}/keys", NOT_TEAM),
    ("POST", "/api/service-accounts/{me}/keys", NOT_TEAM),
    ("DELETE", "/api/service-accounts/{me}/keys/{none}", NOT_TEAM),
    ("GET", "/api/service-accounts/{rival}/keys", ADMIN),
    ("POST", "/api/service-accounts/{rival}/keys", ADMIN),
    ("DELETE", "/api/service-accounts/{rival}/keys/{none}", ADMIN),
    ("GET", "/api/teams", NOT_TEAM),
    ("POST", "/api/teams", NOT_TEAM),
    ("PUT", "/api/teams/{team}", NOT_TEAM),
    ("DELETE", "/api/teams/{none}", NOT_TEAM),
    ("PUT", "/api/teams/{team}/oidc-groups", ALL),
    ("GET", "/api/teams/{team}/escalation", ALL),
    ("PUT", "/api/teams/{team}/escalation", ALL),
    ("GET", "/api/teams/{team}/deadman-switches", ALL),
    ("POST", "/api/teams/{team}/deadman-switches", ALL),
    ("DELETE", "/api/teams/{team}/deadman-switches/{none}", ALL),
    ("GET", "/api/teams/{team}/integrations", ALL),
    ("POST", "/api/teams/{team}/integrations", ALL),
    ("PATCH", "/api/teams/{team}/integrations/{none}", ALL),
    ("DELETE", "/api/teams/{team}/integrations/{none}", ALL),
    ("PUT", "/api/teams/{none}/oidc-groups", NOT_TEAM),
    ("GET", "/api/teams/{none}/escalation", NOT_TEAM),
    ("GET", "/api/teams/{none}/deadman-switches", NOT_TEAM),
    ("POST", "/api/teams/{none}/integrations", NOT_TEAM),
    ("GET", "/api/schedule", ALL),
    ("GET", "/api/schedule/current", ALL),
    ("POST", "/api/schedule", ALL),
    ("DELETE", "/api/schedule/{none}", ALL),
    ("GET", "/api/alerts", NOT_TEAM),
    ("GET", "/api/incidents", NOT_TEAM),
];

struct World {
    simulator: Simulator,
    admin: Peer,
    instance: Peer,
    team: Peer,
    places: Vec<(&'static str, i64)>,
}

fn world() -> World {
    let (simulator, admin) = server(Options::default());
    let state = simulator.state();
    let team_id = state.add_team("a").id;
    let (instance, instance_key) = state.add_account("instance", None);
    let (rival, _) = state.add_account("rival", None);
    let (own, team_key) = state.add_account("team", Some(team_id));
    let places = vec![
        ("{team}", team_id),
        ("{own}", own.id),
        ("{me}", instance.id),
        ("{rival}", rival.id),
        ("{none}", 999_999),
    ];
    let (instance, team) = (admin.with(&instance_key.text), admin.with(&team_key.text));
    World { simulator, admin, instance, team, places }
}

impl World {
    fn path(&self, template: &str) -> String {
        let fill = |path: String, (place, id): &(&str, i64)| path.replace(place, &id.to_string());
        self.places.iter().fold(template.to_owned(), fill)
    }

    fn passes(peer: &Peer, method: &str, path: &str) -> bool {
        // A body that never validates: the gate is what is tried here.
        let status = peer.send(method, path, &json!({ "dates": [] })).status;
        assert_ne!(status, 401, "{method} {path}");
        assert!(status < 500, "{method} {path}");
        status != 403
    }
}

#[test]
fn every_route_lets_in_exactly_the_scopes_of_the_contract() {
    let world = world();
    for (method, template, gate) in TABLE {
        let path = world.path(template);
        let pass = |peer| World::passes(peer, method, &path);
        let passed = (pass(&world.admin), pass(&world.instance), pass(&world.team));
        assert_eq!(passed, *gate, "{method} {template}");
    }
}

#[test]
fn every_route_refuses_a_caller_without_a_key_before_it_looks_at_the_body() {
    let world = world();
    let nobody = Peer::new(world.simulator.url(), None);
    for (method, template, _) in TABLE {
        let path = world.path(template);
        assert_eq!(nobody.send_text(method, &path, "{").unwrap().status, 401, "{method} {path}");
    }
}

#[test]
fn another_team_is_outside_the_scope_even_if_it_exists() {
    let world = world();
    let other = world.simulator.state().add_team("b").id;
    for child in ["escalation", "deadman-switches", "integrations"] {
        let path = format!("/api/teams/{other}/{child}");
        world.team.get(&path).refuses(403, "scope");
    }
}

#[test]
fn an_instance_account_cannot_delete_itself_or_another() {
    let world = world();
    for place in ["{me}", "{rival}"] {
        let path = world.path(&format!("/api/service-accounts/{place}"));
        world.instance.delete(&path).refuses(403, "scope");
    }
    let path = world.path("/api/service-accounts/{own}");
    assert_eq!(world.instance.delete(&path).status, 204);
}

#[test]
fn self_management_can_be_switched_off() {
    let world = world();
    world.simulator.assume(|assumed| {
        assumed.instance_manages_own_keys = false;
        assumed.team_manages_own_keys = false;
    });
    world.instance.get(&world.path("/api/service-accounts/{me}/keys")).refuses(403, "scope");
    world.team.get(&world.path("/api/service-accounts/{own}/keys")).refuses(403, "scope");
    world.instance.get(&world.path("/api/service-accounts/{own}/keys")).is(200);
}

#[test]
fn a_team_key_may_see_its_own_team_where_that_is_assumed() {
    let world = world();
    world.simulator.state().add_team("b");
    world.simulator.assume(|assumed| assumed.team_lists_own_team = true);
    let teams = world.team.get("/api/teams").is(200);
    assert_eq!((teams[0]["name"].as_str(), teams[1].is_null()), (Some("a"), true));
}
