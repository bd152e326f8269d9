//! An inventory as a configuration of Terraform and OpenTofu, with a block of import for each
//! object. Applied, it takes all up and changes nothing.

use std::collections::HashMap;

use super::document::{Document, File, LeftOut};
use super::fit::{self, Fit};
use super::hcl::{Attributes, Block, Expression, blocks};
use super::inventory::Inventory;
use super::names::{Names, TERRAFORM};
use super::selection::Selection;
use super::text::{comment, label};
use crate::ephemeral;
use crate::ids::{AccountId, TeamId};
use crate::model::{EscalationRuleSpec, Kind, LevelSpec, TargetSpec};

const SOURCE_NOTE: &str = "\
The key and the webhook URL of an alert source are shown once, when it is made: here both stay null.
To get new ones: terraform apply -replace=ADDRESS. The old key stops working then.";

const ACCOUNT_NOTE: &str = "\
Keys are not exported: nobody can read them again. terdut_service_account_key makes a new one;
the option --with-keys takes up those that are there, to name and revoke them.";

const KEY_NOTE: &str = "\
A key is shown once, when it is made: the token of these stays null, and every import says so.
Remove what is not to be managed here, from imports.tf too: a key that is destroyed is revoked.";

const IMPORT_NOTE: &str = "\
Each object is taken up as it is. After the apply this can be removed.";

const IMPORTS: &str = "imports.tf";

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerraformOptions {
    /// Kinds and teams.
    pub selection: Selection,
    /// Whether the blocks `terraform` and `provider` are written too.
    pub settings: bool,
}

/// The configuration.
pub fn terraform(inventory: &Inventory, options: &TerraformOptions) -> Document {
    let inventory = inventory.sorted();
    let mut export = Export::of(&inventory, &options.selection);
    export.teams();
    export.users();
    export.rules();
    export.switches();
    export.sources();
    export.accounts();
    export.keys();
    export.finish(options.settings)
}

/// An object that can be written.
struct Object {
    id: i64,
    name: String,
    import: String,
    attributes: Attributes,
}

struct Export<'a> {
    inventory: &'a Inventory,
    selection: &'a Selection,
    /// What each team's objects are called by, written or not.
    team_names: HashMap<TeamId, String>,
    account_names: HashMap<AccountId, String>,
    /// The addresses of what was written.
    addresses: HashMap<(Kind, i64), String>,
    imports: Vec<Block>,
    document: Document,
}

impl<'a> Export<'a> {
    fn of(inventory: &'a Inventory, selection: &'a Selection) -> Self {
        let mut names = Names::new(TERRAFORM, "team");
        let teams = inventory.teams.iter().map(|it| &it.team);
        let team_names = teams.map(|it| (it.id, names.give(None, &it.name, it.id.0))).collect();
        let mut names = Names::new(TERRAFORM, "account");
        let accounts = inventory.accounts.iter().map(|it| &it.account);
        let account_names =
            accounts.map(|it| (it.id, names.give(None, &it.name, it.id.0))).collect();
        Self {
            inventory,
            selection,
            team_names,
            account_names,
            addresses: HashMap::new(),
            imports: Vec::new(),
            document: Document { separator: "\n", ..Document::default() },
        }
    }

    fn teams(&mut self) {
        let inventory = self.inventory;
        let objects = inventory.teams.iter().map(|it| &it.team).map(|team| {
            let spec = named(&team.name, team.id, fit::team(team))?;
            let mut attributes = vec![("name", Expression::Text(spec.name))];
            if let Some(oidc) = spec.oidc {
                let mut groups = Attributes::new();
                optional(&mut groups, "member_group", oidc.member_group);
                optional(&mut groups, "owner_group", oidc.owner_group);
                attributes.push(("oidc", Expression::Object(groups)));
            }
            let name = self.team_name(team.id);
            Ok(Object { id: team.id.0, name, import: team.id.to_string(), attributes })
        });
        let objects = objects.collect();
        self.write(Kind::Team, "teams.tf", "", objects);
    }

    fn users(&mut self) {
        let mut names = Names::new(TERRAFORM, "user");
        let objects = self.inventory.users.iter().map(|user| {
            let spec = named(&user.username, user.id, fit::user(user))?;
            let name = names.give(None, &spec.username, user.id.0);
            let mut attributes = vec![
                ("username", Expression::Text(spec.username)),
                ("email", Expression::Text(spec.email)),
            ];
            optional(&mut attributes, "ntfy_topic", spec.ntfy_topic);
            Ok(Object { id: user.id.0, name, import: user.id.to_string(), attributes })
        });
        let objects = objects.collect();
        self.write(Kind::User, "users.tf", "", objects);
    }

