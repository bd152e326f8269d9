//! What a list is narrowed by. All that is set has to fit; nothing set lists all.

use terdut_core::api::{Account, AccountScope};
use terdut_core::ids::{AccountId, TeamId};
use terdut_core::model::{Kind, Model as CoreModel};
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::schema::Attribute;
use terdut_plugin::value::Value;

use crate::object::Object;

/// The scopes that accounts have.
const SCOPES: [&str; 2] = ["instance", "team"];

/// The settings of a list. What is not set lets everything through.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(super) team: Option<TeamId>,
    pub(super) account: Option<AccountId>,
    name: Option<String>,
    name_prefix: Option<String>,
    name_contains: Option<String>,
    kind: Option<String>,
    severity: Option<String>,
    scope: Option<String>,
}

impl Filter {
    /// Reads a configuration, or says all that is wrong with it.
    pub(super) fn read(config: &Value) -> Result<Self, Diagnostics> {
        let mut told = Diagnostics::new();
        let word = |name| text(config, name).map(str::to_owned);
        let filter = Self {
            team: told.take(id(config, "team_id")).flatten(),
            account: told.take(id(config, "service_account_id")).flatten(),
            name: word("name"),
            name_prefix: word("name_prefix"),
            name_contains: word("name_contains"),
            kind: word("kind"),
            severity: word("severity"),
            scope: word("scope"),
        };
        if let Some(scope) = filter.scope.as_ref().filter(|scope| !SCOPES.contains(&scope.as_str()))
        {
            let detail = format!("{scope:?}: an account's scope is instance or team.");
            told.error_at("scope", "Invalid scope", detail);
        }
        if told.has_errors() { Err(told) } else { Ok(filter) }
    }

    /// Whether a name fits; blanks around one mean nothing, those inside do.
    pub(super) fn fits(&self, name: &str) -> bool {
        let name = name.trim();
        let is = |wanted: &Option<String>, fits: fn(&str, &str) -> bool| {
            wanted.as_ref().is_none_or(|wanted| fits(name, wanted))
        };
        is(&self.name, |name, wanted| name == wanted.trim())
            && is(&self.name_prefix, |name, wanted| name.starts_with(wanted.trim_start()))
            && is(&self.name_contains, |name, wanted| {
                name.to_lowercase().contains(&wanted.to_lowercase())
            })
    }

    pub(super) fn fits_kind(&self, kind: &str) -> bool {
        self.kind.as_ref().is_none_or(|wanted| wanted == kind)
    }

    pub(super) fn fits_severity(&self, severity: &str) -> bool {
        self.severity.as_ref().is_none_or(|wanted| wanted == severity)
    }

    /// Whether an account is one of the scope and the team.
    pub(super) fn fits_account(&self, account: &Account) -> bool {
        let (scope, team) = match &account.scope {
            AccountScope::Instance => ("instance", None),
            AccountScope::Team(team) => ("team", Some(*team)),
            AccountScope::Other(other) => (other.as_str(), None),
        };
        self.scope.as_ref().is_none_or(|wanted| wanted == scope)
            && self.team.is_none_or(|wanted| team == Some(wanted))
            && self.account.is_none_or(|wanted| account.id == wanted)
    }

    /// Whether names are narrowed.
    pub(super) fn is_by_name(&self) -> bool {
        [&self.name, &self.name_prefix, &self.name_contains].into_iter().any(Option::is_some)
    }

    /// Which list it is, for messages.
    pub(super) fn label(&self) -> String {
        match (self.account, self.team) {
            (Some(account), _) => format!("all of service account {account}"),
            (None, Some(team)) => format!("all of team {team}"),
            (None, None) => "all".to_owned(),
        }
    }
}

/// The settings by name that every list has.
pub(super) fn names<O: Object>() -> Vec<Attribute> {
    let what = match <O::Core as CoreModel>::KIND {
        Kind::User => "username".to_owned(),
        Kind::EscalationRule => "team's name".to_owned(),
        kind => format!("{}'s name", kind.noun()),
    };
    let one = |name, how: &str| narrowing(name, &format!("the {what} {how}."));
    vec![
        one("name", "is this"),
        one("name_prefix", "begins with this"),
        one("name_contains", "contains this, whatever the case"),
    ]
}

/// An optional setting of a list.
pub(super) fn narrowing(name: &'static str, what: &str) -> Attribute {
    Attribute::string(name).optional().empty_is_null().describe(format!("Lists only where {what}"))
}

/// The team of what belongs to one.
pub(super) fn team_id() -> Attribute {
    narrowing(
        "team_id",
        "it belongs to the team of this id. A team's key lists only with its own team's.",
    )
}

/// The scope of accounts.
pub(super) fn scope() -> Attribute {
    narrowing("scope", "the service account's scope is this, `instance` or `team`.")
}

fn text<'v>(config: &'v Value, name: &str) -> Option<&'v str> {
    config.attribute(name)?.as_str().filter(|text| !text.is_empty())
}

fn id<T: std::str::FromStr<Err: std::fmt::Display>>(
    config: &Value,
    name: &'static str,
) -> Result<Option<T>, Diagnostic> {
    let Some(text) = text(config, name) else { return Ok(None) };
    let invalid =
        |error| Diagnostic::error(format!("Invalid {name}"), format!("{error}.")).at(name);
    text.parse().map(Some).map_err(invalid)
}
