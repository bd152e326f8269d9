//! The actions: deeds that a person or a life cycle asks for and that no state remembers.

mod send_test_alert;

use terdut_plugin::provider::Registry;

use crate::context::ProviderData;

/// Offers all of them.
pub(crate) fn register(registry: &mut Registry<ProviderData>) {
    registry.action(send_test_alert::SendTestAlert);
}
