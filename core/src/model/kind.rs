//! The kinds of objects, and what they are called.

/// A kind of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A server and our own key on it.
    Server,
    /// A team.
    Team,
    /// A team's escalation policy.
    EscalationRule,
    /// A dead man's switch.
    DeadmanSwitch,
    /// An alert source.
    AlertSource,
    /// A person.
    User,
    /// A service account.
    ServiceAccount,
    /// A service account's key.
    ServiceAccountKey,
}

impl Kind {
    /// The Terraform resource type.
    pub const fn resource_type(self) -> &'static str {
        match self {
            Self::Server => "terdut_server",
            Self::Team => "terdut_team",
            Self::EscalationRule => "terdut_escalation_rule",
            Self::DeadmanSwitch => "terdut_deadman_switch",
            Self::AlertSource => "terdut_alert_source",
            Self::User => "terdut_user",
            Self::ServiceAccount => "terdut_service_account",
            Self::ServiceAccountKey => "terdut_service_account_key",
        }
    }

    /// What a sentence calls it.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Team => "team",
            Self::EscalationRule => "escalation rule",
            Self::DeadmanSwitch => "dead man's switch",
            Self::AlertSource => "alert source",
            Self::User => "user",
            Self::ServiceAccount => "service account",
            Self::ServiceAccountKey => "service account key",
        }
    }

    /// The same with its article.
    pub const fn a_noun(self) -> &'static str {
        match self {
            Self::Server => "a server",
            Self::Team => "a team",
            Self::EscalationRule => "an escalation rule",
            Self::DeadmanSwitch => "a dead man's switch",
            Self::AlertSource => "an alert source",
            Self::User => "a user",
            Self::ServiceAccount => "a service account",
            Self::ServiceAccountKey => "a service account key",
        }
    }
}
