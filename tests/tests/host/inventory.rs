//! Everything that is on a server, seen past the API: what no list of a provider can hide.

use std::collections::BTreeSet;

use terdut_simulator::Simulator;

/// One object on the server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Thing {
    /// The resource type that makes such.
    pub(crate) type_name: &'static str,
    pub(crate) id: i64,
}

/// Everything on the server.
pub(crate) fn inventory(simulator: &Simulator) -> BTreeSet<Thing> {
    let state = simulator.state();
    let thing = |type_name: &'static str| move |id: i64| Thing { type_name, id };
    let mut all = BTreeSet::new();
    all.extend(state.users().iter().map(|user| user.id).map(thing("terdut_user")));
    for team in state.teams() {
        all.insert(Thing { type_name: "terdut_team", id: team.team.id });
        let switches = team.switches.iter().map(|switch| switch.id);
        all.extend(switches.map(thing("terdut_deadman_switch")));
        let sources = team.integrations.iter().map(|source| source.id);
        all.extend(sources.map(thing("terdut_alert_source")));
    }
    let accounts = state.accounts();
    all.extend(accounts.iter().map(|one| one.id).map(thing("terdut_service_account")));
    let keys = state.keys();
    all.extend(keys.iter().map(|key| key.id).map(thing("terdut_service_account_key")));
    all
}
