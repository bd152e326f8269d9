//! The proxies: they show who asked for what, and disturb exactly what they are told to.

use std::time::Duration;

use http::{Method, StatusCode};
use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::cluster::{
    Client, Cluster, Filter, Moment, Proxy, Routes, Side, Then, Traffic, kind,
};
use terdut_tests::harness::Api;

const SOON: Duration = Duration::from_secs(10);
const AT_ONCE: Duration = Duration::from_millis(500);

/// A proxy before the shared cluster, and a client that goes through it.
struct Scene {
    traffic: Traffic,
    proxy: Proxy,
    client: Client,
    direct: Client,
    namespace: String,
}

impl Scene {
    async fn new() -> Option<Self> {
        let cluster = Cluster::shared()?;
        let namespace = cluster.namespace("proxies", &json!({})).await;
        let token = cluster.service_account(&namespace, "bridge").await;
        let group = "rbac.authorization.k8s.io";
        let metadata = json!({ "name": "maps", "namespace": namespace });
        let role = json!({
            "apiVersion": format!("{group}/v1"), "kind": "Role", "metadata": metadata,
            "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"] }],
        });
        let binding = json!({
            "apiVersion": format!("{group}/v1"), "kind": "RoleBinding", "metadata": metadata,
            "roleRef": { "apiGroup": group, "kind": "Role", "name": "maps" },
            "subjects": [{ "kind": "ServiceAccount", "name": "bridge", "namespace": namespace }],
        });
        for object in [role, binding] {
            cluster.admin().create(&object).await;
        }
        let traffic = Traffic::default();
        let proxy = Proxy::before_cluster(cluster, "a", &traffic);
        let client = Client::new(&proxy.url(), &token, &[]);
        Some(Self { traffic, proxy, client, direct: cluster.admin(), namespace })
    }

    fn map(&self, name: &str) -> Json {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": name, "namespace": self.namespace },
        })
    }

    async fn is_there(&self, name: &str) -> bool {
        self.direct.find(kind::CONFIG_MAP, &self.namespace, name).await.is_some()
    }

    fn creates(&self) -> Filter {
        Filter::api().verb("create").of("configmaps").in_namespace(&self.namespace)
    }
}

#[tokio::test]
async fn requests_are_logged_with_who_what_and_the_answer() {
    let Some(scene) = Scene::new().await else { return };
    scene.client.apply(&scene.map("one")).await;
    let refused = scene.client.try_create(&scene.map("one")).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    let entries = scene.traffic.entries();
    let told: Vec<_> = entries.iter().map(|entry| (entry.verb.as_str(), entry.status)).collect();
    assert_eq!(told, [("apply", Some(201)), ("create", Some(409))]);
    let apply = &entries[0];
    assert_eq!((apply.actor.as_str(), apply.side), ("a", Side::Api));
    assert_eq!(
        (apply.resource.as_str(), apply.namespace.as_str(), apply.name.as_str()),
        ("configmaps", scene.namespace.as_str(), "one")
    );
    assert_eq!(apply.body["metadata"]["name"], "one");
    assert!(apply.arrived <= apply.passed_on.unwrap() && apply.passed_on <= apply.answered);
    assert_eq!(scene.traffic.count(&Filter::any().writes()), 2);
    assert_eq!(scene.traffic.count(&Filter::any().writes().by("b")), 0);
    assert_eq!(scene.traffic.count(&Filter::any().after(1)), 1);
}

#[tokio::test]
async fn a_watch_passes_event_by_event() {
    let Some(scene) = Scene::new().await else { return };
    let mut watch = scene.client.watch(kind::CONFIG_MAP, &scene.namespace).await;
    for name in ["one", "two"] {
        scene.direct.create(&scene.map(name)).await;
        let event = watch.next(SOON).await.expect("an event");
        assert_eq!(
            (&event["type"], &event["object"]["metadata"]["name"]),
            (&json!("ADDED"), &json!(name))
        );
    }
    scene.direct.delete(kind::CONFIG_MAP, &scene.namespace, "one").await;
    assert_eq!(watch.next(SOON).await.expect("an event")["type"], "DELETED");
    assert_eq!(scene.traffic.count(&Filter::any().verb("watch")), 1);
}

