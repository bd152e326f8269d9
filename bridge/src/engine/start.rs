//! The engine as `run` starts it: the watches, then one runner a kind.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::namespaces::watches::Watches;
use super::placed::Placed;
use super::timing::Timing;
use super::{Controller, Stores, Wake, runner, watching};
use crate::clock::Clock;
use crate::crd::{
    TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutServer, TerdutTeam,
};
use crate::fence::Fence;
use crate::kube::Kube;
use crate::metrics::Metrics;
use crate::settings::Settings;

/// What the tasks of the engine share; cheap to clone.
#[derive(Clone)]
pub(super) struct Parts {
    pub(super) kube: Kube,
    pub(super) stores: Stores,
    pub(super) wake: Wake,
    pub(super) metrics: Metrics,
    pub(super) fence: Fence,
    pub(super) clock: Clock,
    pub(super) namespace_watches: Watches,
}

/// The engine. Its tasks end with it.
pub struct Engine {
    parts: Parts,
    timing: Timing,
    concurrency: usize,
    watched: Option<BTreeSet<String>>,
    stop: CancellationToken,
    watches: JoinSet<()>,
    runners: JoinSet<bool>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine that does nothing yet. It stops when the token is cancelled.
    pub fn new(
        kube: Kube,
        settings: &Settings,
        fence: Fence,
        clock: Clock,
        metrics: Metrics,
        stop: CancellationToken,
    ) -> Self {
        let stores = Stores::new(settings.watch_namespaces.as_ref());
        let wake = Wake::new(stores.clone(), clock.clone(), &metrics);
        let namespace_watches = Watches::new(kube.clone(), stores.clone(), wake.clone());
        Self {
            parts: Parts { kube, stores, wake, metrics, fence, clock, namespace_watches },
            timing: Timing {
                retry_base: settings.retry_base,
                retry_cap: settings.retry_cap,
                resync_interval: settings.resync_interval,
            },
            concurrency: settings.concurrency,
            watched: settings.watch_namespaces.clone(),
            stop,
            watches: JoinSet::new(),
            runners: JoinSet::new(),
        }
    }

    /// What the watches know.
    pub fn stores(&self) -> Stores {
        self.parts.stores.clone()
    }

    /// The way to bring objects to their passes.
    pub fn wake(&self) -> Wake {
        self.parts.wake.clone()
    }

    /// Starts all watches.
    pub fn watch(&mut self) {
        self.watch_kind::<TerdutServer>();
        self.watch_kind::<TerdutTeam>();
        self.watch_kind::<TerdutEscalationRule>();
        self.watch_kind::<TerdutDeadmanSwitch>();
        self.watch_kind::<TerdutAlertSource>();
        let watches = self.parts.namespace_watches.clone();
        match &self.watched {
            None => self.watches.spawn(watches.clone().follow_labels()),
            Some(names) => {
                let names = names.iter().cloned().collect();
                self.watches.spawn(watches.clone().poll_labels(names))
            }
        };
        self.watches.spawn(watches.await_kinds());
    }

    fn watch_kind<K: Placed>(&mut self) {
        match &self.watched {
            None => {
                self.watches.spawn(watching::watch::<K>(self.parts.clone(), None));
            }
            Some(names) => {
                for name in names {
                    let scope = Some(name.clone());
                    self.watches.spawn(watching::watch::<K>(self.parts.clone(), scope));
                }
            }
        }
    }

    /// Starts the passes of one kind.
    pub fn control<C>(&mut self, controller: C)
    where
        C: Controller,
        C::Object: Placed,
    {
        self.runners.spawn(runner::run(
            self.parts.clone(),
            Arc::new(controller),
            self.timing,
            self.concurrency,
            self.stop.clone(),
        ));
    }

    /// Resolves when the engine was stopped and no pass runs any more: whether none was cut short.
    pub async fn drained(mut self) -> bool {
        let mut drained = true;
        while let Some(ended) = self.runners.join_next().await {
            drained &= ended.unwrap_or(false);
        }
        drained
    }
}
