//! An inventory as manifests of the bridge's kinds, below a server that is declared elsewhere.
//!
//! A team, a policy and a switch are adopted when they are applied. An alert source never is, since
//! its key cannot be read: it is written paused, so that nothing collides. People and service
//! accounts have no kind.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::document::{Document, File, LeftOut};
use super::fit;
use super::inventory::{Inventory, TeamInventory};
use super::names::{KUBERNETES, Names};
use super::selection::Selection;
use super::text::{comment, label};
use super::yaml;
use crate::ids::TeamId;
use crate::model::Kind;

const API_VERSION: &str = "terdut.ryuvia.com/v1alpha1";
/// The annotation that pauses an object.
const PAUSE: (&str, &str) = ("terdut.ryuvia.com/reconcile", "disabled");

const SOURCE_NOTE: &str = "\
Alert sources are written paused: the bridge takes none over, since terdut shows a key only once.
To hand one over, delete it on the server and take the annotation terdut.ryuvia.com/reconcile off:
it is made anew, with another key, in a Secret beside the object.";

const TEAMS: &str = "teams.yaml";

const TWICE: &str = "another has the same name, and the bridge finds objects by name";

/// What is written, and around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestOptions {
    /// Kinds and teams.
    pub selection: Selection,
    /// The objects' namespace; none: whichever they are applied to.
    pub namespace: Option<String>,
    /// The name of the TerdutServer.
    pub server_name: String,
    /// Its namespace; none: the objects' own.
    pub server_namespace: Option<String>,
}

/// The manifests.
pub fn manifests(inventory: &Inventory, options: &ManifestOptions) -> Document {
    let inventory = inventory.sorted();
    let mut export = Export::of(&inventory, options);
    export.teams();
    export.rules();
    export.switches();
    export.sources();
    export.finish()
}

/// A manifest, or the label of an object and why there is none.
type Made = Result<Value, (String, String)>;

struct Export<'a> {
    inventory: &'a Inventory,
    options: &'a ManifestOptions,
    /// The name of each team's TerdutTeam, written or not.
    team_names: HashMap<TeamId, String>,
    document: Document,
}

impl<'a> Export<'a> {
    fn of(inventory: &'a Inventory, options: &'a ManifestOptions) -> Self {
        let mut names = Names::new(KUBERNETES, "team");
        let teams = inventory.teams.iter().map(|it| &it.team);
        // What cannot be written has no name either: nothing can refer to it.
        let mut seen = HashSet::new();
        let teams = teams
            .filter(|team| fit::team(team).is_ok() && alone(&mut seen, None, &team.name).is_ok());
        let team_names = teams.map(|it| (it.id, names.give(None, &it.name, it.id.0))).collect();
        let document = Document { separator: "---\n", ..Document::default() };
        Self { inventory, options, team_names, document }
    }

    fn teams(&mut self) {
        let objects = self.inventory.teams.iter().map(|it| &it.team).map(|team| {
            let failed = |why| (label(&team.name, team.id), why);
            let spec = fit::team(team).map_err(failed)?;
            let mut server = json!({ "name": self.options.server_name });
            if let Some(namespace) = &self.options.server_namespace {
                server["namespace"] = json!(namespace);
            }
            let mut fields = json!({ "serverRef": server, "displayName": spec.name });
            if let Some(oidc) = spec.oidc {
                fields["oidc"] = json!(oidc);
            }
            let name = self.team_names.get(&team.id).ok_or_else(|| failed(TWICE.to_owned()))?;
            Ok(self.object("TerdutTeam", name, &fields))
        });
        let objects = objects.collect();
        self.write(Kind::Team, TEAMS, "", objects);
    }

    fn rules(&mut self) {
        let mut names = Names::new(KUBERNETES, "rule");
        let with_policy = |it: &'a TeamInventory| Some((&it.team, it.policy.as_ref()?));
        let objects = self.inventory.teams.iter().filter_map(with_policy).map(|(team, policy)| {
            let label = || format!("of team {}", label(&team.name, team.id));
            let parent = self.parent(team.id).map_err(|why| (label(), why))?;
            let spec = fit::rule(team.id, policy, &self.inventory.users);
            let spec = spec.map_err(|why| (label(), why))?;
            let name = names.give_as(parent);
            Ok(self.child("TerdutEscalationRule", &name, parent, &json!(spec)))
        });
        let objects = objects.collect();
        self.write(Kind::EscalationRule, "escalation-rules.yaml", "", objects);
    }

    fn switches(&mut self) {
        let (mut names, mut seen) = (Names::new(KUBERNETES, "switch"), HashSet::new());
        let below = |it: &'a TeamInventory| it.switches.iter().map(|one| (it.team.id, one));
        let objects = self.inventory.teams.iter().flat_map(below).map(|(team, switch)| {
            let failed = |why| (label(&switch.name, switch.id), why);
            let parent = self.parent(team).map_err(failed)?;
            let spec = fit::switch(team, switch).map_err(failed)?;
            alone(&mut seen, Some(team), &switch.name).map_err(failed)?;
            let name = names.give(Some(parent), &switch.name, switch.id.0);
            Ok(self.child("TerdutDeadmanSwitch", &name, parent, &json!(spec)))
        });
        let objects = objects.collect();
        self.write(Kind::DeadmanSwitch, "deadman-switches.yaml", "", objects);
    }

