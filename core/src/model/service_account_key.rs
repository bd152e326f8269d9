//! A service account's key.
//!
//! The key itself is shown once. Names of keys may repeat, so that a successor can be made before
//! the old one is revoked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check;
use super::{Kind, Model};
use crate::api;
use crate::ids::{AccountId, KeyId};
use crate::plan::{Differences, Step};
use crate::problem::{Findings, Path};
use crate::value::{Field, Input, Name};

/// The name of a key that is given none.
pub const DEFAULT_KEY_NAME: &str = "terraform";

/// A key of a service account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountKeySpec {
    /// The id of the service account that the key is of.
    pub service_account_id: String,
    /// The key's name. Names of keys may repeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253), extend("default" = DEFAULT_KEY_NAME))]
    pub name: Option<String>,
}

/// What a user wrote.
#[derive(Debug, Clone, Default)]
pub struct ServiceAccountKeyInput {
    /// The account's id.
    pub service_account_id: Input<String>,
    /// Name.
    pub name: Input<String>,
}

/// The validated wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredServiceAccountKey {
    /// Account.
    pub account: Field<AccountId>,
    /// Name.
    pub name: Field<Name>,
}

/// A key of which all is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAccountKey {
    /// Account.
    pub account: AccountId,
    /// Name.
    pub name: Name,
}

/// What is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedServiceAccountKey {
    /// Its account.
    pub account: AccountId,
    /// Its id.
    pub id: KeyId,
    /// Name.
    pub name: String,
    /// When it was made, in RFC 3339; `None` where that is not said.
    pub created_at: Option<String>,
}

impl ObservedServiceAccountKey {
    /// From what the server lists of an account.
    pub fn from_fact(account: AccountId, key: &api::ApiKey) -> Self {
        Self { account, id: key.id, name: key.name.clone(), created_at: key.created_at.clone() }
    }
}

impl ServiceAccountKeyInput {
    /// The wish, or all that is wrong with it.
    pub fn validate(&self, findings: &mut Findings) -> Option<DesiredServiceAccountKey> {
        let path = Path::of("service_account_id");
        let account = check::required(findings, &path, &self.service_account_id);
        let name = check::defaulted(findings, &Path::of("name"), &self.name, DEFAULT_KEY_NAME);
        Some(DesiredServiceAccountKey { account: account?, name: name? })
    }
}

impl Model for ServiceAccountKey {
    const KIND: Kind = Kind::ServiceAccountKey;
    const SUCCESSOR_FIRST: bool = true;
    type Desired = DesiredServiceAccountKey;
    type Observed = ObservedServiceAccountKey;

    fn known(desired: &DesiredServiceAccountKey) -> Option<Self> {
        Some(Self { account: *desired.account.known()?, name: desired.name.known()?.clone() })
    }

    fn differences(
        desired: &DesiredServiceAccountKey,
        observed: &ObservedServiceAccountKey,
    ) -> Differences {
        const WHY: &str = "terdut cannot change a key";
        let mut found = Differences::default();
        let same = |account: &AccountId| *account == observed.account;
        found.replace("service_account_id", &desired.account, same, WHY);
        found.replace_text("name", &desired.name, &observed.name, Name::is, WHY);
        found
    }

    fn create(&self) -> Vec<Step> {
        vec![Step::MintKey { account: self.account, name: self.name.to_string() }]
    }

    fn update(&self, _: &ObservedServiceAccountKey, _: &Differences) -> Vec<Step> {
        Vec::new()
    }

    fn delete(observed: &ObservedServiceAccountKey) -> Vec<Step> {
        vec![Step::RevokeKey { account: observed.account, key: observed.id }]
    }

    fn import_id(observed: &ObservedServiceAccountKey) -> String {
        format!("{}/{}", observed.account, observed.id)
    }

    fn label(observed: &ObservedServiceAccountKey) -> String {
        observed.name.clone()
    }
}
