//! `terdut_service_account_key`: a key of a service account.
//!
//! The key is shown once, so it lives in the state; an imported one has no token. Meant to be used
//! with `create_before_destroy`: names of keys may repeat.

use terdut_client::Caller;
use terdut_client::execute::{Found, Made};
use terdut_core::error::ApiError;
use terdut_core::model::{
    DEFAULT_KEY_NAME, DesiredServiceAccountKey, Kind, ObservedServiceAccountKey, ServiceAccountKey,
    ServiceAccountKeyInput, ServiceAccountKeySpec,
};
use terdut_core::problem::Findings;
use terdut_core::value::Name;
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::model::Sensitive;
use terdut_plugin::schema::{Attribute, Schema};

use crate::attributes::{id, input, or_default, parsed, rotate_when_changed};
use crate::equality::same;
use crate::object::{Object, lookup};
use crate::projection::Spec;
use crate::rotation::{Rotation, rotates};
use crate::timeouts::{self, TimeoutsModel};

terdut_plugin::model! {
    /// A service account's key.
    pub struct ServiceAccountKeyModel {
        pub id: Attr<String>,
        pub service_account_id: Attr<String>,
        pub name: Attr<String>,
        pub rotate_when_changed: Rotation,
        pub token: Attr<Sensitive>,
        pub created_at: Attr<String>,
        pub timeouts: Attr<TimeoutsModel>,
    }
}

/// See the module.
#[derive(Debug)]
pub struct ServiceAccountKeyObject;

impl Object for ServiceAccountKeyObject {
    type Model = ServiceAccountKeyModel;
    type Core = ServiceAccountKey;

    const PATH: &'static [(&'static str, Kind)] =
        &[("service_account_id", Kind::ServiceAccount), ("id", Kind::ServiceAccountKey)];
    const REPLACED_BY: Option<&'static str> = Some(
        "Another service account or name makes a new key, and the old one is revoked. With \
         `create_before_destroy` the new one is there before that.",
    );
    const NAMES_REPEAT: bool = true;

    fn schema() -> Schema {
        let spec = Spec::of::<ServiceAccountKeySpec>();
        Schema::new(spec.description())
            .attribute(id("Id of the key."))
            .attributes(spec.attributes(|path, attribute| match path {
                "name" => attribute.equal_by(same::<Name>),
                _ => attribute,
            }))
            .attribute(rotate_when_changed())
            .attribute(
                Attribute::string("token")
                    .computed()
                    .keep()
                    .sensitive()
                    .describe("The key. terdut shows it once: after an import it is null."),
            )
            .attribute(
                Attribute::string("created_at")
                    .computed()
                    .keep()
                    .describe("When it was made, in RFC 3339."),
            )
            .attribute(timeouts::attribute())
    }

    fn desired(
        model: &ServiceAccountKeyModel,
        findings: &mut Findings,
    ) -> Option<DesiredServiceAccountKey> {
        let service_account_id = input(&model.service_account_id);
        ServiceAccountKeyInput { service_account_id, name: input(&model.name) }.validate(findings)
    }

    fn stored(state: &ServiceAccountKeyModel) -> Option<ObservedServiceAccountKey> {
        Some(ObservedServiceAccountKey {
            account: parsed(&state.service_account_id)?,
            id: parsed(&state.id)?,
            name: or_default(&state.name, DEFAULT_KEY_NAME),
            created_at: state.created_at.known().cloned(),
        })
    }

    fn fill(state: &mut ServiceAccountKeyModel, observed: &ObservedServiceAccountKey) {
        state.id.set(observed.id.to_string());
        state.service_account_id.set(observed.account.to_string());
        state.name.set(observed.name.clone());
        if let Some(created_at) = &observed.created_at {
            state.created_at.set(created_at.clone());
        }
    }

    async fn find(
        caller: &Caller,
        stored: &ObservedServiceAccountKey,
    ) -> Result<Option<ObservedServiceAccountKey>, ApiError> {
        let account = stored.account;
        let key = lookup::in_account(caller, account, stored.id).await?;
        Ok(key.map(|key| ObservedServiceAccountKey::from_fact(account, &key)))
    }

    async fn namesakes(
        caller: &Caller,
        observed: &ObservedServiceAccountKey,
    ) -> Result<Vec<String>, ApiError> {
        let keys = lookup::keys(caller, observed.account).await?;
        let named = keys.iter().filter(|key| key.name.trim() == observed.name.trim());
        Ok(named.map(|key| key.id.to_string()).collect())
    }

    /// Names of keys may repeat, so none is ever in the way.
    fn found(_found: Found, _wanted: &ServiceAccountKeyModel) -> Option<ObservedServiceAccountKey> {
        None
    }

    fn settle(state: &mut ServiceAccountKeyModel, made: Option<Made>) {
        if let Some(Made::Key(key)) = made {
            state.token = key.key.map(|key| Sensitive::new(key.expose())).into();
            state.created_at = key.created_at.into();
        }
    }

    fn rotates(prior: &ServiceAccountKeyModel, planned: &ServiceAccountKeyModel) -> bool {
        rotates(&prior.rotate_when_changed, &planned.rotate_when_changed)
    }

    fn imported(diagnostics: &mut Diagnostics) {
        diagnostics.warning(
            "The key itself is not known",
            "terdut shows a key once, when it is made. The token of this imported key stays null; \
             a change of rotate_when_changed between two values, or a replacement, makes a new \
             key with a token.",
        );
    }
}