    fn rules(&mut self) {
        let mut names = Names::new(TERRAFORM, "rule");
        let with_policy = |it: &'a super::TeamInventory| Some((&it.team, it.policy.as_ref()?));
        let objects = self.inventory.teams.iter().filter_map(with_policy).map(|(team, policy)| {
            let label = format!("of team {}", label(&team.name, team.id));
            let spec = fit::rule(team.id, policy, &self.inventory.users);
            let spec = spec.map_err(|why| (label, why))?;
            let attributes = self.rule(team.id, spec);
            let name = names.give_as(&self.team_name(team.id));
            Ok(Object { id: team.id.0, name, import: team.id.to_string(), attributes })
        });
        let objects = objects.collect();
        self.write(Kind::EscalationRule, "escalation_rules.tf", "", objects);
    }

    fn rule(&self, team: TeamId, spec: EscalationRuleSpec) -> Attributes {
        let mut attributes = vec![("team_id", self.team(team))];
        if let Some(count) = spec.repeat_count {
            attributes.push(("repeat_count", Expression::Whole(count)));
        }
        optional(&mut attributes, "fallback_topic", spec.fallback_topic);
        let levels = spec.levels.into_iter().map(|level| self.level(level)).collect();
        attributes.push(("levels", Expression::List(levels)));
        attributes
    }

    fn level(&self, level: LevelSpec) -> Expression {
        let targets = level.targets.into_iter().map(|target| self.target(target)).collect();
        Expression::Object(vec![
            ("timeout", Expression::Text(level.timeout)),
            ("targets", Expression::List(targets)),
        ])
    }

    fn target(&self, target: TargetSpec) -> Expression {
        let mut fields = vec![("kind", Expression::Text(target.kind))];
        if let Some(username) = target.username {
            let user = self.inventory.users.iter().find(|user| user.username == username);
            let address = user.and_then(|user| self.addresses.get(&(Kind::User, user.id.0)));
            let reference = |it: &String| Expression::Reference(format!("{it}.username"));
            fields.push(("username", address.map_or(Expression::Text(username), reference)));
        }
        Expression::Object(fields)
    }

    fn switches(&mut self) {
        let mut names = Names::new(TERRAFORM, "switch");
        let below = |it: &'a super::TeamInventory| it.switches.iter().map(|one| (it.team.id, one));
        let objects = self.inventory.teams.iter().flat_map(below).map(|(team, switch)| {
            let spec = named(&switch.name, switch.id, fit::switch(team, switch))?;
            let name = names.give(Some(&self.team_name(team)), &spec.name, switch.id.0);
            let mut attributes = vec![
                ("team_id", self.team(team)),
                ("name", Expression::Text(spec.name)),
                ("matcher", Expression::Text(spec.matcher)),
                ("timeout", Expression::Text(spec.timeout)),
            ];
            optional(&mut attributes, "severity", spec.severity);
            let import = format!("{team}/{}", switch.id);
            Ok(Object { id: switch.id.0, name, import, attributes })
        });
        let objects = objects.collect();
        self.write(Kind::DeadmanSwitch, "deadman_switches.tf", "", objects);
    }

    fn sources(&mut self) {
        let mut names = Names::new(TERRAFORM, "source");
        let below = |it: &'a super::TeamInventory| it.sources.iter().map(|one| (it.team.id, one));
        let objects = self.inventory.teams.iter().flat_map(below).map(|(team, source)| {
            let spec = named(&source.name, source.id, fit::source(team, source))?;
            let name = names.give(Some(&self.team_name(team)), &spec.name, source.id.0);
            let mut attributes = vec![("team_id", self.team(team))];
            optional(&mut attributes, "kind", spec.kind);
            attributes.push(("name", Expression::Text(spec.name)));
            let import = format!("{team}/{}", source.id);
            Ok(Object { id: source.id.0, name, import, attributes })
        });
        let objects = objects.collect();
        self.write(Kind::AlertSource, "alert_sources.tf", SOURCE_NOTE, objects);
    }

    fn accounts(&mut self) {
        let objects = self.inventory.accounts.iter().map(|it| &it.account).map(|account| {
            let spec = named(&account.name, account.id, fit::account(account))?;
            let mut attributes = vec![
                ("name", Expression::Text(spec.name)),
                ("scope", Expression::Text(spec.scope)),
            ];
            if let Some(team) = spec.team_id.and_then(|id| id.parse().ok()) {
                attributes.push(("team_id", self.team(team)));
            }
            let (id, import) = (account.id.0, account.id.to_string());
            let name = self.account_names.get(&account.id).cloned().unwrap_or_default();
            Ok(Object { id, name, import, attributes })
        });
        let objects = objects.collect();
        let keys = self.selection.has(Kind::ServiceAccountKey);
        let note = if keys { "" } else { ACCOUNT_NOTE };
        self.write(Kind::ServiceAccount, "service_accounts.tf", note, objects);
    }

