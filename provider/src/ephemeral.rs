//! The ephemeral resources: what a run makes for itself and takes away again.

mod service_account_key;

use terdut_plugin::provider::Registry;

use crate::context::ProviderData;

/// Offers all of them.
pub(crate) fn register(registry: &mut Registry<ProviderData>) {
    registry.ephemeral(service_account_key::EphemeralKey);
}
