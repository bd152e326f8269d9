//! What `run` is told, checked before anything starts.
//!
//! [`RunArgs`] is the command line with its variables, all texts; [`Settings::check`] turns it into
//! values and names every setting that cannot be used, in one go. Nothing here reads the
//! environment: what is not clap's comes in as a function.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use terdut_core::value::GoDuration;

mod server_url;

pub use server_url::{InvalidServerUrl, ServerUrl};

/// Settings of `run`. Durations are Go durations: 90s, 10m, 1h30m.
#[derive(Debug, Clone, Args)]
pub struct RunArgs {
    /// The namespace that the bridge runs in: its lease and all credential Secrets are there.
    /// Else `POD_NAMESPACE`, else `terdut-bridge`.
    #[arg(long, env = "TERDUT_BRIDGE_NAMESPACE", value_name = "NAME")]
    pub namespace: Option<String>,
    /// Look only into these namespaces, separated by commas; then no cluster-wide right is needed.
    #[arg(long, env = "TERDUT_BRIDGE_WATCH_NAMESPACES", value_name = "NAMES")]
    pub watch_namespaces: Option<String>,
    /// The name of this replica in the lease. Else `POD_NAME`, else the host's name.
    #[arg(long, env = "TERDUT_BRIDGE_IDENTITY", value_name = "NAME")]
    pub identity: Option<String>,
    /// How often objects are compared with the server when nothing has changed; 0 is never.
    #[arg(
        long,
        env = "TERDUT_BRIDGE_RESYNC_INTERVAL",
        default_value = "10m",
        value_name = "DURATION"
    )]
    pub resync_interval: String,
    /// Replace the bridge's own keys when they are older; 0 is never.
    #[arg(
        long,
        env = "TERDUT_BRIDGE_ROTATE_CREDENTIALS_AFTER",
        default_value = "0",
        value_name = "DURATION"
    )]
    pub rotate_credentials_after: String,
    /// How many objects of one kind are worked on at once.
    #[arg(long, env = "TERDUT_BRIDGE_CONCURRENCY", default_value = "8", value_name = "N")]
    pub concurrency: String,
    /// Where a TerdutServer's API is reached, with {name}, {namespace} and {port} filled in.
    #[arg(
        long,
        env = "TERDUT_BRIDGE_SERVER_URL",
        default_value = "http://{name}.{namespace}.svc:{port}",
        value_name = "URL"
    )]
    pub server_url: String,
    /// How long a standby waits after the last sign of the leader before it takes over.
    #[arg(
        long,
        env = "TERDUT_BRIDGE_LEASE_DURATION",
        default_value = "35s",
        value_name = "DURATION"
    )]
    pub lease_duration: String,
    /// How long after its last renewal the leader still acts; shorter than the lease's duration.
    #[arg(
        long,
        env = "TERDUT_BRIDGE_LEASE_DEADLINE",
        default_value = "30s",
        value_name = "DURATION"
    )]
    pub lease_deadline: String,
    /// How often the leader renews; shorter than the deadline.
    #[arg(long, env = "TERDUT_BRIDGE_LEASE_RETRY", default_value = "5s", value_name = "DURATION")]
    pub lease_retry: String,
    /// The pause after an object's first failure; it doubles with each further one.
    #[arg(long, env = "TERDUT_BRIDGE_RETRY_BASE", default_value = "1s", value_name = "DURATION")]
    pub retry_base: String,
    /// The longest pause after a failure.
    #[arg(long, env = "TERDUT_BRIDGE_RETRY_CAP", default_value = "5m", value_name = "DURATION")]
    pub retry_cap: String,
    /// Where /healthz, /readyz and /metrics are served; port 0 takes a free one, which is logged.
    #[arg(
        long,
        env = "TERDUT_BRIDGE_LISTEN",
        default_value = "0.0.0.0:8080",
        value_name = "ADDRESS"
    )]
    pub listen: String,
    /// How log lines look: text or json. They go to standard error.
    #[arg(long, env = "TERDUT_BRIDGE_LOG_FORMAT", default_value = "text", value_name = "FORMAT")]
    pub log_format: String,
    /// How much is logged: error, warn, info, debug or trace.
    #[arg(long, env = "TERDUT_BRIDGE_LOG_LEVEL", default_value = "info", value_name = "LEVEL")]
    pub log_level: String,
    /// The file that says how the Kubernetes API is reached. Else `KUBECONFIG`, else the service
    /// account of the pod.
    #[arg(long, env = "TERDUT_BRIDGE_KUBECONFIG", value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// The times of the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTimes {
    /// When others may take it, after the last change that they saw.
    pub duration: Duration,
    /// When the holder stops, after its last renewal.
    pub deadline: Duration,
    /// How often it is renewed.
    pub retry: Duration,
}

