//! What to do about a failure or a warning, in the words of the tool whose user reads it.

use super::failure::{Failure, Warning, list};
use crate::error::Class;

/// Who reads an advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Somebody who writes Terraform configuration.
    Terraform,
    /// Somebody who writes manifests for the bridge.
    Bridge,
}

const TERRAFORM_HAND_IN: &str = "Mint an instance key with an admin session and hand it in \
     (admin_token_wo or admin_token; with adopt_existing = true and the name of its service account \
     in service_account_name), or start from an empty database.";

const BRIDGE_HAND_IN: &str = "Mint an instance key with an admin session and hand it in (put it \
     into a Secret in the bridge's namespace that spec.credentialsSecretRef names), or start from \
     an empty database.";

impl Failure {
    /// What to do about it.
    pub fn advice(&self, audience: Audience) -> String {
        match audience {
            Audience::Terraform => self.terraform_advice(),
            Audience::Bridge => self.bridge_advice(),
        }
    }

    fn terraform_advice(&self) -> String {
        match self {
            // Terraform keeps nothing of an apply that is killed: it cannot tell the two apart.
            Self::WaitingForCredential => {
                return format!(
                    "If that was an earlier apply which was cut short, the admin key that it was \
                     given is lost (BootstrapStateLost). {TERRAFORM_HAND_IN}"
                );
            }
            Self::BootstrapStateLost(_) => TERRAFORM_HAND_IN,
            Self::BootstrapUnanswered(_) => {
                return format!(
                    "Apply again: if it was not done, it is done then. If that says \
                     WaitingForCredential, it was done, and the admin key that it gave is lost \
                     (BootstrapStateLost). {TERRAFORM_HAND_IN}"
                );
            }
            Self::NoCredential { .. } => {
                "Set admin_token_wo or admin_token to an admin or instance key."
            }
            Self::NameTaken { .. } => {
                "Set adopt_existing = true to mint a key on that account, or \
                 choose another service_account_name."
            }
            Self::WrongScope { .. } => "Choose another service_account_name.",
            Self::NeedsAdminKey { .. } => {
                "Hand in an admin key; or, with an instance key, name \
                 that key's own account in service_account_name and set adopt_existing = true."
            }
            Self::RotationDenied { .. } => {
                "Hand in an admin key with admin_token_wo or admin_token to mint with."
            }
            Self::AccountGone { .. } => {
                "Refresh the state (terraform plan does), and hand in an \
                 admin key with admin_token_wo or admin_token."
            }
            Self::Ambiguous { account, keys } => {
                return format!(
                    "Nothing was revoked. Look at the keys {} of service account {account}, revoke \
                     those that nobody uses, and apply again.",
                    list(keys)
                );
            }
            Self::Call { error, .. } => terraform_advice_for(error.class),
        }
        .to_owned()
    }

    fn bridge_advice(&self) -> String {
        match self {
            Self::WaitingForCredential
            | Self::BootstrapStateLost(_)
            | Self::NoCredential { .. } => BRIDGE_HAND_IN,
            Self::BootstrapUnanswered(_) => {
                "It is asked for again; if it was done, the server says so then."
            }
            Self::NameTaken { .. } | Self::WrongScope { .. } => {
                "Rename or remove that service account with an admin session: the name is the \
                 bridge's."
            }
            Self::NeedsAdminKey { .. } => {
                "Hand in a key that may make service accounts of this scope."
            }
            Self::RotationDenied { .. } => {
                "Mint an instance key with an admin session and hand it in with \
                 spec.credentialsSecretRef, or take the request to rotate back."
            }
            Self::AccountGone { .. } => "Nothing: the next pass makes it anew.",
            Self::Ambiguous { account, keys } => {
                return format!(
                    "Nothing was revoked. Look at the keys {} of service account {account} with an \
                     admin session and revoke those that nobody uses.",
                    list(keys)
                );
            }
            Self::Call { error, .. } => bridge_advice_for(error.class),
        }
        .to_owned()
    }
}

fn terraform_advice_for(class: Class) -> &'static str {
    match class {
        Class::Denied => "Hand in a key that is valid on this server and may do this.",
        Class::TooOld => "This server is too old for this feature: upgrade it.",
        Class::Unreachable => "Check url, and that the server can be reached; then apply again.",
        Class::Retryable => "Apply again; the server or a proxy in front of it had a fault.",
        Class::Conflict | Class::Invalid | Class::NotFound => {
            "Correct the configuration and apply again."
        }
    }
}

