//! What is counted, under the names that controller-runtime made usual.
//!
//! One value, made at the start and cloned wherever something is counted; [`Metrics::text`] is
//! what `/metrics` answers. No label ever names an object (its series would outlive it) and none
//! holds a path: keys are in some, so requests to terdut go by their route template.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use terdut_client::Observer;

/// Labels in the order in which they are written.
type Labels = Vec<(&'static str, String)>;
type Times = Family<Labels, Histogram, fn() -> Histogram>;

/// How a pass ended, as controller-runtime counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassResult {
    /// Nothing is left to do.
    Success,
    /// It comes back by itself, without an error.
    Requeue,
    /// It failed and comes back after a while.
    Error,
}

impl PassResult {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Requeue => "requeue_after",
            Self::Error => "error",
        }
    }
}

/// All metrics; cheap to clone.
#[derive(Clone)]
pub struct Metrics(Arc<Inner>);

struct Inner {
    registry: Registry,
    passes: Family<Labels, Counter>,
    pass_errors: Family<Labels, Counter>,
    pass_panics: Family<Labels, Counter>,
    pass_times: Times,
    active: Family<Labels, Gauge>,
    concurrency: Family<Labels, Gauge>,
    depth: Family<Labels, Gauge>,
    adds: Family<Labels, Counter>,
    retries: Family<Labels, Counter>,
    waits: Times,
    kubernetes_requests: Family<Labels, Counter>,
    kubernetes_times: Times,
    terdut_requests: Family<Labels, Counter>,
    terdut_times: Times,
    leader: Family<Labels, Gauge>,
    lease_transitions: Family<Labels, Counter>,
    watch_errors: Family<Labels, Counter>,
    objects: Family<Labels, Gauge>,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

/// Milliseconds to a minute: what a pass and a request take.
fn times() -> Histogram {
    Histogram::new([0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0])
}

fn family() -> Times {
    Family::new_with_constructor(times as fn() -> Histogram)
}

impl Metrics {
    /// Nothing counted yet.
    pub fn new() -> Self {
        let mut inner = Inner {
            registry: Registry::default(),
            passes: Family::default(),
            pass_errors: Family::default(),
            pass_panics: Family::default(),
            pass_times: family(),
            active: Family::default(),
            concurrency: Family::default(),
            depth: Family::default(),
            adds: Family::default(),
            retries: Family::default(),
            waits: family(),
            kubernetes_requests: Family::default(),
            kubernetes_times: family(),
            terdut_requests: Family::default(),
            terdut_times: family(),
            leader: Family::default(),
            lease_transitions: Family::default(),
            watch_errors: Family::default(),
            objects: Family::default(),
        };
        inner.register_passes();
        inner.register_requests();
        inner.register_state();
        Self(Arc::new(inner))
    }

    /// A pass began.
    pub fn pass_started(&self, kind: &'static str, waited: Duration) {
        self.0.active.get_or_create(&controller(kind)).inc();
        self.0.waits.get_or_create(&queue(kind)).observe(waited.as_secs_f64());
    }

    /// A pass ended.
    pub fn pass_ended(&self, kind: &'static str, result: PassResult, took: Duration) {
        self.0.active.get_or_create(&controller(kind)).dec();
        let mut labels = controller(kind);
        labels.push(("result", result.as_str().to_owned()));
        self.0.passes.get_or_create(&labels).inc();
        self.0.pass_times.get_or_create(&controller(kind)).observe(took.as_secs_f64());
        if result == PassResult::Error {
            self.0.pass_errors.get_or_create(&controller(kind)).inc();
            self.0.retries.get_or_create(&queue(kind)).inc();
        }
    }

    /// A pass panicked, which is a fault of the bridge.
    pub fn pass_panicked(&self, kind: &'static str) {
        self.0.pass_panics.get_or_create(&controller(kind)).inc();
    }

    /// So many passes of that kind may run at once.
    pub fn concurrency(&self, kind: &'static str, passes: usize) {
        let passes = i64::try_from(passes).unwrap_or(i64::MAX);
        self.0.concurrency.get_or_create(&controller(kind)).set(passes);
        // From the start, so that a rate over them has a beginning.
        self.0.pass_panics.get_or_create(&controller(kind)).inc_by(0);
        self.0.pass_errors.get_or_create(&controller(kind)).inc_by(0);
        self.0.active.get_or_create(&controller(kind)).inc_by(0);
    }

    /// So many objects of that kind wait for a pass.
    pub fn queue_depth(&self, kind: &'static str, depth: usize) {
        let depth = i64::try_from(depth).unwrap_or(i64::MAX);
        self.0.depth.get_or_create(&queue(kind)).set(depth);
    }

    /// An object was queued.
    pub fn queued(&self, kind: &'static str) {
        self.0.adds.get_or_create(&queue(kind)).inc();
    }