/// Settings of `run` that can be used.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The bridge's own namespace.
    pub namespace: String,
    /// The namespaces that are looked into; none means all.
    pub watch_namespaces: Option<BTreeSet<String>>,
    /// This replica's name.
    pub identity: String,
    /// How often objects are re-read; none means never.
    pub resync_interval: Option<Duration>,
    /// When keys are replaced; none means never.
    pub rotate_credentials_after: Option<Duration>,
    /// Passes at once, for each kind.
    pub concurrency: usize,
    /// Where servers are.
    pub server_url: ServerUrl,
    /// The lease's times.
    pub lease: LeaseTimes,
    /// The pause after a first failure.
    pub retry_base: Duration,
    /// The longest pause.
    pub retry_cap: Duration,
    /// Where health and metrics are served.
    pub listen: SocketAddr,
    /// How log lines look.
    pub log_format: LogFormat,
    /// How much is logged.
    pub log_level: tracing::Level,
    /// How the Kubernetes API is reached.
    pub kubeconfig: Option<PathBuf>,
}

/// One setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--{setting}: {message}")]
pub struct SettingProblem {
    /// Its name on the command line, without dashes.
    pub setting: &'static str,
    /// What is wrong with it and what would do.
    pub message: String,
}

impl Settings {
    /// Checks all; `environment` answers for the variables that Kubernetes sets.
    pub fn check(
        args: &RunArgs,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Vec<SettingProblem>> {
        let mut check = Check { problems: Vec::new() };
        let first = |given: &Option<String>, variables: &[&str], fallback: &str| {
            let from_environment = || variables.iter().find_map(|name| environment(name));
            let value = given.clone().filter(|text| !text.is_empty()).or_else(from_environment);
            value.filter(|text| !text.is_empty()).unwrap_or_else(|| fallback.to_owned())
        };
        let settings = Self {
            namespace: first(&args.namespace, &["POD_NAMESPACE"], "terdut-bridge"),
            watch_namespaces: args.watch_namespaces.as_deref().and_then(|text| check.names(text)),
            identity: first(&args.identity, &["POD_NAME", "HOSTNAME"], "terdut-bridge"),
            resync_interval: check.optional("resync-interval", &args.resync_interval),
            rotate_credentials_after: check
                .optional("rotate-credentials-after", &args.rotate_credentials_after),
            concurrency: check.concurrency(&args.concurrency),
            server_url: check.server_url(&args.server_url),
            lease: check.lease(args),
            retry_base: check.positive("retry-base", &args.retry_base),
            retry_cap: check.positive("retry-cap", &args.retry_cap),
            listen: check.listen(&args.listen),
            log_format: check.log_format(&args.log_format),
            log_level: check.log_level(&args.log_level),
            kubeconfig: args.kubeconfig.clone().filter(|path| !path.as_os_str().is_empty()),
        };
        if !is_label(&settings.namespace) {
            check.add("namespace", "is not the name of a namespace");
        }
        if settings.retry_cap < settings.retry_base {
            check.add("retry-cap", "must not be shorter than --retry-base");
        }
        if check.problems.is_empty() { Ok(settings) } else { Err(check.problems) }
    }
}

struct Check {
    problems: Vec<SettingProblem>,
}

impl Check {
    fn add(&mut self, setting: &'static str, message: impl Into<String>) {
        self.problems.push(SettingProblem { setting, message: message.into() });
    }