#[tokio::test]
async fn a_stream_breaks_when_cut_off_and_waits_when_stalled() {
    let Some(scene) = Scene::new().await else { return };
    let mut watch = scene.client.watch(kind::CONFIG_MAP, &scene.namespace).await;
    scene.traffic.stall(Filter::api());
    scene.direct.create(&scene.map("one")).await;
    assert!(watch.next(AT_ONCE).await.is_none(), "it is stalled");
    scene.traffic.restore();
    assert_eq!(watch.next(SOON).await.expect("an event")["type"], "ADDED");
    scene.traffic.cut_off(Filter::api().by("a"));
    assert!(watch.next(SOON).await.is_none(), "it is broken");
    assert!(!scene.client.answers("/version").await);
    scene.traffic.restore();
    assert!(scene.client.answers("/version").await);
}

#[tokio::test]
async fn a_hook_strikes_once_at_the_request_that_was_counted() {
    let Some(scene) = Scene::new().await else { return };
    let refuse = |_: &_| Then::Answer(503, json!({ "message": "made up" }));
    scene.traffic.hook(scene.creates(), 2, Moment::Before, refuse);
    for (name, status) in [("one", 201), ("two", 503), ("two", 201)] {
        let answer = scene.client.try_create(&scene.map(name)).await;
        assert_eq!(answer.status, status, "{name}: {}", answer.json);
    }
}

#[tokio::test]
async fn a_held_request_has_acted_after_and_not_before() {
    let Some(scene) = Scene::new().await else { return };
    for (moment, name, acted) in [(Moment::Before, "one", false), (Moment::After, "two", true)] {
        let mut held = scene.traffic.hold(scene.creates(), 1, moment);
        let (client, map) = (scene.client.clone(), scene.map(name));
        let sent = tokio::spawn(async move { client.try_create(&map).await });
        let entry = held.reached(SOON).await;
        assert_eq!(entry.body["metadata"]["name"], name);
        assert_eq!(scene.is_there(name).await, acted, "{moment:?}");
        held.release();
        assert_eq!(sent.await.unwrap().status, StatusCode::CREATED);
    }
}

#[tokio::test]
async fn a_dropped_answer_leaves_what_was_done() {
    let Some(scene) = Scene::new().await else { return };
    scene.traffic.hook(scene.creates(), 1, Moment::After, |_| Then::Drop);
    let (client, map) = (scene.client.clone(), scene.map("one"));
    assert!(tokio::spawn(async move { client.try_create(&map).await }).await.is_err());
    assert!(scene.is_there("one").await);
    assert!(scene.proxy.url().starts_with("http://127.0.0.1:"));
}

#[tokio::test]
async fn each_server_is_reached_by_its_object_and_its_keys_are_known() {
    let (one, two) = (Simulator::start(Options::default()), Simulator::start(Options::default()));
    let (routes, traffic) = (Routes::default(), Traffic::default());
    routes.lead("a", "one", one.url());
    routes.lead("b", "two", two.url());
    let proxy = Proxy::before_servers(&routes, "x", &traffic);
    let admin = Api::bootstrap(&format!("{}/a/one", proxy.url())).await;
    let team = admin.team("platform").await;
    admin.get(&format!("/api/teams/{team}/integrations")).await;
    assert!(one.state().team_named("platform").is_some() && two.state().team_count() == 0);
    let routes_seen: Vec<_> =
        traffic.matching(&Filter::terdut().named("one")).into_iter().map(|e| e.resource).collect();
    assert_eq!(routes_seen, ["/api/bootstrap", "/api/teams", "/api/teams/{}/integrations"]);
    assert!(traffic.secrets().contains(&admin.token().to_owned()));
    traffic.cut_off(Filter::terdut().in_namespace("a"));
    let other = Api::new(&format!("{}/b/two", proxy.url()), &two.seed_admin());
    assert_eq!(other.send(Method::GET, "/api/teams", None).await.0, StatusCode::OK);
    let gone = tokio::spawn(async move { admin.get("/api/teams").await });
    assert!(gone.await.is_err(), "it is cut off");
}
