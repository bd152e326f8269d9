//! A server and our key on it, as Terraform's `terdut_server` declares it.
//!
//! The provider projects its schema from [`ServerSpec`], validates with [`validate`] and asks
//! [`plan`] what a change needs; [`crate::credential`] carries it out. Nothing here holds a
//! provider's own URL or token: a server is set up with what its resource says.

mod plan;
mod validate;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use schemars::JsonSchema;

pub use plan::{DEFAULT_ACCOUNT, Fresh, PriorServer, ServerPlan, plan};
pub use validate::validate;

use crate::secret::SecretString;
use crate::value::Input;

/// A key of its own on a terdut server: from the server's one bootstrap, or minted with a key that
/// is handed in.
///
/// It never uses the provider's own `url` and `token`; feed those of the default provider from its
/// `url` and `token`.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct ServerSpec {
    /// The server's URL, http or https. When it changes, the stored token is proved at the new URL
    /// before anything else.
    pub url: String,
    /// An admin or instance key to mint the token with. Never stored; give
    /// `admin_token_wo_version` a new value to mint again.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub admin_token_wo: Option<SecretString>,
    /// A new value mints a new token with `admin_token_wo`.
    pub admin_token_wo_version: Option<i64>,
    /// The same as `admin_token_wo`, stored in the state: for hosts without write-only attributes.
    /// A new value mints a new token.
    #[schemars(with = "Option<String>", extend("format" = "password"))]
    pub admin_token: Option<SecretString>,
    /// The first person of an empty server. Used on create only: a server can be bootstrapped once.
    pub bootstrap: Option<BootstrapSpec>,
    /// Keep the bootstrap's admin key in `bootstrap_token`; else it is revoked when the create is
    /// done. Changed to false, the key is revoked.
    pub keep_bootstrap_token: Option<bool>,
    /// Name of the service account that the token is of. A new name makes a new account; the old
    /// one goes at the next rotation.
    #[schemars(default = "default_account")]
    pub service_account_name: String,
    /// Any values; when one of them changes, the token is rotated. The key before it stays valid
    /// until the next rotation.
    pub rotate_when_changed: Option<BTreeMap<String, String>>,
    /// Mint the token on an account of that name that exists already.
    pub adopt_existing: Option<bool>,
}

/// The person whom the bootstrap makes.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(rename_all = "camelCase")]
pub struct BootstrapSpec {
    /// Log-in name.
    pub username: String,
    /// E-mail address.
    pub email: String,
    /// Set as the person's password, so that they can log in. Never stored.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub password_wo: Option<SecretString>,
    /// The same as `password_wo`, stored in the state: for hosts without write-only attributes.
    #[schemars(with = "Option<String>", extend("format" = "password"))]
    pub password: Option<SecretString>,
}

fn default_account() -> String {
    DEFAULT_ACCOUNT.to_owned()
}

/// What a user wrote, attribute by attribute. An empty text is absent.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the fields are those of ServerSpec")]
pub struct ServerInput {
    pub url: Input<String>,
    pub admin_token_wo: Input<SecretString>,
    /// Two versions are equal when their texts are.
    pub admin_token_wo_version: Input<String>,
    pub admin_token: Input<SecretString>,
    pub bootstrap: Input<BootstrapInput>,
    pub keep_bootstrap_token: Input<bool>,
    pub service_account_name: Input<String>,
    pub rotate_when_changed: Input<BTreeMap<String, Input<String>>>,
    pub adopt_existing: Input<bool>,
}

/// What a user wrote about the first person.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the fields are those of BootstrapSpec")]
pub struct BootstrapInput {
    pub username: Input<String>,
    pub email: Input<String>,
    pub password_wo: Input<SecretString>,
    pub password: Input<SecretString>,
}

impl ServerInput {
    /// Whether a key to mint with is handed in (or may be).
    pub fn hands_in_a_key(&self) -> bool {
        !matches!((&self.admin_token_wo, &self.admin_token), (Input::Absent, Input::Absent))
    }

    /// The keys handed in.
    pub fn handed(&self) -> Vec<SecretString> {
        [&self.admin_token_wo, &self.admin_token].into_iter().filter_map(given).cloned().collect()
    }
}

/// The value, if one is given and known.
fn given<T>(input: &Input<T>) -> Option<&T> {
    match input {
        Input::Given(value) => Some(value),
        Input::Absent | Input::Unknown => None,
    }
}
