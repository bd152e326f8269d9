//! What has to be done with a server's objects: a pure function of what is wanted and what is there.
//!
//! Everything is judged before anything is applied, so that a foreign object among ours leaves all
//! as it was. Only what refers to this very server is ever deleted.

use kube::ResourceExt;
use serde_json::{Value, json};
use terdut_core::error::Class;
use terdut_core::model::install::Install;
use terdut_core::render::{self, Objects, Standing};

use super::database::Facts;
use super::existing::Existing;
use super::report::Seen;
use super::wanted::{owner, place};
use crate::controllers::halt::Halt;
use crate::crd::TerdutServer;
use crate::crd::names::annotation;
use crate::engine::{Next, Owned};
use crate::status::{Reason, State};

#[cfg(test)]
mod tests;

/// What is wanted.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    /// The objects in the order in which they are applied.
    pub(super) objects: Vec<(Owned, Value)>,
    /// Whether the database's Secret is another than when the server was last rolled out.
    pub(super) password_changed: bool,
}

/// What has to be done with one object.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// It is made, or made as it is wanted.
    Apply {
        /// Its kind.
        kind: Owned,
        /// What is wanted.
        object: Value,
        /// Whose it was, if it was there.
        standing: Option<Standing>,
    },
    /// It is ours and not wanted any more.
    Delete {
        /// Its kind.
        kind: Owned,
        /// Its UID.
        uid: String,
    },
}

/// The objects as the manifest asks for them.
pub(super) fn wanted(
    server: &TerdutServer,
    install: &Install,
    facts: &Facts,
    existing: &Existing,
) -> Wanted {
    let (place, database) = (place(server), &facts.database);
    let draft = render::objects(install, &place, database);
    let before = existing.deployment();
    let started = match &facts.secret_version {
        Some(version) => Some(render::started(before, &draft.deployment, version)),
        None => None,
    };
    // What is known stays known while the Secret is away.
    let recorded = started.as_ref().map(|started| started.annotation.clone());
    let recorded = recorded.or_else(|| before.and_then(recorded_version));
    let objects = match recorded {
        Some(version) => render::objects(install, &place, &database.clone().started_with(version)),
        None => draft,
    };
    Wanted {
        objects: by_kind(objects),
        password_changed: started.is_some_and(|started| started.changed_since),
    }
}

fn recorded_version(deployment: &Value) -> Option<String> {
    let recorded = &deployment["metadata"]["annotations"][render::DATABASE_SECRET_VERSION];
    recorded.as_str().map(str::to_owned)
}

fn by_kind(objects: Objects) -> Vec<(Owned, Value)> {
    let always = [
        (Owned::ServiceAccount, objects.service_account),
        (Owned::Service, objects.service),
        (Owned::Deployment, objects.deployment),
    ];
    let route = objects.route.map(|route| (Owned::HttpRoute, route));
    let budget = objects.disruption_budget.map(|budget| (Owned::PodDisruptionBudget, budget));
    let all = always.into_iter().chain(route).chain(budget);
    all.map(|(kind, object)| (kind, with_digest(object))).collect()
}

/// The same with a digest of itself. What a manifest no longer says cannot be seen in an object
/// that still has it; that something else is wanted than was applied last can.
fn with_digest(mut object: Value) -> Value {
    let digest = digest(&object.to_string());
    object["metadata"]["annotations"][annotation::APPLIED] = json!(digest);
    object
}

/// FNV-1a with 64 bits: it tells our own texts apart and guards against nobody.
fn digest(text: &str) -> String {
    let digest = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{digest:016x}")
}

/// What has to be done, or why nothing may be.
pub(super) fn decide(
    server: &TerdutServer,
    wanted: &Wanted,
    existing: &Existing,
) -> Result<Vec<Step>, Halt> {
    let able = |kind: &Owned| *kind != Owned::HttpRoute || existing.has_routes;
    let mut steps = Vec::new();
    let mut obstacles = Vec::new();
    for (kind, object) in wanted.objects.iter().filter(|(kind, _)| able(kind)) {
        match step(server, *kind, object, existing) {
            Ok(step) => steps.extend(step),
            Err(obstacle) => obstacles.push(obstacle),
        }
    }
    if obstacles.is_empty() {
        steps.extend(unwanted(server, wanted, existing));
        Ok(steps)
    } else {
        // What stands in the way need not carry our label, so no watch tells that it went.
        Err(Halt::retry(Reason::ForeignObject, obstacles.join(" "), Class::Conflict))
    }
}

