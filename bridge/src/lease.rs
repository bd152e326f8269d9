//! Whose turn it is: one replica acts, the others watch.
//!
//! [`machine`] decides (pure), this file reads and writes the Lease and moves the [`Fence`]. Every
//! write names the version that was read, so of two candidates one gets a conflict. Nobody's clock
//! is compared with another's: a lease has expired when this replica has seen no change of it for
//! its duration. The holder stops at its deadline, well before that, whether or not it can reach
//! the API server, and the process goes on. Run by `run`; nothing else writes the Lease.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::api::{Api, ObjectMeta, PostParams};
use tokio_util::sync::CancellationToken;

use self::machine::{Act, Machine, Record, Seen};
use crate::clock::Clock;
use crate::fence::Fence;
use crate::kube::{Kube, KubeClass, KubeError};
use crate::metrics::Metrics;
use crate::settings::Settings;

pub mod machine;

/// The Lease's name, in the bridge's own namespace.
pub const NAME: &str = "terdut-bridge";
/// One read or write of it.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);

/// The loop around the machine.
pub struct Election {
    api: Api<Lease>,
    namespace: String,
    machine: Machine,
    fence: Fence,
    clock: Clock,
    metrics: Metrics,
    request_limit: Duration,
    failing: bool,
}

impl std::fmt::Debug for Election {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Election").field("machine", &self.machine).finish_non_exhaustive()
    }
}

impl Election {
    /// A candidate. `incarnation` makes this process another holder than the one that had its name
    /// before it.
    pub fn new(
        kube: &Kube,
        settings: &Settings,
        incarnation: u32,
        fence: Fence,
        clock: Clock,
        metrics: Metrics,
    ) -> Self {
        let identity = format!("{}_{incarnation:08x}", settings.identity);
        Self {
            api: Api::namespaced(kube.free(), &settings.namespace),
            namespace: settings.namespace.clone(),
            machine: Machine::new(&identity, settings.lease),
            fence,
            clock,
            metrics,
            request_limit: REQUEST_LIMIT.min(settings.lease.deadline / 3),
            failing: false,
        }
    }

    /// Runs until it is stopped; then, if `drained` (no pass runs any more), gives the lease back,
    /// so that another replica need not wait for it to expire.
    pub async fn run(mut self, stop: CancellationToken, drained: impl Future<Output = bool>) {
        self.metrics.leader(NAME, false);
        let mut led = false;
        while stop.run_until_cancelled(self.turn(&mut led)).await.is_some() {}
        // A write that was cut off by the stop may have arrived: the version is read anew.
        if drained.await {
            self.fence.close();
            self.release().await;
        }
        self.metrics.leader(NAME, false);
    }

    /// One look at the lease, what follows from it, and the pause after it.
    async fn turn(&mut self, led: &mut bool) {
        let outcome = self.step().await;
        // The first of a row is said; the rest would say the same every second.
        let failed_before = std::mem::replace(&mut self.failing, outcome.is_err());
        if let Err(error) = outcome.as_ref()
            && !failed_before
        {
            tracing::warn!(error = error_text(error), "the lease cannot be looked at");
        }
        let leads = self.fence.is_ours();
        if leads != *led {
            *led = leads;
            tracing::info!(leads, "leadership changed");
            self.metrics.leader(NAME, leads);
        }
        tokio::time::sleep(self.machine.pause(self.clock.now())).await;
    }

    async fn step(&mut self) -> Result<(), KubeError> {
        let seen = match self.machine.known() {
            Some(seen) => Some(seen.clone()),
            None => self.read().await?,
        };
        let sent = self.clock.now();
        let written = match self.machine.decide(seen, sent, self.clock.wall()) {
            Act::Watch => return Ok(()),
            Act::Create(record) => self.create(&record).await,
            Act::Replace { version, record } => self.replace(&version, &record).await,
        };
        match written {
            Ok(seen) => {
                if let Some(deadline) = self.machine.written(seen, sent) {
                    self.fence.open_until(deadline);
                }
                Ok(())
            }
            // Somebody else wrote it first, or removed it.
            Err(error) if matches!(error.class, KubeClass::Conflict | KubeClass::NotFound) => {
                self.machine.forget();
                Ok(())
            }
            Err(error) => {
                self.machine.forget();
                Err(error)
            }
        }
    }

    async fn release(&mut self) {
        let seen = match self.read().await {
            Ok(seen) => seen,
            Err(error) => {
                tracing::warn!(error = error_text(&error), "the lease was not given back");
                return;
            }
        };
        let Some((version, record)) = seen.and_then(|seen| self.machine.release(&seen)) else {
            return;
        };
        match self.replace(&version, &record).await {
            Ok(_) => tracing::info!("the lease is given back"),
            Err(error) => {
                tracing::warn!(error = error_text(&error), "the lease was not given back");
            }
        }
    }

    async fn read(&self) -> Result<Option<Seen>, KubeError> {
        let lease = self.limited("get", self.api.get_opt(NAME)).await?;
        Ok(lease.as_ref().map(seen_of))
    }

    async fn create(&self, record: &Record) -> Result<Seen, KubeError> {
        let (parameters, lease) = (PostParams::default(), self.lease(None, record));
        let created = self.limited("create", self.api.create(&parameters, &lease)).await?;
        Ok(seen_of(&created))
    }

    async fn replace(&self, version: &str, record: &Record) -> Result<Seen, KubeError> {
        let (parameters, lease) = (PostParams::default(), self.lease(Some(version), record));
        let replaced = self.limited("replace", self.api.replace(NAME, &parameters, &lease)).await?;
        Ok(seen_of(&replaced))
    }

    async fn limited<T>(
        &self,
        verb: &'static str,
        request: impl Future<Output = Result<T, kube::Error>>,
    ) -> Result<T, KubeError> {
        let object = format!("Lease {}/{NAME}", self.namespace);
        match tokio::time::timeout(self.request_limit, request).await {
            Ok(answer) => answer.map_err(KubeError::doing(verb, &object)),
            Err(late) => Err(KubeError::new(verb, object, kube::Error::Service(late.into()))),
        }
    }

    fn lease(&self, version: Option<&str>, record: &Record) -> Lease {
        Lease {
            metadata: ObjectMeta {
                name: Some(NAME.to_owned()),
                namespace: Some(self.namespace.clone()),
                resource_version: version.map(str::to_owned),
                ..ObjectMeta::default()
            },
            spec: Some(LeaseSpec {
                holder_identity: Some(record.holder.clone()),
                lease_duration_seconds: Some(record.seconds),
                acquire_time: record.acquired.map(MicroTime),
                renew_time: record.renewed.map(MicroTime),
                lease_transitions: Some(record.transitions),
                ..LeaseSpec::default()
            }),
        }
    }
}

fn seen_of(lease: &Lease) -> Seen {
    let spec = lease.spec.clone().unwrap_or_default();
    Seen {
        version: lease.metadata.resource_version.clone().unwrap_or_default(),
        record: Record {
            holder: spec.holder_identity.unwrap_or_default(),
            seconds: spec.lease_duration_seconds.unwrap_or_default(),
            acquired: spec.acquire_time.map(|time| time.0),
            renewed: spec.renew_time.map(|time| time.0),
            transitions: spec.lease_transitions.unwrap_or_default(),
        },
    }
}

/// The whole chain: the class alone does not say why.
fn error_text(error: &KubeError) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    format!("{error}: {cause}")
}

#[cfg(test)]
mod tests;
