//! `ValidateProviderConfig`, `ValidateResourceConfig`, `ValidateDataResourceConfig`.
//!
//! All faults of a configuration are found in one run. Nothing is said of what is not known yet.

use std::sync::atomic::Ordering;

use terdut_proto::tfplugin6 as proto;

use super::Engine;
use super::guard::guarded_now;
use crate::codec;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::FromValue;
use crate::path::AttributePath;
use crate::provider::Provider;
use crate::schema::{Attribute, Kind};
use crate::value::Value;

impl<P: Provider> Engine<P> {
    pub(super) fn validate_provider(
        &self,
        request: &proto::validate_provider_config::Request,
    ) -> proto::validate_provider_config::Response {
        let mut diagnostics = Diagnostics::new();
        if let Some(config) = diagnostics.take(codec::decode(request.config.as_ref(), &self.ty)) {
            check_all(self.schema.all(), &config, &mut diagnostics);
            if let Some(config) = diagnostics.take(P::Config::from_value(config)) {
                let validate = || self.provider.validate(&config, &mut diagnostics);
                let result = guarded_now("validating the provider block", validate);
                diagnostics.take(result);
            }
        }
        proto::validate_provider_config::Response { diagnostics: diagnostics.into() }
    }

    pub(super) fn validate_resource(
        &self,
        request: &proto::validate_resource_config::Request,
    ) -> proto::validate_resource_config::Response {
        let diagnostics = self.resource_faults(request).unwrap_or_else(Into::into);
        proto::validate_resource_config::Response { diagnostics: diagnostics.into() }
    }

    fn resource_faults(
        &self,
        request: &proto::validate_resource_config::Request,
    ) -> Result<Diagnostics, Diagnostics> {
        let resource = self.resource(&request.type_name)?;
        let config = codec::decode(request.config.as_ref(), resource.ty())?;
        let mut diagnostics = Diagnostics::new();
        let allowed = self.allows_write_only(request.client_capabilities.as_ref());
        refuse_write_only(resource.schema().all(), &config, allowed, &mut diagnostics);
        check_all(resource.schema().all(), &config, &mut diagnostics);
        let doing = format!("validating a {}", resource.name());
        diagnostics.extend(guarded_now(&doing, || resource.validate(config))?);
        Ok(diagnostics)
    }

    pub(super) fn validate_data_source(
        &self,
        request: &proto::validate_data_resource_config::Request,
    ) -> proto::validate_data_resource_config::Response {
        let diagnostics = self.data_source_faults(request).unwrap_or_else(Into::into);
        proto::validate_data_resource_config::Response { diagnostics: diagnostics.into() }
    }

    fn data_source_faults(
        &self,
        request: &proto::validate_data_resource_config::Request,
    ) -> Result<Diagnostics, Diagnostics> {
        let source = self.data_source(&request.type_name)?;
        let config = codec::decode(request.config.as_ref(), source.ty())?;
        let mut diagnostics = Diagnostics::new();
        check_all(source.schema().all(), &config, &mut diagnostics);
        let doing = format!("validating a {}", source.name());
        diagnostics.extend(guarded_now(&doing, || source.validate(config))?);
        Ok(diagnostics)
    }

    /// Whether the host never stores write-only values. Not every host says so with every call,
    /// but each validates before it plans, so what was said once holds.
    pub(super) fn allows_write_only(
        &self,
        capabilities: Option<&proto::ClientCapabilities>,
    ) -> bool {
        if capabilities.is_some_and(|client| client.write_only_attributes_allowed) {
            self.write_only.store(true, Ordering::Relaxed);
        }
        self.write_only.load(Ordering::Relaxed)
    }
}

/// A host that does not know write-only attributes would store them.
pub(super) fn refuse_write_only(
    attributes: &[Attribute],
    config: &Value,
    allowed: bool,
    diagnostics: &mut Diagnostics,
) {
    if allowed {
        return;
    }
    walk(attributes, config, &AttributePath::root(), &mut |attribute, value, path| {
        if attribute.write_only && !value.is_null() {
            diagnostics.push(
                Diagnostic::error(
                    "Write-only attributes are not possible here",
                    format!(
                        "{path} is only for hosts that never store it: Terraform 1.11, OpenTofu \
                         1.11 or newer. Use a newer one, or the attribute without \"_wo\", which \
                         is kept in the state."
                    ),
                )
                .at(path.clone()),
            );
        }
    });
}

pub(super) fn check_all(attributes: &[Attribute], config: &Value, diagnostics: &mut Diagnostics) {
    walk(attributes, config, &AttributePath::root(), &mut |attribute, value, path| {
        if value.is_null() || !value.is_wholly_known() {
            return;
        }
        for check in &attribute.checks {
            if let Err(why) = check.run(value) {
                let summary = format!("Invalid {}", attribute.name);
                diagnostics.push(Diagnostic::error(summary, why).at(path.clone()));
            }
        }
    });
}

/// Visits every attribute of a configuration, nested ones too.
fn walk(
    attributes: &[Attribute],
    object: &Value,
    path: &AttributePath,
    visit: &mut impl FnMut(&Attribute, &Value, &AttributePath),
) {
    for attribute in attributes {
        let Some(value) = object.attribute(&attribute.name) else {
            continue;
        };
        let here = path.clone().attribute(attribute.name.clone());
        visit(attribute, value, &here);
        walk_nested(attribute, value, &here, visit);
    }
}

fn walk_nested(
    attribute: &Attribute,
    value: &Value,
    here: &AttributePath,
    visit: &mut impl FnMut(&Attribute, &Value, &AttributePath),
) {
    match attribute.kind() {
        Kind::Value(_) => {}
        Kind::Single(nested) => walk(nested, value, here, visit),
        Kind::List(nested) => {
            for (index, element) in value.elements().unwrap_or_default().iter().enumerate() {
                walk(nested, element, &here.clone().index(index), visit);
            }
        }
        Kind::Map(nested) => {
            for (key, element) in value.members().into_iter().flatten() {
                walk(nested, element, &here.clone().key(key.clone()), visit);
            }
        }
    }
}
