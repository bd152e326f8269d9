//! `terdut_service_account`: an identity for a machine.
//!
//! Nothing of it can be changed in place. Its keys come only from `terdut_service_account_key`.

use terdut_client::Caller;
use terdut_client::execute::Found;
use terdut_core::api::{AccountScope, Reply, Request};
use terdut_core::dependents::{self, Dependents};
use terdut_core::error::ApiError;
use terdut_core::model::{
    DesiredServiceAccount, Kind, ObservedServiceAccount, ServiceAccount, ServiceAccountInput,
    ServiceAccountSpec,
};
use terdut_core::problem::Findings;
use terdut_core::value::Name;
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::Diagnostic;
use terdut_plugin::schema::Schema;

use crate::attributes::{adopt_existing, id, input, parsed};
use crate::equality::same;
use crate::object::looks::Look;
use crate::object::{Object, lookup};
use crate::projection::Spec;
use crate::timeouts::{self, TimeoutsModel};

terdut_plugin::model! {
    /// A service account.
    pub struct ServiceAccountModel {
        pub id: Attr<String>,
        pub name: Attr<String>,
        pub scope: Attr<String>,
        pub team_id: Attr<String>,
        pub adopt_existing: Attr<bool>,
        pub timeouts: Attr<TimeoutsModel>,
    }
}

/// See the module.
#[derive(Debug)]
pub struct ServiceAccountObject;

impl Object for ServiceAccountObject {
    type Model = ServiceAccountModel;
    type Core = ServiceAccount;

    const PATH: &'static [(&'static str, Kind)] = &[("id", Kind::ServiceAccount)];
    const REPLACED_BY: Option<&'static str> =
        Some("Another name, scope or team makes a new account; the keys of the old one end.");

    fn schema() -> Schema {
        let spec = Spec::of::<ServiceAccountSpec>();
        Schema::new(spec.description())
            .attribute(id("Id of the service account."))
            .attributes(spec.attributes(|path, attribute| match path {
                "name" => attribute.equal_by(same::<Name>),
                _ => attribute,
            }))
            .attribute(adopt_existing())
            .attribute(timeouts::attribute())
    }

    fn desired(
        model: &ServiceAccountModel,
        findings: &mut Findings,
    ) -> Option<DesiredServiceAccount> {
        let (name, scope) = (input(&model.name), input(&model.scope));
        ServiceAccountInput { name, scope, team_id: input(&model.team_id) }.validate(findings)
    }

    fn stored(state: &ServiceAccountModel) -> Option<ObservedServiceAccount> {
        let scope = state.scope.clone().unwrap_or_default();
        let scope = match (scope.as_str(), parsed(&state.team_id)) {
            ("instance", _) => AccountScope::Instance,
            ("team", Some(team)) => AccountScope::Team(team),
            _ => AccountScope::Other(scope),
        };
        let name = state.name.clone().unwrap_or_default();
        Some(ObservedServiceAccount { id: parsed(&state.id)?, name, scope })
    }

    fn fill(state: &mut ServiceAccountModel, observed: &ObservedServiceAccount) {
        state.id.set(observed.id.to_string());
        state.name.set(observed.name.clone());
        let (scope, team) = scope_and_team(&observed.scope);
        state.scope.set(scope);
        state.team_id = team.into();
    }

    async fn find(
        caller: &Caller,
        stored: &ObservedServiceAccount,
    ) -> Result<Option<ObservedServiceAccount>, ApiError> {
        Ok(lookup::top(lookup::accounts(caller), stored.id).await?.as_ref().map(Into::into))
    }

    fn found(found: Found, _wanted: &ServiceAccountModel) -> Option<ObservedServiceAccount> {
        if let Found::Account(account) = found { Some((&account).into()) } else { None }
    }

    async fn dependents(look: &Look<'_>, stored: &ObservedServiceAccount) -> Option<Dependents> {
        let account = stored.id;
        let Reply::Keys(keys) = look.at(Request::ListKeys { account }).await? else { return None };
        Some(dependents::of_account(account, &keys))
    }

    /// Its keys: the first one may be of a create that was cut short. None is revoked by guess.
    async fn came_along(caller: &Caller, there: &ObservedServiceAccount) -> Option<Diagnostic> {
        let account = there.id;
        let Ok(Reply::Keys(keys)) = caller.call_fresh(Request::ListKeys { account }).await else {
            return None;
        };
        let ids: Vec<_> = keys.iter().map(|key| key.id.to_string()).collect();
        (!ids.is_empty()).then(|| with_keys(&there.name, &ids))
    }
}

fn with_keys(name: &str, ids: &[String]) -> Diagnostic {
    Diagnostic::warning(
        "The service account has keys already",
        format!(
            "{name:?} was taken over with the keys that it had: ids {}. Nothing was done to them. \
             Revoke by hand those that nobody holds: an apply that was cut short may have left one.",
            ids.join(", ")
        ),
    )
}

/// A scope as users write it: its word and its team.
pub(crate) fn scope_and_team(scope: &AccountScope) -> (String, Option<String>) {
    match scope {
        AccountScope::Instance => ("instance".to_owned(), None),
        AccountScope::Team(team) => ("team".to_owned(), Some(team.to_string())),
        AccountScope::Other(word) => (word.clone(), None),
    }
}
