//! The record of a team's child, as the text of an annotation.
//!
//! Whoever can write the child can write this. So it is no proof of anything beyond the team whose
//! key the child uses, and one of another object or another team is no record at all.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::ids::TeamId;
use crate::model::Kind;

/// What was about to be made for a child, and what was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildRecord {
    /// The child's UID.
    pub uid: String,
    /// The team.
    pub team: TeamId,
    /// The kind.
    pub kind: Kind,
    /// The name under which it was asked for; of a rule, which has none, empty.
    pub name: String,
    /// The ids of that name before we asked.
    pub before: BTreeSet<i64>,
    /// What was made; `None` until it is known.
    pub id: Option<i64>,
}

#[derive(Serialize, Deserialize)]
struct Text {
    uid: String,
    team: TeamId,
    kind: String,
    #[serde(default)]
    name: String,
    before: BTreeSet<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
}

impl ChildRecord {
    /// Reads an annotation. `None`: it is no record.
    pub fn parse(text: &str) -> Option<Self> {
        let Text { uid, team, kind, name, before, id } = serde_json::from_str(text).ok()?;
        let kind = KINDS.into_iter().find(|known| word(*known) == kind)?;
        Some(Self { uid, team, kind, name, before, id })
    }

    /// The annotation's text.
    pub fn text(&self) -> String {
        let Self { uid, team, kind, name, before, id } = self.clone();
        let text = Text { uid, team, kind: word(kind).to_owned(), name, before, id };
        serde_json::json!(text).to_string()
    }

    /// Whether it is a record of this object in this team. A copied manifest's is not.
    pub fn valid_for(&self, uid: &str, team: TeamId, kind: Kind) -> bool {
        !uid.is_empty() && self.uid == uid && self.team == team && self.kind == kind
    }
}

const KINDS: [Kind; 3] = [Kind::EscalationRule, Kind::DeadmanSwitch, Kind::AlertSource];

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::EscalationRule => "EscalationRule",
        Kind::DeadmanSwitch => "DeadmanSwitch",
        Kind::AlertSource => "AlertSource",
        Kind::Server | Kind::Team | Kind::User | Kind::ServiceAccount | Kind::ServiceAccountKey => {
            ""
        }
    }
}
