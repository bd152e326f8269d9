//! What is on the server, seen past the API: ours, others', and what nobody holds.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use terdut_simulator::{Logged, Owner, Policy, Simulator, Switch, TeamState};

use crate::inventory::{Thing, inventory};

/// The first id that the server gives out: long enough to be told from any other number.
pub(super) const FIRST_ID: i64 = 700_001;

/// The keys of people: of those whom a bootstrap made, and of administrators.
pub(super) fn keys_of_people(simulator: &Simulator) -> BTreeSet<i64> {
    let keys = simulator.state().keys();
    let of_people = keys.iter().filter(|key| matches!(key.owner, Owner::User(_)));
    of_people.map(|key| key.id).collect()
}

/// The numbers in a text that stand by themselves.
pub(super) fn numbers(text: &str) -> BTreeSet<i64> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// How things look, without ids, times and keys. `but` are accounts that do not count.
pub(super) fn look(simulator: &Simulator, but: &[&str]) -> Json {
    let state = simulator.state();
    let is_admin = |name: &str| name.starts_with("admin-");
    let people = state.users().into_iter().filter(|user| !is_admin(&user.username));
    let people = people.map(|user| {
        let password = state.password(user.id);
        (user.username, json!([user.email, user.ntfy_topic, password]))
    });
    let people: BTreeMap<_, _> = people.collect();
    let names: BTreeMap<_, _> =
        state.users().into_iter().map(|user| (user.id, user.username)).collect();
    let teams: BTreeMap<_, _> =
        state.teams().iter().map(|team| (team.team.name.clone(), look_of(team, &names))).collect();
    let accounts = state.accounts().into_iter().filter(|one| !but.contains(&one.name.as_str()));
    let accounts: BTreeMap<_, _> =
        accounts.map(|one| (one.name, json!([one.scope, one.team_id.is_some()]))).collect();
    json!({ "people": people, "teams": teams, "accounts": accounts })
}

fn look_of(team: &TeamState, names: &BTreeMap<i64, String>) -> Json {
    let policy = team.policy.as_ref().filter(|policy| !policy.levels.is_empty());
    let switches: BTreeSet<_> = team.switches.iter().map(look_of_switch).collect();
    let sources: BTreeSet<_> = team.integrations.iter().map(|source| &source.name).collect();
    json!({
        "groups": [team.team.oidc_member_group, team.team.oidc_owner_group],
        "policy": policy.map(|policy| look_of_policy(policy, names)),
        "switches": switches, "sources": sources,
    })
}

fn look_of_policy(policy: &Policy, names: &BTreeMap<i64, String>) -> Json {
    let levels = policy.levels.iter().map(|level| {
        let people =
            level.targets.iter().map(|target| target.user_id.and_then(|id| names.get(&id)));
        json!([level.timeout, people.collect::<Vec<_>>()])
    });
    json!([policy.repeat_count, policy.fallback_topic, levels.collect::<Vec<_>>()])
}

fn look_of_switch(switch: &Switch) -> String {
    format!("{} {} {} {}", switch.name, switch.matcher, switch.timeout, switch.severity)
}

/// What others have on the server, beside ours and of the same names where that may be.
#[derive(Debug)]
pub(super) struct Others {
    things: BTreeSet<Thing>,
    before: String,
}

impl Others {
    /// Makes it. There are no people among it: a server with people cannot be bootstrapped.
    pub(super) fn settle(simulator: &Simulator) -> Self {
        let state = simulator.state();
        let team = state.add_team("Theirs").id;
        let switch = Switch {
            id: 0,
            team_id: team,
            name: "watchdog".into(),
            matcher: "a=b".into(),
            timeout: "1h0m0s".into(),
            severity: "info".into(),
            last_seen_at: None,
        };
        state.add_switch(switch).expect("the team is there");
        state.add_integration(team, "prod");
        let (account, _) = state.add_account("theirs", None);
        for name in ["terraform", "deploy"] {
            state.add_key(Owner::Account(account.id), name);
        }
        let things = inventory(simulator);
        let mut others = Self { things, before: String::new() };
        others.before = others.shown(simulator);
        others
    }

    pub(super) fn things(&self) -> &BTreeSet<Thing> {
        &self.things
    }

    fn shown(&self, simulator: &Simulator) -> String {
        let state = simulator.state();
        let is_theirs = |id: i64| self.things.iter().any(|thing| thing.id == id);
        let teams: Vec<_> =
            state.teams().into_iter().filter(|team| is_theirs(team.team.id)).collect();
        let accounts: Vec<_> =
            state.accounts().into_iter().filter(|account| is_theirs(account.id)).collect();
        let keys: Vec<_> = state.keys().into_iter().filter(|key| is_theirs(key.id)).collect();
        format!("{teams:?} {accounts:?} {keys:?}")
    }

    /// Nothing of it was touched, and no request tried to.
    pub(super) fn expect_untouched(&self, simulator: &Simulator) {
        assert_eq!(self.shown(simulator), self.before, "what others have was touched");
        let touches = |request: &&Logged| {
            let named = numbers(&request.path);
            request.writes() && self.things.iter().any(|thing| named.contains(&thing.id))
        };
        let requests = simulator.requests();
        assert_eq!(requests.iter().find(touches), None, "others' objects were written to");
    }
}