    fn duration(&mut self, setting: &'static str, text: &str) -> Option<Duration> {
        match text.trim().parse::<GoDuration>() {
            Ok(duration) if duration.nanos() < 0 => {
                self.add(setting, format!("{text:?} is negative"));
                None
            }
            Ok(duration) => Some(duration.to_std()),
            Err(error) => {
                self.add(setting, error.to_string());
                None
            }
        }
    }

    fn optional(&mut self, setting: &'static str, text: &str) -> Option<Duration> {
        self.duration(setting, text).filter(|duration| !duration.is_zero())
    }

    /// Something is returned in any case, so that the other settings are checked too.
    fn positive(&mut self, setting: &'static str, text: &str) -> Duration {
        match self.duration(setting, text) {
            Some(duration) if duration.is_zero() => {
                self.add(setting, "must be longer than zero");
                duration
            }
            duration => duration.unwrap_or_default(),
        }
    }

    fn lease(&mut self, args: &RunArgs) -> LeaseTimes {
        let before = self.problems.len();
        let times = LeaseTimes {
            duration: self.positive("lease-duration", &args.lease_duration),
            deadline: self.positive("lease-deadline", &args.lease_deadline),
            retry: self.positive("lease-retry", &args.lease_retry),
        };
        if self.problems.len() > before {
            return times;
        }
        if times.duration < Duration::from_secs(1) {
            self.add("lease-duration", "must be at least 1s: a Lease counts in seconds");
        }
        if times.deadline >= times.duration {
            self.add("lease-deadline", "must be shorter than --lease-duration");
        }
        if times.retry >= times.deadline {
            self.add("lease-retry", "must be shorter than --lease-deadline");
        }
        times
    }

    fn names(&mut self, text: &str) -> Option<BTreeSet<String>> {
        let names: BTreeSet<String> = text
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        for name in names.iter().filter(|name| !is_label(name)) {
            self.add("watch-namespaces", format!("{name:?} is not the name of a namespace"));
        }
        (!names.is_empty()).then_some(names)
    }

    fn concurrency(&mut self, text: &str) -> usize {
        let number = text.trim().parse().ok().filter(|number| (1..=256).contains(number));
        number.unwrap_or_else(|| {
            self.add("concurrency", format!("{text:?} is not a number from 1 to 256"));
            1
        })
    }

    fn server_url(&mut self, text: &str) -> ServerUrl {
        text.parse().unwrap_or_else(|error: InvalidServerUrl| {
            self.add("server-url", error.to_string());
            ServerUrl::default()
        })
    }

    fn listen(&mut self, text: &str) -> SocketAddr {
        text.trim().parse().unwrap_or_else(|_| {
            self.add("listen", format!("{text:?} is not an address with a port, as 0.0.0.0:8080"));
            SocketAddr::from(([0, 0, 0, 0], 0))
        })
    }

    fn log_format(&mut self, text: &str) -> LogFormat {
        match text.trim() {
            "text" => LogFormat::Text,
            "json" => LogFormat::Json,
            _ => {
                self.add("log-format", format!("{text:?} is neither text nor json"));
                LogFormat::Text
            }
        }
    }

    fn log_level(&mut self, text: &str) -> tracing::Level {
        text.trim().parse().unwrap_or_else(|_| {
            self.add("log-level", format!("{text:?} is none of error, warn, info, debug, trace"));
            tracing::Level::INFO
        })
    }
}

/// A DNS label, as namespaces are named.
fn is_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=63).contains(&text.len())
        && text.bytes().all(inner)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

#[cfg(test)]
pub(crate) mod tests;