/// What has to be done with one object; an obstacle is a sentence for people.
fn step(
    server: &TerdutServer,
    kind: Owned,
    object: &Value,
    existing: &Existing,
) -> Result<Option<Step>, String> {
    let Some(found) = existing.objects.get(&kind) else {
        return Ok(Some(Step::Apply { kind, object: object.clone(), standing: None }));
    };
    let standing = standing(server, found, existing.is_heir);
    may_touch(server, kind, &standing)?;
    if kind == Owned::Deployment
        && let Some(command) = render::selector_conflict(found, object)
    {
        return Err(format!(
            "The Deployment's selector is another one and cannot be changed. To have it made anew, \
             run: {command}"
        ));
    }
    if standing == Standing::Ours
        && render::holds(found, object)
        && render::adopt(found, object).is_none()
    {
        return Ok(None);
    }
    Ok(Some(Step::Apply { kind, object: object.clone(), standing: Some(standing) }))
}

/// Whose the object is. What a server of this name left running is its heir's, and a stranger's
/// where there is none.
fn standing(server: &TerdutServer, found: &Value, is_heir: bool) -> Standing {
    let take_over = server.annotations().get(annotation::TAKE_OVER).map(String::as_str);
    match render::foreign(found, &owner(server), take_over) {
        Standing::Retained if !is_heir && take_over == Some(server.name_any().as_str()) => {
            Standing::TakenOver
        }
        Standing::Retained if !is_heir => Standing::Foreign { controller: None },
        standing => standing,
    }
}

fn may_touch(server: &TerdutServer, kind: Owned, standing: &Standing) -> Result<(), String> {
    let (kind, name) = (kind.names().2, server.name_any());
    match standing {
        Standing::Ours | Standing::Retained | Standing::TakenOver => Ok(()),
        Standing::Leaving => Err(format!("The {kind} {name} is being removed; it is waited for.")),
        Standing::Foreign { controller: Some(controller) } => Err(format!(
            "The {kind} {name} belongs to the {controller}. Remove it, or give this TerdutServer \
             another name."
        )),
        Standing::Foreign { controller: None } => Err(format!(
            "There is a {kind} {name} that this TerdutServer did not make. Remove it, or allow \
             that it is taken over with the annotation {}: {name}.",
            annotation::TAKE_OVER
        )),
    }
}

/// Objects of ours that are not wanted any more.
fn unwanted<'a>(
    server: &'a TerdutServer,
    wanted: &'a Wanted,
    existing: &'a Existing,
) -> impl Iterator<Item = Step> + 'a {
    let is_wanted = |kind: Owned| wanted.objects.iter().any(|(wanted, _)| *wanted == kind);
    let there = existing.objects.iter().filter(move |(kind, _)| !is_wanted(**kind));
    there.filter_map(move |(kind, found)| {
        let ours = render::foreign(found, &owner(server), None) == Standing::Ours;
        let uid = found["metadata"]["uid"].as_str()?.to_owned();
        ours.then_some(Step::Delete { kind: *kind, uid })
    })
}

/// What is wanted and cannot be.
pub(super) fn judge(wanted: &Wanted, existing: &Existing, seen: &mut Seen) {
    let route = wanted.objects.iter().any(|(kind, _)| *kind == Owned::HttpRoute);
    seen.applied = true;
    if route && !existing.has_routes {
        let state = State::no(
            Reason::RouteKindMissing,
            "The cluster has no kind HTTPRoute (gateway.networking.k8s.io/v1): install the Gateway \
             API, or take spec.networking.gatewayListener away. All else is applied.",
        );
        seen.unapplied = Some(state.clone());
        seen.is_not_ready(state, Next::Waiting);
    }
}
