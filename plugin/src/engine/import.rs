//! `ImportResourceState`.

use terdut_proto::tfplugin6::import_resource_state::{ImportedResource, Request, Response};

use super::guard::guarded;
use super::{Engine, identity, settle};
use crate::codec;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::provider::Provider;
use crate::resource::{AnyResource, ImportBy};

impl<P: Provider> Engine<P> {
    pub(super) async fn import(&self, request: Request) -> Response {
        match self.imported(request).await {
            Ok(imported) => Response { imported_resources: vec![imported], ..Response::default() },
            Err(diagnostics) => Response { diagnostics: diagnostics.into(), ..Response::default() },
        }
    }

    async fn imported(&self, request: Request) -> Result<ImportedResource, Diagnostics> {
        let resource = self.resource(&request.type_name)?;
        let context = self.context()?;
        let by = import_by(resource, &request)?;
        let stub = resource.import(&context, by).ok_or_else(|| cannot(resource.name()))?;
        let doing = format!("importing a {}", resource.name());
        let mut state = guarded(&doing, stub).await??;
        state.null_unknowns();
        settle::clear_write_only(resource.schema().all(), &mut state);
        Ok(ImportedResource {
            identity: identity::made_or_kept(resource, context.data(), &state, request.identity),
            state: Some(codec::encode(&state, resource.ty())?),
            type_name: request.type_name,
            private: Vec::new().into(),
        })
    }
}

fn import_by<D>(resource: &dyn AnyResource<D>, request: &Request) -> Result<ImportBy, Diagnostic> {
    let Some(data) = request.identity.as_ref().filter(|_| request.id.is_empty()) else {
        return Ok(ImportBy::Id(request.id.clone()));
    };
    let schema = resource.identity_schema();
    let identity = schema.and_then(|schema| identity::decode(schema, Some(data)));
    identity.map(ImportBy::Identity).ok_or_else(|| {
        Diagnostic::error(
            "Import without an id",
            format!("The identity of this {} is empty or of another shape.", resource.name()),
        )
    })
}

fn cannot(name: &str) -> Diagnostic {
    Diagnostic::error("Import is not possible", format!("A {name} cannot be imported."))
}
