//! A process that ends at every outside call, before it acts and before its answer arrives: what the
//! next one finds leads to the same end, without a duplicate, an orphan or a foreign object touched.

use std::collections::BTreeSet;

use serde_json::json;
use terdut_simulator::Owner;

use crate::engine::Next;
use crate::testing::world::{
    World, path, record, rule_spec, source_spec, switch_spec, team_spec, value,
};

/// The objects that a test works with.
#[derive(Clone, Copy, Debug)]
enum Which {
    Team,
    Rule,
    Switch,
    Source,
}

impl Which {
    fn path(self) -> String {
        match self {
            Self::Team => path("terdutteams", "platform"),
            Self::Rule => path("terdutescalationrules", "it"),
            Self::Switch => path("terdutdeadmanswitches", "it"),
            Self::Source => path("terdutalertsources", "it"),
        }
    }

    async fn pass(self, world: &World) -> Option<Next> {
        match self {
            Self::Team => world.team("platform").await,
            Self::Rule => world.rule("it").await,
            Self::Switch => world.switch("it").await,
            Self::Source => world.source("it").await,
        }
    }

    /// A world in which the object is about to be made.
    async fn wanted(self) -> World {
        if let Self::Team = self {
            let world = World::new().await;
            world.put("terdutteams", "platform", &team_spec("Platform"));
            return world;
        }
        let world = World::with_team().await;
        world.simulator.assume(|assumed| assumed.other_integration_kinds = true);
        match self {
            Self::Team => {}
            Self::Rule => world.put("terdutescalationrules", "it", &rule_spec()),
            Self::Switch => world.put("terdutdeadmanswitches", "it", &switch_spec("it")),
            Self::Source => world.put("terdutalertsources", "it", &source_spec("it")),
        }
        world
    }

    /// One in which it is there.
    async fn made(self) -> World {
        let world = self.wanted().await;
        assert_eq!(self.pass(&world).await, Some(Next::Settled), "{self:?}");
        world
    }

    /// A change of what cannot be changed in place, or of the key.
    fn change(self, world: &World) {
        world.cluster.edit(&self.path(), |object| match self {
            Self::Team => {
                object["spec"]["displayName"] = json!("Renamed");
                object["metadata"]["annotations"] =
                    json!({ "terdut.ryuvia.com/rotate-credentials": "1" });
            }
            Self::Rule => object["spec"]["repeatCount"] = json!(9),
            Self::Switch => object["spec"]["timeout"] = json!("1h"),
            Self::Source => object["spec"]["kind"] = json!("webhook"),
        });
    }

    /// All is on the server once, and what is kept of it works.
    fn assert_whole(self, world: &World, context: &str) {
        let teams = world.simulator.state().teams();
        assert_eq!(teams.len(), 1, "{context}: {teams:?}");
        let team = &teams[0];
        match self {
            Self::Team => assert_keys(world, context),
            Self::Rule => assert!(team.policy.is_some(), "{context}"),
            Self::Switch => assert_eq!(team.switches.len(), 1, "{context}"),
            Self::Source => assert_webhook(world, context),
        }
        let object = world.cluster.at(&self.path()).unwrap();
        assert_eq!(object["metadata"]["finalizers"], json!(["terdut.ryuvia.com/cleanup"]));
    }

    fn assert_gone(self, world: &World, context: &str) {
        assert!(world.cluster.at(&self.path()).is_none(), "{context}");
        let team = world.simulator.state().teams().pop();
        match self {
            Self::Team => {
                assert!(team.is_none(), "{context}: {team:?}");
                let accounts = world.simulator.state().accounts();
                assert_eq!(accounts.len(), 1, "{context}: {accounts:?}");
                assert!(world.cluster.at(&record("platform")).is_none(), "{context}");
            }
            Self::Rule => {
                let policy = team.unwrap().policy;
                assert!(policy.is_none_or(|policy| policy.levels.is_empty()), "{context}");
            }
            Self::Switch => assert!(team.unwrap().switches.is_empty(), "{context}"),
            Self::Source => assert!(team.unwrap().integrations.is_empty(), "{context}"),
        }
    }
}

/// One account of the team with one key, the one that is stored.
fn assert_keys(world: &World, context: &str) {
    let state = world.simulator.state();
    let kept = world.cluster.at(&record("platform")).unwrap();
    let ours = state.accounts().into_iter().filter(|account| account.team_id.is_some());
    let ids: Vec<_> = ours.map(|account| account.id).collect();
    assert_eq!(ids.len(), 1, "{context}");
    let keys = state.keys_of(Owner::Account(ids[0]));
    let texts: Vec<_> = keys.into_iter().map(|key| key.text).collect();
    assert_eq!(texts, [value(&kept, "token")], "{context}");
}

