//! Identities: echoed in every answer, made where the state tells them, refused where they change.

use terdut_proto::tfplugin6::ResourceIdentityData;

use crate::codec;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::resource::AnyResource;
use crate::schema::IdentitySchema;
use crate::value::Value;

/// What the host sent. Missing, null, or of another shape (an older version) counts as none.
pub(super) fn decode(
    schema: &IdentitySchema,
    data: Option<&ResourceIdentityData>,
) -> Option<Value> {
    let value = codec::decode(data?.identity_data.as_ref(), &schema.ty()).ok()?;
    let any = value.members()?.values().any(|member| !member.is_null());
    any.then_some(value)
}

pub(super) fn encode(schema: &IdentitySchema, identity: &Value) -> Option<ResourceIdentityData> {
    let data = codec::encode(identity, &schema.ty()).ok()?;
    Some(ResourceIdentityData { identity_data: Some(data) })
}

/// The identity that a state has, or the one that was there where the state does not tell.
pub(super) fn made_or_kept<D>(
    resource: &dyn AnyResource<D>,
    data: &D,
    state: &Value,
    current: Option<ResourceIdentityData>,
) -> Option<ResourceIdentityData> {
    let schema = resource.identity_schema()?;
    let made = resource.identity(data, state).and_then(|identity| encode(schema, &identity));
    made.or(current)
}

/// The identity that is there, or the one that the state has where none is (an older provider
/// wrote none).
pub(super) fn kept_or_made<D>(
    resource: &dyn AnyResource<D>,
    data: &D,
    state: &Value,
    current: Option<ResourceIdentityData>,
) -> Option<ResourceIdentityData> {
    let schema = resource.identity_schema()?;
    if decode(schema, current.as_ref()).is_some() {
        return current;
    }
    resource.identity(data, state).and_then(|identity| encode(schema, &identity))
}

/// The identity that a state has; if the object has become another one, the one that was there and
/// an error.
pub(super) fn made_unless_changed<D>(
    resource: &dyn AnyResource<D>,
    data: &D,
    state: &Value,
    before: Option<ResourceIdentityData>,
    diagnostics: &mut Diagnostics,
) -> Option<ResourceIdentityData> {
    let schema = resource.identity_schema()?;
    let made = made_or_kept(resource, data, state, before.clone());
    match refuse_change(schema, before.as_ref(), made.as_ref()) {
        Some(changed) => {
            diagnostics.push(changed);
            before
        }
        None => made,
    }
}

/// An object keeps its identity for life, but for what its schema says may change.
pub(super) fn refuse_change(
    schema: &IdentitySchema,
    before: Option<&ResourceIdentityData>,
    after: Option<&ResourceIdentityData>,
) -> Option<Diagnostic> {
    let (before, after) = (decode(schema, before)?, decode(schema, after)?);
    let changed = schema.attributes().iter().find(|attribute| {
        let (before, after) =
            (before.attribute(attribute.name()), after.attribute(attribute.name()));
        !attribute.is_mutable() && before.is_some_and(|it| !it.is_null()) && before != after
    })?;
    Some(Diagnostic::error(
        "The object's identity changed",
        format!(
            "The state stands for an object with another {}. Remove it from the state and import \
             the object that is meant.",
            changed.name()
        ),
    ))
}
