//! Identities: the server's URL and the ids on the way to an object.

use terdut_core::model::Kind;
use terdut_plugin::model::ToValue;
use terdut_plugin::resource::HasIdentity;
use terdut_plugin::schema::{IdentityAttribute, IdentitySchema};
use terdut_plugin::value::Value;

use super::{Managed, Object};
use crate::context::ProviderData;

impl<O: Object> HasIdentity for Managed<O> {
    fn identity_schema(&self) -> IdentitySchema {
        let url = IdentityAttribute::string("url", "The server's URL, without trailing slash.");
        let ids = O::PATH.iter().map(|(name, kind)| IdentityAttribute::string(name, id_of(*kind)));
        IdentitySchema::new([url.optional().mutable()].into_iter().chain(ids))
    }

    fn identity(&self, data: &ProviderData, state: &O::Model) -> Option<Value> {
        let state = state.to_value();
        let mut members = vec![("url", Value::from(data.server()?))];
        for (name, _) in O::PATH {
            let id = state.attribute(name).filter(|id| id.is_known())?;
            members.push((name, id.clone()));
        }
        Some(Value::object(members))
    }
}

fn id_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Server => "Id of the server.",
        Kind::Team => "Id of the team.",
        Kind::EscalationRule => "Id of the escalation rule's team.",
        Kind::DeadmanSwitch => "Id of the dead man's switch.",
        Kind::AlertSource => "Id of the alert source.",
        Kind::User => "Id of the user.",
        Kind::ServiceAccount => "Id of the service account.",
        Kind::ServiceAccountKey => "Id of the key.",
    }
}
