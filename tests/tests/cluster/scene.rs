//! What most suites begin with: a server that somebody runs, a tenant beside it, and a bridge.
//!
//! The server's key is handed in, so that a suite about teams and their children needs nothing of
//! what a server's own installation needs. Suites say here what a manifest is; they must never say
//! here what they expect of the bridge.

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::cluster::{Bridge, Client, Cluster, Kind, Site, conditions, kind};

/// The kinds below a team.
pub(crate) const CHILDREN: [Kind; 3] = [kind::RULE, kind::SWITCH, kind::SOURCE];
/// The first id that the scene's server gives out.
const FIRST_ID: i64 = 7_340_033;
/// The label that selectors in these suites ask for; every namespace of a site has it.
pub(crate) const LABEL: &str = "terdut.ryuvia.com/allowed";

/// A site whose first tenant runs the server `main`, and whose further tenants may use it.
pub(crate) struct Scene<'a> {
    pub(crate) site: Site<'a>,
    pub(crate) client: Client,
    /// The terdut server behind `main`.
    pub(crate) simulator: Simulator,
}

impl<'a> Scene<'a> {
    /// With so many tenants, and with what the server's owner allows.
    pub(crate) async fn new(cluster: &'a Cluster, tenants: usize, allowed: &Json) -> Self {
        Self::over(Site::new(cluster, tenants).await, allowed).await
    }

    /// The same on a site that a test has prepared.
    pub(crate) async fn over(site: Site<'a>, allowed: &Json) -> Self {
        let client = site.client();
        // Ids that turn up nowhere by chance.
        let simulator = Simulator::start(Options { first_id: FIRST_ID, ..Options::default() });
        let scene = Self { site, client, simulator };
        scene.add_server(scene.host(), "main", allowed).await;
        scene
    }

    /// The namespace of the server.
    pub(crate) fn host(&self) -> &str {
        self.site.tenant(0)
    }

    /// The namespace of the first tenant who runs no server.
    pub(crate) fn guest(&self) -> &str {
        self.site.tenant(1)
    }

    /// A `TerdutServer` with a key that is handed in; the scene's terdut server is behind it.
    pub(crate) async fn add_server(&self, namespace: &str, name: &str, allowed: &Json) {
        self.site.routes.lead(namespace, name, self.simulator.url());
        self.hand_in(namespace, name, &self.simulator.seed_admin()).await;
        self.client.apply(&password(namespace)).await;
        self.client.apply(&server(namespace, name, allowed)).await;
    }

    /// Hands in a key for the server of that place.
    pub(crate) async fn hand_in(&self, namespace: &str, name: &str, key: &str) {
        self.client.apply(&credential(&self.site.own, namespace, name, key)).await;
    }

    /// Says anew what the server's owner allows.
    pub(crate) async fn allow(&self, allowed: &Json) {
        let patch = json!({ "spec": { "allowedTeams": allowed } });
        self.client.patch(kind::SERVER, self.host(), "main", &patch).await;
    }

    /// Starts the bridge.
    pub(crate) async fn start(&self) -> Bridge {
        self.site.start().await
    }

    /// Applies a team of that name in a tenant's namespace, on the server `main`.
    pub(crate) async fn add_team(&self, namespace: &str, name: &str, display: &str) {
        self.client.apply(&team(namespace, name, (self.host(), "main"), display)).await;
    }

    /// A team `platform` with a child of each kind of the same name, all ready; the team's id.
    pub(crate) async fn settle(&self, namespace: &str, display: &str) -> i64 {
        self.add_team(namespace, "platform", display).await;
        self.add_children(namespace, "platform").await;
        self.client.wait_ready(kind::TEAM, namespace, "platform").await;
        self.children_ready(namespace, "platform").await;
        let team = self.simulator.state().team_named(display).expect("the team was made");
        team.team.id
    }

    /// Applies a child of each kind below a team, named as the team.
    pub(crate) async fn add_children(&self, namespace: &str, team: &str) {
        for child in [rule(namespace, team), switch(namespace, team), source(namespace, team)] {
            self.client.apply(&child).await;
        }
    }

    /// Waits until all three of that name are ready.
    pub(crate) async fn children_ready(&self, namespace: &str, name: &str) {
        for kind in CHILDREN {
            self.client.wait_ready(kind, namespace, name).await;
        }
    }

    /// Waits until all three of that name have a reason in Ready.
    pub(crate) async fn children_say(&self, namespace: &str, name: &str, reason: &str) {
        for kind in CHILDREN {
            self.client.wait_reason(kind, namespace, name, "Ready", reason).await;
        }
    }

