//! The bridge against a real Kubernetes API server: what the suites in `tests/tests` build on.
//!
//! Where its programs are missing, [`Cluster::shared`] says so and gives `None`; in CI that fails.
//!
//! ```no_run
//! # async fn example() {
//! use terdut_tests::cluster::{Cluster, Filter, Moment, Site, kind};
//!
//! let Some(cluster) = Cluster::shared() else { return };
//! let site = Site::new(cluster, 2).await; // a bridge's namespace, two tenants' namespaces
//! let simulator = site.serve(site.tenant(0), "main"); // behind the TerdutServer "main"
//! let bridge = site.start().await; // or start_with(site.options("b").flag("resync-interval", "0"))
//! let client = site.client(); // JSON objects; kubectl: cluster.kubectl()
//! # let manifest = serde_json::json!({});
//! client.apply(&manifest).await;
//! client.wait_ready(kind::SERVER, site.tenant(0), "main").await;
//! assert_eq!(simulator.state().users().len(), 1);
//! assert_eq!(site.traffic.count(&Filter::terdut().verb("post").of("/api/bootstrap")), 1);
//! // kill -9 at the second POST, after the server acted and before it answers:
//! site.traffic.kill_at(Filter::terdut().verb("post"), 2, Moment::After);
//! # drop(bridge);
//! # }
//! ```
//!
//! - [`Cluster`]: etcd, API server and controllers, one for all tests of a program; `fresh()` for a
//!   test that changes what others rely on. `namespace`, `service_account`, `client`, `kubectl`;
//!   `start_bridge` and `kubelet` for programs that need no [`Site`].
//! - [`Client`]: `create`, `apply`, `get`, `find`, `list`, `patch`, `annotate`, `delete`, `watch`; a
//!   `try_` form gives the [`Answer`] whatever it is. `wait`, `wait_condition`, `wait_ready`,
//!   `wait_reason`, `wait_gone` have a limit (`within`) and say why they waited in vain.
//!   [`conditions`] reads conditions, [`manifests`] reads YAML.
//! - [`Kubectl`]: what a person does: `run`, `apply`, `wait_condition`. [`helm`] is where Helm is.
//! - [`Site`]: one installation of the bridge with [`Rights`], its tenants, its terdut servers
//!   ([`Routes`], `serve`), a [`Kubelet`] that makes Deployments available (`break_pods`), and all
//!   requests of its bridges ([`Traffic`]).
//! - [`Traffic`]: the log ([`Entry`]), `count(&Filter)`, and disturbances: `cut_off`, `stall`,
//!   `delay`, `answer` until `restore`; `hook`, `hold` and `kill_at` at the n-th request, before it
//!   is passed on or after the upstream acted. The actor of a request is the bridge's identity, so
//!   that one replica of two can be cut off.
//! - [`Bridge`]: the program: `kill9`, `stop_well`, `process().stop()` and `.resume()`, `.memory()`,
//!   `.processor_time()`; `logs`, `get("/readyz")`, `metric`. When it is dropped, a panic or a key in
//!   its log fails the test.

mod assets;
mod bridge;
mod client;
pub mod conditions;
mod control_plane;
mod crds;
mod guard;
mod http;
mod kubectl;
mod kubelet;
pub mod manifests;
mod process;
mod proxy;
mod site;
mod traffic;

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use ::http::Method;
use assets::Assets;
pub use assets::helm;
use control_plane::{ADMIN, ControlPlane, kubeconfig_of};
use serde_json::{Value as Json, json};

pub use bridge::{Bridge, LogLine, Options as BridgeOptions};
pub use client::{Answer, Client, Kind, Watch, kind};
pub use crds::documents as crd_documents;
pub use kubectl::{Kubectl, Ran};
pub use kubelet::Kubelet;
pub use process::{Lines, Process};
pub use proxy::{Proxy, Routes};
pub use site::{Rights, Site};
pub use traffic::{Entry, Filter, Held, Moment, Side, Then, Traffic};

