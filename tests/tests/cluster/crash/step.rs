//! The steps of a life.

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Kind, kind};

/// One step, in the order in which they are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    MakeServer,
    MakeTeam,
    MakeRule,
    MakeSwitch,
    MakeSource,
    ChangeServer,
    ReplaceServerKey,
    ChangeTeam,
    ReplaceTeamKey,
    ChangeRule,
    ReplaceSwitch,
    RenameSource,
    DeleteRule,
    DeleteSwitch,
    DeleteSource,
    DeleteTeam,
    DeleteServer,
}

/// What a step does.
pub(super) enum Act {
    Make,
    Patch(Json),
    /// Asks for another key.
    ReplaceKey,
    Delete,
}

impl Step {
    pub(super) const ALL: [Self; 17] = [
        Self::MakeServer,
        Self::MakeTeam,
        Self::MakeRule,
        Self::MakeSwitch,
        Self::MakeSource,
        Self::ChangeServer,
        Self::ReplaceServerKey,
        Self::ChangeTeam,
        Self::ReplaceTeamKey,
        Self::ChangeRule,
        Self::ReplaceSwitch,
        Self::RenameSource,
        Self::DeleteRule,
        Self::DeleteSwitch,
        Self::DeleteSource,
        Self::DeleteTeam,
        Self::DeleteServer,
    ];

    /// Whose step it is.
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::MakeServer | Self::ChangeServer | Self::ReplaceServerKey | Self::DeleteServer => {
                kind::SERVER
            }
            Self::MakeTeam | Self::ChangeTeam | Self::ReplaceTeamKey | Self::DeleteTeam => {
                kind::TEAM
            }
            Self::MakeRule | Self::ChangeRule | Self::DeleteRule => kind::RULE,
            Self::MakeSwitch | Self::ReplaceSwitch | Self::DeleteSwitch => kind::SWITCH,
            Self::MakeSource | Self::RenameSource | Self::DeleteSource => kind::SOURCE,
        }
    }

    /// What it does.
    pub(super) fn act(self) -> Act {
        match self {
            Self::MakeServer
            | Self::MakeTeam
            | Self::MakeRule
            | Self::MakeSwitch
            | Self::MakeSource => Act::Make,
            Self::ReplaceServerKey | Self::ReplaceTeamKey => Act::ReplaceKey,
            Self::ChangeServer => Act::Patch(json!({ "replicas": 2 })),
            Self::ChangeTeam => {
                let oidc = json!({ "memberGroup": "crew", "ownerGroup": "owners" });
                Act::Patch(json!({ "displayName": "Platform crew", "oidc": oidc }))
            }
            Self::ChangeRule => Act::Patch(json!({ "repeatCount": 3 })),
            Self::ReplaceSwitch => Act::Patch(json!({ "timeout": "20m" })),
            Self::RenameSource => Act::Patch(json!({ "name": "production" })),
            Self::DeleteRule
            | Self::DeleteSwitch
            | Self::DeleteSource
            | Self::DeleteTeam
            | Self::DeleteServer => Act::Delete,
        }
    }
}
