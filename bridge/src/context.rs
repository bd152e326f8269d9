//! What every controller has at hand.

use std::sync::Arc;

use crate::clock::Clock;
use crate::engine::{Stores, Wake};
use crate::events::Events;
use crate::fence::Fence;
use crate::kube::Kube;
use crate::metrics::Metrics;
use crate::secrets::SecretStore;
use crate::servers::Servers;
use crate::settings::Settings;

/// Made once by `run`; given to all controllers. Tests make one with fakes behind the clients.
#[derive(Debug)]
pub struct Context {
    /// The way to the Kubernetes API.
    pub kube: Kube,
    /// What the watches know.
    pub stores: Stores,
    /// The way to bring objects to their passes.
    pub wake: Wake,
    /// The one recorder of Events.
    pub events: Events,
    /// What is counted.
    pub metrics: Metrics,
    /// What `run` was told.
    pub settings: Arc<Settings>,
    /// Whether this replica may act.
    pub fence: Fence,
    /// The bridge's own Secrets, and those that it may look at.
    pub secrets: SecretStore,
    /// The terdut servers.
    pub servers: Servers,
    /// The time.
    pub clock: Clock,
}