    fn keys(&mut self) {
        let mut names = Names::new(TERRAFORM, "key");
        let below = |it: &'a super::AccountInventory| it.keys.iter().map(|key| (&it.account, key));
        // A run's own key is gone when the run is.
        let lasting = |(_, key): &(_, &crate::api::ApiKey)| !ephemeral::is_of_a_run(&key.name);
        let all = self.inventory.accounts.iter().flat_map(below).filter(lasting);
        let objects = all.map(|(account, key)| {
            let of = format!("{} of account {:?}", label(&key.name, key.id), account.name);
            let spec = fit::key(account.id, key).map_err(|why| (of, why))?;
            let parent = self.account_names.get(&account.id).map(String::as_str);
            let name = names.give(parent, &key.name, key.id.0);
            let address = self.addresses.get(&(Kind::ServiceAccount, account.id.0));
            let id = Expression::Text(spec.service_account_id);
            let reference = |it: &String| Expression::Reference(format!("{it}.id"));
            let mut attributes = vec![("service_account_id", address.map_or(id, reference))];
            optional(&mut attributes, "name", spec.name);
            let import = format!("{}/{}", account.id, key.id);
            Ok(Object { id: key.id.0, name, import, attributes })
        });
        let objects = objects.collect();
        self.write(Kind::ServiceAccountKey, "service_account_keys.tf", KEY_NOTE, objects);
    }

    fn team_name(&self, team: TeamId) -> String {
        self.team_names.get(&team).cloned().unwrap_or_default()
    }

    /// A team where its id is asked for.
    fn team(&self, team: TeamId) -> Expression {
        match self.addresses.get(&(Kind::Team, team.0)) {
            Some(address) => Expression::Reference(format!("{address}.id")),
            None => Expression::Text(team.to_string()),
        }
    }

    /// The file of a kind, with its objects and what was left out.
    fn write(
        &mut self,
        kind: Kind,
        file: &'static str,
        note: &str,
        objects: Vec<Result<Object, (String, String)>>,
    ) {
        if !self.selection.has(kind) || objects.is_empty() {
            let covered = self.selection.covers(kind);
            let Document { absent, unasked, .. } = &mut self.document;
            return if covered { absent.push(file) } else { unasked.push(file) };
        }
        let (mut written, mut head) = (Vec::new(), String::new());
        for object in objects {
            match object {
                Ok(object) => written.push(self.object(kind, object)),
                Err((label, why)) => {
                    let left = LeftOut { kind, label, why };
                    head += &comment(&format!("Left out: {left}"));
                    self.document.left_out.push(left);
                }
            }
        }
        if !note.is_empty() {
            head = comment(note) + &head;
        }
        let parts = [head, blocks(&written)];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        self.document.files.push(File { name: file, text: parts.join("\n") });
        self.document.written.push((kind, written.len()));
    }

    fn object(&mut self, kind: Kind, object: Object) -> Block {
        let Object { id, name, import, attributes } = object;
        let (resource, address) =
            (kind.resource_type(), format!("{}.{name}", kind.resource_type()));
        self.addresses.insert((kind, id), address.clone());
        self.imports.push(Block::new(
            "import",
            vec![("to", Expression::Reference(address)), ("id", Expression::Text(import))],
        ));
        Block::new(format!("resource \"{resource}\" \"{name}\""), attributes)
    }

    fn finish(self, with_settings: bool) -> Document {
        let Self { mut document, imports, inventory, .. } = self;
        if imports.is_empty() {
            document.absent.push(IMPORTS);
        } else {
            let text = format!("{}\n{}", comment(IMPORT_NOTE), blocks(&imports));
            document.files.push(File { name: IMPORTS, text });
        }
        let head = comment(&format!("Exported from {}.", inventory.server));
        if with_settings {
            let text = format!("{head}\n{}", blocks(&settings(&inventory.server)));
            document.files.insert(0, File { name: "terraform.tf", text });
        } else if document.files.is_empty() {
            let text = head + &comment("Nothing of what was asked for is there.");
            document.absent.retain(|name| *name != IMPORTS);
            document.files.push(File { name: IMPORTS, text });
        }
        document
    }
}

/// The blocks that a configuration has once.
fn settings(server: &str) -> Vec<Block> {
    let text = |text: &str| Expression::Text(text.to_owned());
    let source = Expression::Object(vec![("source", text("ryuvia/terdut"))]);
    vec![
        Block {
            comment: "Blocks of import need this.",
            blocks: vec![Block::new("required_providers", vec![("terdut", source)])],
            ..Block::new("terraform", vec![("required_version", text(">= 1.5"))])
        },
        Block {
            comment: "The key comes from TERDUT_TOKEN. The ids below are this server's.",
            ..Block::new("provider \"terdut\"", vec![("url", text(server))])
        },
    ]
}

fn named<S>(name: &str, id: impl std::fmt::Display, fit: Fit<S>) -> Result<S, (String, String)> {
    fit.map_err(|why| (label(name, id), why))
}

/// An attribute that is left away where there is nothing.
fn optional(attributes: &mut Attributes, name: &'static str, value: Option<String>) {
    attributes.extend(value.map(|value| (name, Expression::Text(value))));
}
