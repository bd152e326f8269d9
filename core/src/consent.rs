//! Whether a namespace's teams may use a server.
//!
//! Asked by the bridge on every pass, before anything is read with a server's credential. A
//! [`Permit`] is made only here, and no client for somebody else's object can be had without one,
//! so that a forgotten question does not compile. An answer is never kept from one pass to the
//! next, and a refusal never says whether the server exists.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

/// What a server's owner allows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedTeams {
    /// Which namespaces may refer to the server.
    pub from: From,
    /// Which of them, for [`From::Selector`].
    pub selector: Selector,
    /// Whether another namespace's team may take over what it did not make.
    pub adoption: Adoption,
}

/// Which namespaces may refer to a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum From {
    /// None, not even the server's own.
    #[default]
    None,
    /// The server's own.
    Same,
    /// Every one.
    All,
    /// Those whose labels match the selector.
    Selector,
}

/// Whether a team of another namespace may take over a team that it did not make.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Adoption {
    /// It may not.
    #[default]
    Deny,
    /// It may.
    Allow,
}

/// A label selector as Kubernetes has it. Without any demand it matches everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Selector {
    /// Labels that must have exactly these values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
    /// Further demands; each must be met.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<Requirement>,
}

/// One demand on one label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Requirement {
    /// The label.
    pub key: String,
    /// What is demanded of it.
    pub operator: Operator,
    /// The values, for `In` and `NotIn`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// What is demanded of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Operator {
    /// It is there and has one of the values.
    In,
    /// It is not there, or has none of the values.
    NotIn,
    /// It is there.
    Exists,
    /// It is not there.
    DoesNotExist,
}

/// The labels of a namespace.
pub type Labels = BTreeMap<String, String>;

/// Which server is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ServerIdentity {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its UID, or, of a retained server that was taken up again, the one that its accounts are
    /// named after: another server of that name is another server.
    pub uid: String,
}

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The namespace of the team.
    pub namespace: &'a str,
    /// Its labels; `None` where they cannot be read, which matches no selector: one that asks for
    /// a label's absence would be met by not knowing it.
    pub labels: Option<&'a Labels>,
}

/// The leave to use one server in one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permit {
    server: ServerIdentity,
    may_adopt: bool,
}

impl Permit {
    /// The server that may be used.
    pub fn server(&self) -> &ServerIdentity {
        &self.server
    }

    /// Whether a team without a record of ours may be taken over by its name.
    pub fn may_adopt(&self) -> bool {
        self.may_adopt
    }
}

/// The server's owner does not allow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server may not be used from this namespace")]
pub struct NotPermitted;

/// Judges whether the asking namespace may use the server now.
pub fn judge(
    allowed: &AllowedTeams,
    server: &ServerIdentity,
    asking: &Asking<'_>,
) -> Result<Permit, NotPermitted> {
    let own = asking.namespace == server.namespace;
    let permitted = match allowed.from {
        From::None => false,
        From::Same => own,
        From::All => true,
        From::Selector => asking.labels.is_some_and(|labels| allowed.selector.matches(labels)),
    };
    if !permitted {
        return Err(NotPermitted);
    }
    let may_adopt = own || allowed.adoption == Adoption::Allow;
    Ok(Permit { server: server.clone(), may_adopt })
}

/// The leave to remove what a record says was made on this server while it was allowed. Revoked
/// consent keeps nobody from cleaning up; it adopts nothing.
pub fn judge_removal(
    server: &ServerIdentity,
    recorded_server_uid: &str,
) -> Result<Permit, NotPermitted> {
    if recorded_server_uid.is_empty() || recorded_server_uid != server.uid {
        return Err(NotPermitted);
    }
    Ok(Permit { server: server.clone(), may_adopt: false })
}

impl Selector {
    /// Whether these labels meet every demand.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.match_labels.iter().all(|(key, value)| labels.get(key) == Some(value))
            && self.match_expressions.iter().all(|requirement| requirement.is_met_by(labels))
    }
}

impl Requirement {
    fn is_met_by(&self, labels: &Labels) -> bool {
        let value = labels.get(&self.key);
        let listed = value.is_some_and(|value| self.values.contains(value));
        match self.operator {
            Operator::In => listed,
            Operator::NotIn => !listed,
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        }
    }
}
