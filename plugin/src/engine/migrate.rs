//! `UpgradeResourceState`, `UpgradeResourceIdentity`, `MoveResourceState`: what was stored, in the
//! shape of today.
//!
//! Shapes only: no remote call, no configuration. A stored state may be a part of an object (tools
//! that wrap providers write such): what is missing is null, what is no longer there is dropped.

use serde_json::Value as Json;
use terdut_proto::tfplugin6::{
    RawState, move_resource_state, upgrade_resource_identity, upgrade_resource_state,
};

use super::{Engine, identity, settle};
use crate::codec;
use crate::codec::json::Mode;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::provider::Provider;
use crate::resource::{AnyResource, MoveSource};
use crate::value::Value;

impl<P: Provider> Engine<P> {
    pub(super) fn upgrade_state(
        &self,
        request: &upgrade_resource_state::Request,
    ) -> upgrade_resource_state::Response {
        let upgraded = self.resource(&request.type_name).map_err(Into::into).and_then(|resource| {
            let state = stored(resource, request.version, request.raw_state.as_ref())?;
            Ok(codec::encode(&state, resource.ty())?)
        });
        match upgraded {
            Ok(state) => upgrade_resource_state::Response {
                upgraded_state: Some(state),
                diagnostics: Vec::new(),
            },
            Err(diagnostics) => upgrade_resource_state::Response {
                upgraded_state: None,
                diagnostics: Diagnostics::into(diagnostics),
            },
        }
    }

    pub(super) fn upgrade_identity(
        &self,
        request: &upgrade_resource_identity::Request,
    ) -> upgrade_resource_identity::Response {
        let upgraded = self.identity_of_today(request);
        let (upgraded_identity, diagnostics) = match upgraded {
            Ok(identity) => (identity, Diagnostics::new()),
            Err(diagnostics) => (None, diagnostics),
        };
        upgrade_resource_identity::Response { upgraded_identity, diagnostics: diagnostics.into() }
    }

    fn identity_of_today(
        &self,
        request: &upgrade_resource_identity::Request,
    ) -> Result<Option<terdut_proto::tfplugin6::ResourceIdentityData>, Diagnostics> {
        let resource = self.resource(&request.type_name)?;
        let Some(schema) = resource.identity_schema() else {
            return Ok(None);
        };
        if request.version > schema.version() {
            return Err(newer(resource.name(), "identity", request.version).into());
        }
        let json = request.raw_identity.as_ref().map_or(&[][..], |raw| &raw.json);
        // One that cannot be read counts as none: the next read makes it anew.
        let identity = codec::json::decode(json, &schema.ty(), Mode::Lenient).unwrap_or_default();
        Ok(identity::encode(schema, &identity))
    }

    pub(super) fn move_state(
        &self,
        request: &move_resource_state::Request,
    ) -> move_resource_state::Response {
        match self.moved(request) {
            Ok(state) => move_resource_state::Response {
                target_state: Some(state),
                target_private: self.private_of(request),
                ..move_resource_state::Response::default()
            },
            Err(diagnostics) => move_resource_state::Response {
                diagnostics: diagnostics.into(),
                ..move_resource_state::Response::default()
            },
        }
    }

    /// Another provider's private data means nothing here.
    fn private_of(&self, request: &move_resource_state::Request) -> bytes::Bytes {
        let ours = is_same(&request.source_provider_address, self.provider.source());
        if ours { request.source_private.clone() } else { bytes::Bytes::new() }
    }

    /// The same type of the same provider, whatever registry it came from, or what the author can
    /// take over.
    fn moved(
        &self,
        request: &move_resource_state::Request,
    ) -> Result<terdut_proto::tfplugin6::DynamicValue, Diagnostics> {
        let resource = self.resource(&request.target_type_name)?;
        let same_provider = is_same(&request.source_provider_address, self.provider.source());
        let (version, raw) = (request.source_schema_version, request.source_state.as_ref());
        let state = if same_provider && request.source_type_name == request.target_type_name {
            stored(resource, version, raw)?
        } else {
            let source = MoveSource {
                provider_address: request.source_provider_address.clone(),
                same_provider,
                type_name: request.source_type_name.clone(),
                schema_version: version,
                state: stored_json(resource.name(), raw)?,
            };
            let json = resource.move_state(source)?.ok_or_else(|| cannot_move(request))?;
            shaped(resource, json)?
        };
        Ok(codec::encode(&state, resource.ty())?)
    }
}

/// Whatever the registry: the same namespace and type.
fn is_same(address: &str, ours: &str) -> bool {
    address == ours || address.strip_suffix(ours).is_some_and(|registry| registry.ends_with('/'))
}

fn cannot_move(request: &move_resource_state::Request) -> Diagnostic {
    let (to, from) = (&request.target_type_name, &request.source_type_name);
    let address = &request.source_provider_address;
    Diagnostic::error(
        "Cannot move from there",
        format!(
            "A {to} cannot take over the state of a {from} of {address}. Use `removed` and \
             `import` blocks instead of `moved`."
        ),
    )
}

fn stored<D>(
    resource: &dyn AnyResource<D>,
    version: i64,
    raw: Option<&RawState>,
) -> Result<Value, Diagnostics> {
    let json = stored_json(resource.name(), raw)?;
    shaped(resource, resource.upgrade(version, json)?)
}

fn shaped<D>(resource: &dyn AnyResource<D>, json: Json) -> Result<Value, Diagnostics> {
    let mut state = codec::json::from_json(json, resource.ty(), Mode::Lenient)?;
    settle::clear_write_only(resource.schema().all(), &mut state);
    Ok(state)
}

fn stored_json(name: &str, raw: Option<&RawState>) -> Result<Json, Diagnostic> {
    let raw = raw.filter(|raw| !raw.json.is_empty()).ok_or_else(|| {
        Diagnostic::error(
            "State in a form that is not read",
            format!(
                "This {name} was stored by a Terraform older than 0.12. Remove it from the state \
                 and import it."
            ),
        )
    })?;
    serde_json::from_slice(&raw.json).map_err(|_| {
        let detail = "What is stored is not JSON. Restore the state from a backup.";
        Diagnostic::error("Unreadable state", detail)
    })
}

fn newer(name: &str, what: &str, version: i64) -> Diagnostic {
    Diagnostic::error(
        format!("A newer {what}"),
        format!("This {name}'s {what} was written by a newer provider (version {version})."),
    )
}