    /// Has the bridge look at an object again, twice, and waits until it has.
    pub(crate) async fn passes(&self, of: Kind, namespace: &str, name: &str) {
        let seen = |found: Option<&Json>| {
            found.is_some_and(|found| {
                found["status"]["observedGeneration"] == found["metadata"]["generation"]
            })
        };
        for policy in ["Retain", "Delete"] {
            let patch = json!({ "spec": { "deletionPolicy": policy } });
            self.client.patch(of, namespace, name, &patch).await;
            self.client.wait(of, namespace, name, "looked at", seen).await;
        }
    }

    /// All that is on the server and that a team or a key could change.
    pub(crate) fn on_server(&self) -> Json {
        contents(&self.simulator)
    }

    /// The Events about an object, each as `reason: note`.
    pub(crate) async fn events(&self, namespace: &str, of: Kind, name: &str) -> Vec<String> {
        let events = self.client.list(kind::EVENT, namespace).await;
        let about = events.iter().filter(|event| {
            event["regarding"]["kind"] == of.kind && event["regarding"]["name"] == name
        });
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        about.map(|event| format!("{}: {}", text(&event["reason"]), text(&event["note"]))).collect()
    }
}

/// All that is on a server and that a team or a key could change, in a fixed order.
pub(crate) fn contents(simulator: &Simulator) -> Json {
    let state = simulator.state();
    let keys: Vec<_> = state.keys().iter().map(|key| json!([key.id, key.name])).collect();
    json!({
        "teams": state.teams(),
        "accounts": state.accounts(),
        "users": state.users(),
        "keys": keys,
    })
}

/// The message of a condition.
pub(crate) fn message<'o>(object: &'o Json, condition: &str) -> &'o str {
    conditions::find(object, condition)
        .and_then(|condition| condition["message"].as_str())
        .unwrap_or_default()
}

/// The password of the database of all servers of a namespace.
fn password(namespace: &str) -> Json {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": { "name": "database", "namespace": namespace },
        "stringData": { "password": "example-only" },
    })
}

/// A server with a key that is handed in.
pub(crate) fn server(namespace: &str, name: &str, allowed: &Json) -> Json {
    object(
        kind::SERVER,
        namespace,
        name,
        &json!({
            "image": { "tag": "v1" },
            "database": {
                "dsn": "postgres://terdut@database:5432/terdut?sslmode=require",
                "passwordSecretRef": { "name": "database", "key": "password" },
            },
            "credentialsSecretRef": { "name": credential_name(namespace, name) },
            "allowedTeams": allowed,
        }),
    )
}

/// The Secret in the bridge's namespace with which a key is handed in.
pub(crate) fn credential(own: &str, namespace: &str, name: &str, key: &str) -> Json {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "name": credential_name(namespace, name), "namespace": own,
            "labels": { "terdut.ryuvia.com/credential": "true" },
            "annotations": { "terdut.ryuvia.com/server": format!("{namespace}/{name}") },
        },
        "stringData": { "token": key },
    })
}

/// The name of that Secret.
pub(crate) fn credential_name(namespace: &str, name: &str) -> String {
    format!("handed-in-{namespace}-{name}")
}

/// A team on the server of a place.
pub(crate) fn team(namespace: &str, name: &str, server: (&str, &str), display: &str) -> Json {
    object(
        kind::TEAM,
        namespace,
        name,
        &json!({
            "serverRef": { "namespace": server.0, "name": server.1 },
            "displayName": display,
        }),
    )
}

/// A rule of a team.
pub(crate) fn rule(namespace: &str, team: &str) -> Json {
    object(
        kind::RULE,
        namespace,
        team,
        &json!({
            "teamRef": { "name": team },
            "levels": [{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }],
        }),
    )
}

/// A switch of a team.
pub(crate) fn switch(namespace: &str, team: &str) -> Json {
    object(
        kind::SWITCH,
        namespace,
        team,
        &json!({
            "teamRef": { "name": team },
            "name": "watchdog", "matcher": "alertname=Watchdog", "timeout": "15m",
        }),
    )
}

/// An alert source of a team.
pub(crate) fn source(namespace: &str, team: &str) -> Json {
    object(
        kind::SOURCE,
        namespace,
        team,
        &json!({
            "teamRef": { "name": team }, "name": "alertmanager",
        }),
    )
}

/// An object of one of our kinds.
pub(crate) fn object(kind: Kind, namespace: &str, name: &str, spec: &Json) -> Json {
    json!({
        "apiVersion": kind.api_version(), "kind": kind.kind,
        "metadata": { "name": name, "namespace": namespace },
        "spec": spec,
    })
}

/// What lets all namespaces that carry [`LABEL`] use a server.
pub(crate) fn labelled() -> Json {
    let selector = json!({ "matchLabels": { LABEL: "true" } });
    json!({ "namespaces": { "from": "Selector", "selector": selector } })
}

/// What lets a class of namespaces use a server.
pub(crate) fn from(from: &str) -> Json {
    json!({ "namespaces": { "from": from } })
}
