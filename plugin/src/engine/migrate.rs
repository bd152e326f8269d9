//! `UpgradeResourceState`, `UpgradeResourceIdentity`, `MoveResourceState`: what was stored, in the
//! shape of today.
//!
//! Shapes only: no remote call, no configuration. A stored state may be a part of an object (tools
//! that wrap providers write such): what is missing is null, what is no longer there is dropped.

use serde_json::Value as Json;
use terdut_proto::tfplugin6::{
    RawState, ResourceIdentityData, move_resource_state, upgrade_resource_identity,
    upgrade_resource_state,
};

use super::{Engine, identity, settle};
use crate::codec;
use crate::codec::json::Mode;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::provider::Provider;
use crate::registries;
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
    ) -> Result<Option<ResourceIdentityData>, Diagnostics> {
        let resource = self.resource(&request.type_name)?;
        stored_identity(resource, request.version, request.raw_identity.as_ref())
    }

    pub(super) fn move_state(
        &self,
        request: &move_resource_state::Request,
    ) -> move_resource_state::Response {
        self.moved(request).unwrap_or_else(|problems| move_resource_state::Response {
            diagnostics: problems.into(),
            ..move_resource_state::Response::default()
        })
    }

    /// The same type of the same provider, from any registry, or what the author can take over.
    fn moved(
        &self,
        request: &move_resource_state::Request,
    ) -> Result<move_resource_state::Response, Diagnostics> {
        let resource = self.resource(&request.target_type_name)?;
        let ours = self.provider.source();
        let same_provider = registries::leads_to(&request.source_provider_address, ours);
        if same_provider && request.source_type_name == request.target_type_name {
            return moved_home(resource, request);
        }
        let raw = request.source_state.as_ref();
        let source = MoveSource {
            provider_address: request.source_provider_address.clone(),
            same_provider,
            type_name: request.source_type_name.clone(),
            schema_version: request.source_schema_version,
            state: stored_json(resource.name(), raw)?,
        };
        let json = resource.move_state(source)?.ok_or_else(|| cannot_move(request, ours))?;
        let state = codec::encode(&shaped(resource, json)?, resource.ty())?;
        // What another type remembers, or another provider, means nothing here.
        Ok(move_resource_state::Response {
            target_state: Some(state),
            ..move_resource_state::Response::default()
        })
    }
}

/// What was written by this provider under another address: read as an upgrade reads it, with all
/// that is remembered beside it.
fn moved_home<D>(
    resource: &dyn AnyResource<D>,
    request: &move_resource_state::Request,
) -> Result<move_resource_state::Response, Diagnostics> {
    let raw = request.source_state.as_ref();
    let state = stored(resource, request.source_schema_version, raw)?;
    let (version, raw) = (request.source_identity_schema_version, request.source_identity.as_ref());
    let identity = raw.map(|raw| stored_identity(resource, version, Some(raw))).transpose()?;
    let whole = |data: &ResourceIdentityData| {
        let schema = resource.identity_schema();
        schema.is_some_and(|schema| identity::decode(schema, Some(data)).is_some())
    };
    Ok(move_resource_state::Response {
        target_state: Some(codec::encode(&state, resource.ty())?),
        target_private: request.source_private.clone(),
        target_identity: identity.flatten().filter(whole),
        diagnostics: Vec::new(),
    })
}

fn cannot_move(request: &move_resource_state::Request, ours: &str) -> Diagnostic {
    let (to, from) = (&request.target_type_name, &request.source_type_name);
    let address = &request.source_provider_address;
    Diagnostic::error(
        "Cannot move from there",
        format!(
            "A {to} cannot take over the state of a {from} of {address}, only that of a {to} of \
             {ours}, from any registry. Use `removed` and `import` blocks instead of `moved`."
        ),
    )
}

/// An identity as it was stored, in the shape of today.
fn stored_identity<D>(
    resource: &dyn AnyResource<D>,
    version: i64,
    raw: Option<&RawState>,
) -> Result<Option<ResourceIdentityData>, Diagnostics> {
    let Some(schema) = resource.identity_schema() else {
        return Ok(None);
    };
    if version > schema.version() {
        return Err(newer(resource.name(), "identity", version).into());
    }
    let json = raw.map_or(&[][..], |raw| &raw.json);
    // One that cannot be read counts as none: the next read makes it anew.
    let identity = codec::json::decode(json, &schema.ty(), Mode::Lenient).unwrap_or_default();
    Ok(identity::encode(schema, &identity))
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