/// One source, whose key is the one that the Secret holds.
fn assert_webhook(world: &World, context: &str) {
    let team = world.simulator.state().teams().remove(0);
    assert_eq!(team.integrations.len(), 1, "{context}: {:?}", team.integrations);
    let there = &team.integrations[0];
    let key = world.simulator.state().integration_key(there.team_id, there.id);
    let secret = "/api/v1/namespaces/tenant/secrets/it-terdut-webhook";
    let kept = world.cluster.at(secret).unwrap_or_else(|| panic!("{context}: no Secret"));
    assert_eq!(Some(value(&kept, "key")), key, "{context}");
}

const KINDS: [Which; 4] = [Which::Team, Which::Rule, Which::Switch, Which::Source];

/// Passes until one ends well.
async fn finish(which: Which, world: &World, wanted: &Next, context: &str) {
    let mut last = None;
    for _ in 0..5 {
        last = which.pass(world).await;
        if last.as_ref() == Some(wanted) {
            return;
        }
    }
    panic!("{context}: {last:?}: {:?}", world.cluster.at(&which.path()));
}

#[tokio::test]
async fn a_create_that_is_cut_short_anywhere_ends_whole() {
    for which in KINDS {
        let mut boundaries = 0;
        for left in 0.. {
            let context = format!("{which:?} made, cut short at boundary {left}");
            let world = which.wanted().await;
            world.life.leave(left);
            let ended = which.pass(&world).await;
            let world = world.restarted().await;
            finish(which, &world, &Next::Settled, &context).await;
            which.assert_whole(&world, &context);
            if ended.is_some() {
                boundaries = left;
                break;
            }
        }
        assert!(boundaries >= 10, "{which:?}: {boundaries} boundaries are all");
    }
}

#[tokio::test]
async fn a_change_that_is_cut_short_anywhere_ends_whole() {
    for which in KINDS {
        for left in 0.. {
            let context = format!("{which:?} changed, cut short at boundary {left}");
            let world = which.made().await;
            which.change(&world);
            world.life.leave(left);
            let ended = which.pass(&world).await;
            let world = world.restarted().await;
            finish(which, &world, &Next::Settled, &context).await;
            which.assert_whole(&world, &context);
            if ended.is_some() {
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_deletion_that_is_cut_short_anywhere_ends_with_nothing_left() {
    for which in KINDS {
        for left in 0.. {
            let context = format!("{which:?} deleted, cut short at boundary {left}");
            let world = which.made().await;
            world.cluster.delete_at(&which.path());
            world.life.leave(left);
            let ended = which.pass(&world).await;
            let world = world.restarted().await;
            finish(which, &world, &Next::Gone, &context).await;
            which.assert_gone(&world, &context);
            if ended.is_some() {
                break;
            }
        }
    }
}

#[tokio::test]
async fn what_is_deleted_after_a_create_that_was_cut_short_leaves_nothing() {
    for which in KINDS {
        for left in 0.. {
            let context = format!("{which:?} half made and deleted, cut short at boundary {left}");
            let world = which.wanted().await;
            world.life.leave(left);
            let ended = which.pass(&world).await;
            let world = world.restarted().await;
            world.cluster.delete_at(&which.path());
            finish(which, &world, &Next::Gone, &context).await;
            which.assert_gone(&world, &context);
            if ended.is_some() {
                break;
            }
        }
    }
}

#[tokio::test]
async fn another_name_after_a_create_that_was_cut_short_leaves_no_orphan() {
    for which in [Which::Team, Which::Switch, Which::Source] {
        for left in 0.. {
            let context = format!("{which:?} half made and renamed, cut short at boundary {left}");
            let world = which.wanted().await;
            world.life.leave(left);
            let ended = which.pass(&world).await;
            let world = world.restarted().await;
            let field = if let Which::Team = which { "displayName" } else { "name" };
            world.cluster.edit(&which.path(), |object| object["spec"][field] = json!("Renamed"));
            finish(which, &world, &Next::Settled, &context).await;
            which.assert_whole(&world, &context);
            assert_eq!(names(&world).into_iter().filter(|name| name == "Renamed").count(), 1);
            if ended.is_some() {
                break;
            }
        }
    }
}

/// The names of all that is on the server.
fn names(world: &World) -> Vec<String> {
    let teams = world.simulator.state().teams();
    let mut names = Vec::new();
    for team in teams {
        names.push(team.team.name);
        names.extend(team.switches.into_iter().map(|switch| switch.name));
        names.extend(team.integrations.into_iter().map(|source| source.name));
    }
    names
}

#[tokio::test]
async fn a_status_and_a_cache_that_are_lost_make_nothing_twice() {
    for which in KINDS {
        let world = which.made().await;
        let before: BTreeSet<_> = names(&world).into_iter().collect();
        world.cluster.edit(&which.path(), |object| {
            object.as_object_mut().unwrap().remove("status");
        });
        let world = world.restarted().await;
        world.simulator.clear_requests();
        assert_eq!(which.pass(&world).await, Some(Next::Settled));
        assert_eq!(world.simulator.count("POST", "*"), 0, "{which:?}");
        assert_eq!(names(&world).into_iter().collect::<BTreeSet<_>>(), before);
        let object = world.cluster.at(&which.path()).unwrap();
        assert_eq!(object["status"]["observedGeneration"], 1, "{which:?}");
    }
}
