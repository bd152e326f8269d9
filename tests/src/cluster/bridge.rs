//! The bridge's program, run as a pod would run it.
//!
//! Called by [`super::Site`], with proxies before the API server and terdut servers, and by
//! [`super::Cluster`], without. Its log is JSON on standard error. When it is dropped, nothing of a panic and no key
//! may stand in its log.

mod logs;
mod options;

use std::time::Duration;

use http::StatusCode;

pub use logs::LogLine;
pub use options::Options;

use super::client::Client;
use super::process::{Lines, Process};
use super::proxy::Proxy;
use super::traffic::Traffic;
use crate::harness::{Binary, wait_for, wait_for_value};

const STARTED_WITHIN: Duration = Duration::from_secs(30);
/// How a panic reads before and after the log is set up.
const PANICS: [&str; 2] = ["panicked at", "a task panicked"];
const ENDED_WITHIN: Duration = Duration::from_secs(30);

/// A bridge that runs, or ran.
#[derive(Debug)]
pub struct Bridge {
    process: Process,
    identity: String,
    traffic: Traffic,
    address: String,
    _proxies: Vec<Proxy>,
}

impl Bridge {
    /// Starts the program; the caller waits for it.
    pub(super) fn spawn(
        options: &Options,
        kubeconfig: &std::path::Path,
        traffic: &Traffic,
        proxies: Vec<Proxy>,
    ) -> Self {
        let identity = options.identity().to_owned();
        let mut command = Binary::bridge().command();
        command.arg("run").args(options.arguments()).arg("--kubeconfig").arg(kubeconfig);
        // Elsewhere a pod's; here the surroundings must not choose another cluster.
        for name in
            ["KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "POD_NAMESPACE"]
        {
            command.env_remove(name);
        }
        command.envs(options.variables());
        let process = Process::start(&identity, &mut command);
        traffic.client_is(&identity, process.pid());
        let address = String::new();
        Self { process, identity, traffic: traffic.clone(), address, _proxies: proxies }
    }

    /// Waits until it says where it listens.
    ///
    /// # Panics
    /// With its log, if it does not or ends.
    pub(super) async fn listens(&mut self) {
        let found = || async { self.bound().or_else(|| self.ended().then(String::new)) };
        let address = wait_for_value("the bridge listens", STARTED_WITHIN, found).await;
        assert!(!address.is_empty(), "the bridge ended:\n{}", self.lines().tail(40));
        self.address = address;
    }

    fn bound(&self) -> Option<String> {
        let logs = self.logs();
        let line = logs.iter().find(|line| line.message() == "listening")?;
        line.text("address").map(str::to_owned)
    }

    /// Its identity, which is also its actor in the log of requests.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The process.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Whether it has ended.
    pub fn ended(&self) -> bool {
        self.process.ended().is_some()
    }

    /// What it printed.
    pub fn lines(&self) -> &Lines {
        self.process.lines()
    }

    /// What it logged.
    pub fn logs(&self) -> Vec<LogLine> {
        self.lines().all().iter().filter_map(|line| LogLine::parse(line)).collect()
    }

    /// `kill -9`.
    pub fn kill9(&self) {
        self.process.kill9();
    }

    /// SIGTERM, and waits until it has drained and ended well.
    pub async fn stop_well(&self) {
        self.process.term();
        let status = self.process.wait(ENDED_WITHIN).await;
        assert!(status.success(), "the bridge ended with {status}:\n{}", self.lines().tail(40));
    }

    /// An answer of its own HTTP port: `/healthz`, `/readyz`, `/metrics`.
    pub async fn get(&self, path: &str) -> (StatusCode, String) {
        Client::plain_get(&format!("http://{}{path}", self.address)).await
    }

    /// The sum of a metric over all its labels; 0 if it is not there.
    pub async fn metric(&self, name: &str) -> f64 {
        let (_, text) = self.get("/metrics").await;
        logs::sum_of(&text, name)
    }

    /// Waits until it is ready.
    pub async fn wait_ready(&self) {
        let ready = || async { self.get("/readyz").await.0.is_success() };
        wait_for("the bridge is ready", STARTED_WITHIN, ready).await;
    }

    /// Looks for what may stand in no log: a panic, and every key that went through the proxies.
    ///
    /// # Panics
    /// If there is one.
    pub fn check_logs(&self) {
        let secrets = self.traffic.secrets();
        for line in self.lines().all() {
            let panicked = PANICS.iter().any(|words| line.contains(words));
            assert!(!panicked, "{} panicked: {line}", self.identity);
            let shown = secrets.iter().position(|secret| line.contains(secret.as_str()));
            assert!(shown.is_none(), "{} logs a key: {line}", self.identity);
        }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // A test that failed says why itself.
        if !std::thread::panicking() {
            self.check_logs();
        }
    }
}