fn bridge_advice_for(class: Class) -> &'static str {
    match class {
        Class::Denied => "Hand in a key that is valid on this server and may do this.",
        Class::TooOld => "This server is too old for this feature: upgrade it.",
        Class::Unreachable => "Check that the server runs and can be reached; it is tried again.",
        Class::Retryable => "The server or a proxy in front of it had a fault; it is tried again.",
        Class::Conflict | Class::Invalid | Class::NotFound => "Correct the manifest.",
    }
}

impl Warning {
    /// What to do about it.
    pub fn advice(&self, audience: Audience) -> &'static str {
        match self {
            Self::KeysLeft { .. } | Self::AdminKeyLeft { .. } => {
                "Revoke them with an admin session."
            }
            Self::KeysNotHeld { .. } => {
                "Revoke them with an admin session if nobody uses them; they were left alone here."
            }
            Self::KeysUnlisted { .. } | Self::KeyLost { .. } => {
                "Look at that account's keys with an admin session."
            }
            Self::AccountStays { .. } => match audience {
                Audience::Terraform => {
                    "Delete it with an admin session, or set adopt_existing = \
                     true when this server is set up again with the same service_account_name."
                }
                Audience::Bridge => "Delete it with an admin session.",
            },
            Self::NothingHeld => "Keys minted earlier stay valid until an admin revokes them.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ApiError, Effect};
    use crate::ids::{AccountId, KeyId, UserId};

    /// Words that mean nothing to somebody who has no Terraform.
    const TERRAFORM: [&str; 9] = [
        "terraform",
        "Terraform",
        "admin_token",
        "adopt_existing",
        "service_account_name",
        "apply",
        "Apply",
        "state",
        "terdut_server",
    ];

    fn error(class: Class) -> ApiError {
        let (method, route, said) = ("GET", "/api/me", String::new());
        ApiError { class, effect: Effect::None, method, route, status: None, own_word: true, said }
    }

    fn failures() -> Vec<Failure> {
        let text = |text: &str| text.to_owned();
        let (account, keys, said) = (AccountId(5), vec![KeyId(9)], error(Class::Denied));
        let (scope, wanted) = (text("team (4)"), text("instance"));
        let call = |class| Failure::Call { doing: text("making it"), error: error(class) };
        vec![
            Failure::WaitingForCredential,
            Failure::BootstrapStateLost(None),
            Failure::BootstrapUnanswered(error(Class::Unreachable)),
            Failure::NoCredential { doing: text("minting") },
            Failure::NameTaken { name: text("a"), account },
            Failure::WrongScope { name: text("a"), account, scope, wanted },
            Failure::NeedsAdminKey { name: text("a"), error: said.clone() },
            Failure::RotationDenied { doing: text("minting"), error: said },
            Failure::AccountGone { account },
            Failure::Ambiguous { account, keys },
            call(Class::Denied),
            call(Class::TooOld),
            call(Class::Unreachable),
            call(Class::Retryable),
            call(Class::Invalid),
        ]
    }

    fn warnings() -> Vec<Warning> {
        let (account, keys, error) = (AccountId(5), vec![KeyId(9)], error(Class::Denied));
        let (user, key) = (UserId(1), KeyId(2));
        vec![
            Warning::KeysLeft { account, keys, error: None },
            Warning::KeysUnlisted { account, error: error.clone() },
            Warning::KeyLost { account },
            Warning::AccountStays { account, error: None },
            Warning::AdminKeyLeft { user, key, error },
            Warning::NothingHeld,
        ]
    }

    #[test]
    fn who_has_no_terraform_reads_no_word_of_it() {
        let failures = failures();
        let failures = failures.iter().map(|it| format!("{it}. {}", it.advice(Audience::Bridge)));
        let warnings = warnings();
        let warnings = warnings.iter().map(|it| format!("{it}. {}", it.advice(Audience::Bridge)));
        for text in failures.chain(warnings) {
            for word in TERRAFORM {
                let words = || text.split(|end: char| !end.is_alphanumeric() && end != '_');
                assert!(!words().any(|found| found == word), "{word:?} is in {text:?}");
            }
        }
    }

    #[test]
    fn what_waits_for_a_key_says_how_to_hand_one_in() {
        for failure in [Failure::WaitingForCredential, Failure::BootstrapStateLost(None)] {
            for (audience, how) in [
                (Audience::Terraform, "admin_token_wo"),
                (Audience::Bridge, "spec.credentialsSecretRef"),
            ] {
                let advice = failure.advice(audience);
                assert!(advice.contains(how) && advice.contains("empty database"), "{advice}");
            }
        }
    }
}