    fn sources(&mut self) {
        let (mut names, mut seen) = (Names::new(KUBERNETES, "source"), HashSet::new());
        let below = |it: &'a TeamInventory| it.sources.iter().map(|one| (it.team.id, one));
        let objects = self.inventory.teams.iter().flat_map(below).map(|(team, source)| {
            let failed = |why| (label(&source.name, source.id), why);
            let parent = self.parent(team).map_err(failed)?;
            let spec = fit::source(team, source).map_err(failed)?;
            alone(&mut seen, Some(team), &source.name).map_err(failed)?;
            let name = names.give(Some(parent), &source.name, source.id.0);
            let mut object = self.child("TerdutAlertSource", &name, parent, &json!(spec));
            let (annotation, value) = PAUSE;
            object["metadata"]["annotations"] = json!({ annotation: value });
            Ok(object)
        });
        let objects: Vec<Made> = objects.collect();
        if self.options.selection.has(Kind::AlertSource) && objects.iter().any(Result::is_ok) {
            self.document.notes.push(SOURCE_NOTE.replace('\n', " "));
        }
        self.write(Kind::AlertSource, "alert-sources.yaml", SOURCE_NOTE, objects);
    }

    /// The name of the TerdutTeam that an object belongs to.
    fn parent(&self, team: TeamId) -> Result<&str, String> {
        let name = self.team_names.get(&team).map(String::as_str);
        name.ok_or_else(|| format!("its team (id {team}) was left out"))
    }

    fn child(&self, kind: &str, name: &str, team: &str, spec: &Value) -> Value {
        let mut fields = spec.as_object().cloned().unwrap_or_default();
        fields.insert("teamRef".to_owned(), json!({ "name": team }));
        self.object(kind, name, &Value::Object(fields))
    }

    fn object(&self, kind: &str, name: &str, spec: &Value) -> Value {
        let mut metadata = Map::from_iter([("name".to_owned(), json!(name))]);
        if let Some(namespace) = &self.options.namespace {
            metadata.insert("namespace".to_owned(), json!(namespace));
        }
        json!({ "apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec })
    }

    /// The file of a kind, with its objects and what was left out.
    fn write(&mut self, kind: Kind, file: &'static str, note: &str, objects: Vec<Made>) {
        if !self.options.selection.has(kind) || objects.is_empty() {
            // Manifests of another kind say what they said before: nothing is imported.
            if self.options.selection.covers(kind) {
                self.document.absent.push(file);
            }
            return;
        }
        let (mut documents, mut head) = (Vec::new(), String::new());
        for object in objects {
            match object {
                Ok(object) => documents.push(yaml::document(&object)),
                Err((label, why)) => {
                    let left = LeftOut { kind, label, why };
                    head += &comment(&format!("Left out: {left}"));
                    self.document.left_out.push(left);
                }
            }
        }
        if !note.is_empty() && !documents.is_empty() {
            head = comment(note) + &head;
        }
        let text = head + &documents.join("---\n");
        self.document.files.push(File { name: file, text });
        self.document.written.push((kind, documents.len()));
    }

    fn finish(mut self) -> Document {
        self.adoption();
        let mut head = comment(&format!("Exported from {}.", self.inventory.server));
        head += &self.without_kind();
        if let Some(first) = self.document.files.first_mut() {
            first.text = format!("{head}{}", first.text);
        } else {
            self.document.absent.retain(|name| *name != TEAMS);
            self.document.files.push(File { name: TEAMS, text: head });
        }
        self.document
    }

    /// A server elsewhere has to allow that its teams are taken over.
    fn adoption(&mut self) {
        let (server, own) = (&self.options.server_namespace, &self.options.namespace);
        let elsewhere = server.is_some() && server != own;
        if elsewhere
            && self.document.written.iter().any(|(kind, count)| *kind == Kind::Team && *count > 0)
        {
            self.document.notes.push(format!(
                "The teams are adopted only if the TerdutServer {} allows it, since it is in another \
                 namespace: spec.allowedTeams.adoption: Allow, for as long as it takes.",
                self.options.server_name,
            ));
        }
    }

    /// What the bridge has no kind for, by name.
    fn without_kind(&mut self) -> String {
        let users: Vec<_> =
            self.inventory.users.iter().map(|it| label(&it.username, it.id)).collect();
        let accounts = self.inventory.accounts.iter().map(|it| &it.account);
        let accounts: Vec<_> = accounts.map(|it| label(&it.name, it.id)).collect();
        let mut text = String::new();
        for (kind, labels) in [(Kind::User, users), (Kind::ServiceAccount, accounts)] {
            text += &self.none_for(kind, &labels);
        }
        text
    }

    fn none_for(&mut self, kind: Kind, labels: &[String]) -> String {
        if !self.options.selection.has(kind) || labels.is_empty() {
            return String::new();
        }
        let noun = kind.noun();
        self.document.notes.push(format!(
            "The bridge has no kind for {noun}s: {} not exported. Terraform has one.",
            counted(labels.len(), noun),
        ));
        let list: Vec<_> = labels.iter().map(|label| format!("  {label}")).collect();
        comment(&format!("Not exported, the bridge has no kind for a {noun}:\n{}", list.join("\n")))
    }
}

/// Whether none before has that name, blanks around it apart: the bridge finds objects by name.
fn alone(
    seen: &mut HashSet<(Option<TeamId>, String)>,
    team: Option<TeamId>,
    name: &str,
) -> Result<(), String> {
    let new = seen.insert((team, name.trim().to_owned()));
    if new { Ok(()) } else { Err(TWICE.to_owned()) }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun} is") } else { format!("{count} {noun}s are") }
}