/// A running control plane with the project's kinds installed.
#[derive(Debug)]
pub struct Cluster {
    plane: ControlPlane,
}

impl Cluster {
    /// The control plane that all tests of this program share; `None` where its programs are
    /// missing, which has been said then.
    ///
    /// # Panics
    /// If it does not come up, here and below.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        SHARED.get_or_init(Self::fresh).as_ref()
    }

    /// One of its own, for a test that changes what others rely on.
    pub fn fresh() -> Option<Self> {
        let assets = Assets::find()?;
        // A runtime of its own: the caller's may be the one that waits for this.
        let start = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.expect("a runtime can be made");
            runtime.block_on(ControlPlane::start(&assets))
        };
        let plane = std::thread::spawn(start).join().unwrap_or_else(|panic| {
            std::panic::resume_unwind(panic);
        });
        Some(Self { plane })
    }

    /// The address of the API server.
    pub fn url(&self) -> &str {
        &self.plane.url
    }

    /// The user who may do everything.
    pub fn admin(&self) -> Client {
        self.client(ADMIN)
    }

    /// The user of a token.
    pub fn client(&self, token: &str) -> Client {
        Client::new(self.url(), token, std::slice::from_ref(&self.plane.certificate))
    }

    /// A person who may do everything.
    pub fn kubectl(&self) -> Kubectl {
        self.kubectl_of("admin", ADMIN)
    }

    /// The person of a token; the name tells kubeconfigs apart.
    pub fn kubectl_of(&self, name: &str, token: &str) -> Kubectl {
        Kubectl {
            program: self.plane.kubectl.clone(),
            kubeconfig: self.kubeconfig(name, token),
            home: self.plane.folder.path().to_owned(),
        }
    }

    /// A bridge as the user of a token, without proxies before anything: what it does is neither
    /// logged nor slowed down.
    ///
    /// # Panics
    /// With its log, if it does not listen.
    pub async fn start_bridge(&self, options: &BridgeOptions, token: &str) -> Bridge {
        let kubeconfig = self.kubeconfig(&unique(options.identity()), token);
        let mut bridge = Bridge::spawn(options, &kubeconfig, &Traffic::default(), Vec::new());
        bridge.listens().await;
        bridge
    }

    /// What makes Deployments available, in the namespaces that it is told of.
    pub fn kubelet(&self) -> Kubelet {
        let base = self.admin();
        Kubelet::start(move || base.detached())
    }

    /// A file that leads a program to this cluster as the user of a token.
    pub fn kubeconfig(&self, name: &str, token: &str) -> PathBuf {
        let text = kubeconfig_of(self.url(), Some(&self.plane.certificate_file), token);
        self.write(&format!("{name}.kubeconfig"), &text)
    }

    /// A namespace that no other test has, with these labels.
    pub async fn namespace(&self, prefix: &str, labels: &Json) -> String {
        let name = unique(prefix);
        let metadata = json!({ "name": name, "labels": labels });
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": metadata });
        self.admin().create(&namespace).await;
        name
    }

    /// A service account with its token; it may do nothing yet.
    pub async fn service_account(&self, namespace: &str, name: &str) -> String {
        let admin = self.admin();
        if admin.find(kind::SERVICE_ACCOUNT, namespace, name).await.is_none() {
            admin
                .create(&json!({
                    "apiVersion": "v1", "kind": "ServiceAccount",
                    "metadata": { "name": name, "namespace": namespace },
                }))
                .await;
        }
        let path = format!("{}/token", kind::SERVICE_ACCOUNT.object(namespace, name));
        let request = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": { "expirationSeconds": 86_400 },
        });
        let answer = admin.send(Method::POST, &path, "application/json", Some(&request)).await;
        let answer = answer.expect();
        answer["status"]["token"].as_str().expect("a token is answered").to_owned()
    }

    /// Writes a file into the cluster's folder, which goes away with it.
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.plane.folder.path().join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path
    }
}

/// A name that nobody else in this program has.
pub fn unique(prefix: &str) -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
