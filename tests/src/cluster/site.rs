//! One installation of the bridge: its namespace, its tenants' namespaces, its rights, the terdut
//! servers, and the proxies between.
//!
//! Each test has a site of its own on the shared cluster; sites do not see each other, since a bridge
//! watches only its site's namespaces.

mod rights;

use std::sync::Mutex;

use serde_json::{Value as Json, json};
use terdut_simulator::{Options as SimulatorOptions, Simulator};

pub use rights::Rights;

use super::bridge::{Bridge, Options};
use super::client::{Client, kind};
use super::control_plane::kubeconfig_of;
use super::kubelet::Kubelet;
use super::process::{Lines, lock};
use super::proxy::{Proxy, Routes};
use super::traffic::Traffic;
use super::{Cluster, unique};

const ACCOUNT: &str = "terdut-bridge";

/// One installation.
#[derive(Debug)]
pub struct Site<'a> {
    cluster: &'a Cluster,
    /// The bridge's own namespace.
    pub own: String,
    tenants: Vec<String>,
    token: String,
    /// Every request of the site's bridges.
    pub traffic: Traffic,
    /// Which server is behind which object.
    pub routes: Routes,
    /// What makes Deployments available.
    pub kubelet: Kubelet,
    lines: Mutex<Vec<Lines>>,
}

impl<'a> Site<'a> {
    /// One with as many tenants' namespaces, which carry the label
    /// `terdut.ryuvia.com/allowed: "true"`.
    pub async fn new(cluster: &'a Cluster, tenants: usize) -> Self {
        let own = cluster.namespace("bridge", &json!({})).await;
        let token = cluster.service_account(&own, ACCOUNT).await;
        let kubelet = cluster.kubelet();
        let mut site = Self {
            cluster,
            own,
            tenants: Vec::new(),
            token,
            traffic: Traffic::default(),
            routes: Routes::default(),
            kubelet,
            lines: Mutex::default(),
        };
        let own = site.own.clone();
        site.grant(&own, &Rights::own()).await;
        for _ in 0..tenants {
            site.add_tenant(&json!({ "terdut.ryuvia.com/allowed": "true" })).await;
        }
        site
    }

    /// One more tenant's namespace, with these labels and all rights; bridges that are started from
    /// now on watch it.
    pub async fn add_tenant(&mut self, labels: &Json) -> String {
        let namespace = self.cluster.namespace("tenant", labels).await;
        self.grant(&namespace, &Rights::tenant(&namespace)).await;
        self.kubelet.look_after(&namespace);
        self.tenants.push(namespace.clone());
        namespace
    }

    /// The namespace of a tenant, counted from 0.
    pub fn tenant(&self, number: usize) -> &str {
        &self.tenants[number]
    }

    /// The cluster.
    pub fn cluster(&self) -> &'a Cluster {
        self.cluster
    }

    /// The user who may do everything; what it waits for in vain is explained with the last lines of
    /// the bridges that run.
    pub fn client(&self) -> Client {
        self.cluster.admin().with_witnesses(lock(&self.lines).clone())
    }

    /// A fresh terdut server behind the `TerdutServer` of that place.
    pub fn serve(&self, namespace: &str, name: &str) -> Simulator {
        self.serve_with(namespace, name, SimulatorOptions::default())
    }

    /// A terdut server with options.
    pub fn serve_with(&self, namespace: &str, name: &str, options: SimulatorOptions) -> Simulator {
        let simulator = Simulator::start(options);
        self.routes.lead(namespace, name, simulator.url());
        simulator
    }

    /// Grants the bridge rights in a namespace; more than one grant adds up.
    pub async fn grant(&self, namespace: &str, rights: &Rights) {
        let name = unique("terdut-bridge");
        let metadata = json!({ "name": name, "namespace": namespace });
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": metadata, "rules": rights.rules(),
        });
        self.bind(role, "RoleBinding").await;
    }

    /// Grants the bridge rights in the whole cluster. Only on a cluster of one's own.
    pub async fn grant_everywhere(&self, rights: &Rights) {
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": { "name": unique("terdut-bridge") }, "rules": rights.rules(),
        });
        self.bind(role, "ClusterRoleBinding").await;
    }

    /// Takes all of the bridge's rights in a namespace away.
    pub async fn revoke(&self, namespace: &str) {
        let admin = self.cluster.admin();
        for binding in admin.list(kind::ROLE_BINDING, namespace).await {
            let name = binding["metadata"]["name"].as_str().expect("a binding has a name");
            admin.delete(kind::ROLE_BINDING, namespace, name).await;
        }
    }

    async fn bind(&self, role: Json, kind: &str) {
        let admin = self.cluster.admin();
        admin.create(&role).await;
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
            "metadata": role["metadata"],
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": role["kind"],
                "name": role["metadata"]["name"],
            },
            "subjects": [{ "kind": "ServiceAccount", "name": ACCOUNT, "namespace": self.own }],
        });
        admin.create(&binding).await;
    }

    /// The options of a bridge that watches this site's tenants.
    pub fn options(&self, identity: &str) -> Options {
        let options = Options::new(identity).flag("namespace", &self.own);
        options.flag("watch-namespaces", &self.tenants.join(","))
    }

    /// Starts a bridge with its usual options.
    pub async fn start(&self) -> Bridge {
        self.start_with(self.options("bridge-a")).await
    }

    /// Starts a bridge and waits until it listens.
    ///
    /// # Panics
    /// If it does not.
    pub async fn start_with(&self, options: Options) -> Bridge {
        let mut bridge = self.spawn(options);
        bridge.listens().await;
        bridge
    }

    /// Starts a bridge without waiting for anything, for one that is to end at once.
    pub fn spawn(&self, options: Options) -> Bridge {
        let identity = options.identity().to_owned();
        let api = Proxy::before_cluster(self.cluster, &identity, &self.traffic);
        let servers = Proxy::before_servers(&self.routes, &identity, &self.traffic);
        let text = kubeconfig_of(&api.url(), None, &self.token);
        let file = self.cluster.write(&format!("{}.kubeconfig", unique(&identity)), &text);
        let url = format!("{}{}", servers.url(), Routes::TEMPLATE);
        let options = options.default_flag("server-url", &url);
        let bridge = Bridge::spawn(&options, &file, &self.traffic, vec![api, servers]);
        lock(&self.lines).push(bridge.lines().clone());
        bridge
    }
}