    /// A request to the Kubernetes API was answered, or was not.
    pub fn kubernetes_request(&self, method: &str, host: &str, code: &str, took: Duration) {
        let labels = vec![
            ("code", code.to_owned()),
            ("host", host.to_owned()),
            ("method", method.to_owned()),
        ];
        self.0.kubernetes_requests.get_or_create(&labels).inc();
        let labels = vec![("host", host.to_owned()), ("verb", method.to_owned())];
        self.0.kubernetes_times.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// A request to a terdut server was answered, or was not (code `<error>`). The route is its
    /// template.
    pub fn terdut_request(&self, method: &str, route: &'static str, code: &str, took: Duration) {
        let labels = vec![
            ("code", code.to_owned()),
            ("method", method.to_owned()),
            ("route", route.to_owned()),
        ];
        self.0.terdut_requests.get_or_create(&labels).inc();
        let labels = vec![("method", method.to_owned()), ("route", route.to_owned())];
        self.0.terdut_times.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// What a terdut client tells of its attempts, for its settings.
    pub fn observer(&self) -> Observer {
        let metrics = self.clone();
        Observer::new(move |attempt| {
            let code = attempt.status.map_or("<error>".to_owned(), |status| status.to_string());
            metrics.terdut_request(attempt.method, attempt.route, &code, attempt.took);
        })
    }

    /// Whether this replica is the leader.
    pub fn leader(&self, lease: &str, leads: bool) {
        let labels = vec![("name", lease.to_owned())];
        let before = self.0.leader.get_or_create(&labels).set(i64::from(leads));
        if before != i64::from(leads) {
            self.0.lease_transitions.get_or_create(&labels).inc();
        }
    }

    /// A watch of objects of that kind failed and starts again.
    pub fn watch_failed(&self, kind: &'static str) {
        self.0.watch_errors.get_or_create(&vec![("kind", kind.to_owned())]).inc();
    }

    /// So many objects of that kind have that status of Ready.
    pub fn objects(&self, kind: &'static str, ready: &str, count: usize) {
        let labels = vec![("kind", kind.to_owned()), ("ready", ready.to_owned())];
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.0.objects.get_or_create(&labels).set(count);
    }

    /// Everything in the text format of OpenMetrics.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a String does not fail.
        let _ = encode(&mut text, &self.0.registry);
        text
    }
}

fn controller(kind: &'static str) -> Labels {
    vec![("controller", kind.to_owned())]
}

fn queue(kind: &'static str) -> Labels {
    vec![("name", kind.to_owned())]
}

impl Inner {
    fn register_passes(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "controller_runtime_reconcile",
            "Passes by how they ended",
            self.passes.clone(),
        );
        registry.register(
            "controller_runtime_reconcile_errors",
            "Passes that failed",
            self.pass_errors.clone(),
        );
        registry.register(
            "controller_runtime_reconcile_panics",
            "Passes that panicked",
            self.pass_panics.clone(),
        );
        registry.register(
            "controller_runtime_reconcile_time_seconds",
            "How long passes take",
            self.pass_times.clone(),
        );
        registry.register(
            "controller_runtime_active_workers",
            "Passes under way",
            self.active.clone(),
        );
        registry.register(
            "controller_runtime_max_concurrent_reconciles",
            "Passes that may be under way at once",
            self.concurrency.clone(),
        );
        registry.register("workqueue_depth", "Objects that wait for a pass", self.depth.clone());
        registry.register("workqueue_adds", "Objects that were queued", self.adds.clone());
        registry.register(
            "workqueue_retries",
            "Objects queued after a failure",
            self.retries.clone(),
        );
        registry.register(
            "workqueue_queue_duration_seconds",
            "How long objects wait for a pass",
            self.waits.clone(),
        );
    }

    fn register_requests(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "rest_client_requests",
            "Requests to the Kubernetes API",
            self.kubernetes_requests.clone(),
        );
        registry.register(
            "rest_client_request_duration_seconds",
            "How long the Kubernetes API takes to begin an answer",
            self.kubernetes_times.clone(),
        );
        registry.register(
            "terdut_client_requests",
            "Requests to terdut servers, by route template",
            self.terdut_requests.clone(),
        );
        registry.register(
            "terdut_client_request_duration_seconds",
            "How long terdut servers take to answer",
            self.terdut_times.clone(),
        );
    }

    fn register_state(&mut self) {
        let registry = &mut self.registry;
        registry.register(
            "leader_election_master_status",
            "1 on the replica that leads",
            self.leader.clone(),
        );
        registry.register(
            "leader_election_transitions",
            "How often this replica became the leader or ceased to be",
            self.lease_transitions.clone(),
        );
        registry.register(
            "terdut_bridge_watch_errors",
            "Watches that failed and started again",
            self.watch_errors.clone(),
        );
        registry.register(
            "terdut_bridge_objects",
            "Custom resources by kind and status of Ready",
            self.objects.clone(),
        );
    }
}

#[cfg(test)]
mod tests;
