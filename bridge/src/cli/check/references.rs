//! What several manifests say about each other.
//!
//! Pure: documents in, faults out, in the same order. An object that cannot be read is skipped here;
//! that it cannot is said elsewhere.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::Value;
use terdut_core::consent::{self, Asking, From, Labels, ServerIdentity};
use terdut_core::problem::Findings;

use crate::cli::files::Document;
use crate::crd::judge::{Fault, Judge};
use crate::crd::{
    Kind, TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutServer,
    TerdutServerSpec, TerdutTeam, TerdutTeamSpec,
};

/// Which object it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    kind: String,
    namespace: String,
    name: String,
}

impl Key {
    /// Of an object; one without a namespace is in that one.
    pub(super) fn of(object: &Value, namespace: &str) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let named = text(&object["metadata"]["namespace"]);
        let namespace = if named.is_empty() { namespace.to_owned() } else { named };
        Self { kind: text(&object["kind"]), namespace, name: text(&object["metadata"]["name"]) }
    }

    fn new<K: Kind>(namespace: &str, name: &str) -> Self {
        Self { kind: K::KIND.to_owned(), namespace: namespace.to_owned(), name: name.to_owned() }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}/{}", self.kind, self.namespace, self.name)
    }
}

/// All documents by what they are.
struct Files<'d> {
    objects: BTreeMap<Key, &'d Value>,
    labels: BTreeMap<&'d str, Labels>,
}

/// The faults of each document.
pub(super) fn faults(documents: &[Document], namespace: &str) -> Vec<Vec<Fault>> {
    let files = Files::of(documents, namespace);
    let mut keys = BTreeMap::new();
    let mut claims = BTreeMap::new();
    let judged = documents.iter().map(|document| {
        if !Judge::concerns(&document.object) {
            return Vec::new();
        }
        let key = Key::of(&document.object, namespace);
        let mut found = references(&files, &key, &document.object["spec"]);
        if let Some(file) = keys.insert(key.clone(), &document.file) {
            found.push(Fault::error("metadata.name", format!("it is also in {file}")));
        }
        if let Some((claim, field)) = claim(&key, &document.object["spec"])
            && let Some(other) = claims.insert(claim, key.clone()).filter(|other| *other != key)
        {
            found.push(Fault::error(field, twice(&key, &other)));
        }
        found
    });
    judged.collect()
}

impl<'d> Files<'d> {
    fn of(documents: &'d [Document], namespace: &str) -> Self {
        let keyed = |one: &'d Document| (Key::of(&one.object, namespace), &one.object);
        let labels = documents.iter().filter(|one| one.object["kind"] == "Namespace");
        let labels = labels.filter_map(|one| {
            let name = one.object["metadata"]["name"].as_str()?;
            Some((name, read(&one.object["metadata"]["labels"]).unwrap_or_default()))
        });
        Self { objects: documents.iter().map(keyed).collect(), labels: labels.collect() }
    }
}

/// What is wrong with the object's reference.
fn references(files: &Files<'_>, key: &Key, spec: &Value) -> Vec<Fault> {
    match key.kind.as_str() {
        TerdutTeam::KIND => read(spec).map_or_else(Vec::new, |team| server(files, key, &team)),
        TerdutServer::KIND => Vec::new(),
        _ => team(files, key, spec),
    }
}

fn team(files: &Files<'_>, key: &Key, spec: &Value) -> Vec<Fault> {
    let Some(name) = spec["teamRef"]["name"].as_str() else { return Vec::new() };
    let team = Key::new::<TerdutTeam>(&key.namespace, name);
    if files.objects.contains_key(&team) {
        return Vec::new();
    }
    vec![missing("spec.teamRef", &team)]
}

fn server(files: &Files<'_>, key: &Key, team: &TerdutTeamSpec) -> Vec<Fault> {
    let namespace = team.server_ref.namespace_from(&key.namespace);
    let server = Key::new::<TerdutServer>(namespace, &team.server_ref.name);
    match files.objects.get(&server) {
        None => vec![missing("spec.serverRef", &server)],
        Some(object) => read(&object["spec"])
            .and_then(|spec: TerdutServerSpec| spec.install.validate(&mut Findings::default()))
            .map_or_else(Vec::new, |install| {
                permitted(files, key, &server, &install.allowed_teams)
            }),
    }
}

fn permitted(
    files: &Files<'_>,
    key: &Key,
    server: &Key,
    allowed: &consent::AllowedTeams,
) -> Vec<Fault> {
    let labels = files.labels.get(key.namespace.as_str());
    if allowed.from == From::Selector && labels.is_none() {
        let message = format!(
            "{server} allows namespaces by their labels, and the Namespace {} is in none of the \
             files",
            key.namespace
        );
        return vec![Fault::warning("spec.serverRef", message)];
    }
    let identity = ServerIdentity {
        namespace: server.namespace.clone(),
        name: server.name.clone(),
        uid: String::new(),
    };
    let asking = Asking { namespace: &key.namespace, labels };
    if consent::judge(allowed, &identity, &asking).is_ok() {
        return Vec::new();
    }
    let message = format!(
        "{server} does not allow teams of the namespace {}: see its spec.allowedTeams",
        key.namespace
    );
    vec![Fault::error("spec.serverRef", message)]
}

fn missing(field: &str, key: &Key) -> Fault {
    Fault::warning(field, format!("{key} is in none of the files"))
}

/// What only one object may have: the words that make it so, and the field that says them.
fn claim(key: &Key, spec: &Value) -> Option<(Vec<String>, &'static str)> {
    let kind = key.kind.clone();
    if kind == TerdutTeam::KIND {
        let team: TerdutTeamSpec = read(spec)?;
        let namespace = team.server_ref.namespace_from(&key.namespace).to_owned();
        let name = team.display_name.trim().to_owned();
        return Some((vec![kind, namespace, team.server_ref.name, name], "spec.displayName"));
    }
    let team = spec["teamRef"]["name"].as_str()?.to_owned();
    let namespace = key.namespace.clone();
    match kind.as_str() {
        TerdutEscalationRule::KIND => Some((vec![kind, namespace, team], "spec.teamRef")),
        TerdutDeadmanSwitch::KIND | TerdutAlertSource::KIND => {
            let name = spec["name"].as_str()?.trim().to_owned();
            Some((vec![kind, namespace, team, name], "spec.name"))
        }
        _ => None,
    }
}

fn twice(key: &Key, other: &Key) -> String {
    match key.kind.as_str() {
        TerdutEscalationRule::KIND => format!("{other} is for the same team, which has one policy"),
        TerdutTeam::KIND => format!("{other} has the same name on the same server"),
        _ => format!("{other} has the same name in the same team"),
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    serde_json::from_value(value.clone()).ok()
}
