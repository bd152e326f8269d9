//! The managed resources, a file for each kind.

pub mod alert_source;
pub mod deadman_switch;
pub mod escalation_rule;
pub mod server;
pub mod service_account;
pub mod service_account_key;
pub mod team;
pub mod user;

use terdut_plugin::provider::Registry;
use terdut_plugin::resource::ResourceEntry;

use crate::context::ProviderData;
use crate::object::resource;

/// Lists them.
pub(crate) fn register(registry: &mut Registry<ProviderData>) {
    registry
        .resource(resource::<alert_source::AlertSourceObject>())
        .resource(resource::<deadman_switch::DeadmanSwitchObject>())
        .resource(resource::<escalation_rule::EscalationRuleObject>())
        .resource(ResourceEntry::new(server::ServerResource).importable().identified())
        .resource(resource::<service_account::ServiceAccountObject>())
        .resource(resource::<service_account_key::ServiceAccountKeyObject>())
        .resource(resource::<team::TeamObject>())
        .resource(resource::<user::UserObject>());
}
