//! What is on the terdut server, looked at past its API, so that looking leaves nothing behind.

use terdut_simulator::{Owner, Scope, TeamState};

use crate::scene::Scene;
use crate::told::{Failed, say};

/// Shows everything that the five manifests made.
pub(crate) fn show(scene: &Scene) {
    let state = scene.simulator.state();
    for team in state.teams() {
        show_team(&team);
    }
    for user in state.users() {
        say(&format!("   user {} (the first, made by the bridge)", user.username));
    }
    for account in state.accounts() {
        let scope = match account.scope {
            Scope::Instance => "instance",
            Scope::Team => "team",
        };
        say(&format!("   service account {} (scope {scope})", account.name));
    }
}

fn show_team(TeamState { team, policy, switches, integrations }: &TeamState) {
    say(&format!("   team {} (id {})", team.name, team.id));
    for group in [&team.oidc_member_group, &team.oidc_owner_group].into_iter().flatten() {
        say(&format!("      OIDC group {group}"));
    }
    if let Some(policy) = policy {
        let (levels, repeats) = (policy.levels.len(), policy.repeat_count);
        say(&format!("      escalation rule with {levels} levels, repeated {repeats} times"));
    }
    for switch in switches {
        say(&format!(
            "      dead man's switch {}: {} within {}",
            switch.name, switch.matcher, switch.timeout
        ));
    }
    for source in integrations {
        say(&format!("      alert source {} ({})", source.name, source.kind));
    }
}

/// Says what is left. A team, or an account of a team, may not be.
pub(crate) fn must_be_clean(scene: &Scene) -> Result<(), Failed> {
    let state = scene.simulator.state();
    let teams: Vec<_> = state.teams().into_iter().map(|team| team.team.name).collect();
    let accounts = state.accounts();
    let teams_own = accounts.iter().filter(|account| account.scope == Scope::Team);
    let left: Vec<_> = teams.into_iter().chain(teams_own.map(|one| one.name.clone())).collect();
    if !left.is_empty() {
        return Err(Failed::new(format!("left behind on the server: {}", left.join(", "))));
    }
    say("   no team, no switch, no source, no rule, no account of a team is left on the server");
    Ok(())
}

/// Says that no account holds a key any more: nobody is left who would use it.
pub(crate) fn must_hold_no_key(scene: &Scene) -> Result<(), Failed> {
    let keys = scene.simulator.state().keys();
    let left: Vec<_> = keys.iter().filter(|key| matches!(key.owner, Owner::Account(_))).collect();
    if !left.is_empty() {
        let names: Vec<_> = left.iter().map(|key| key.name.as_str()).collect();
        return Err(Failed::new(format!("keys left behind on the server: {}", names.join(", "))));
    }
    say("   no key of the bridge is left on the server");
    Ok(())
}
