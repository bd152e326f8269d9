//! What an attacker can write, and that it opens nothing.

use serde_json::{Value, json};
use terdut_core::api::{Reply, Request};
use terdut_core::ids::TeamId;
use terdut_core::record::InstanceRecord;
use terdut_core::secret::SecretString;

use super::*;
use crate::crd::TerdutAlertSource;
use crate::secrets::SecretStore;
use crate::status::{Reason, State};
use crate::testing::{Fixture, OWN, held, namespace, team_on};

/// A source of that team.
fn source_of(namespace: &str, team: &str) -> TerdutAlertSource {
    let source = json!({
        "metadata": { "namespace": namespace, "name": "source" },
        "spec": { "teamRef": { "name": team }, "name": "source" },
    });
    serde_json::from_value(source).unwrap()
}

/// A server in `oncall` that allows `allowed`, with a key of ours, and a tenant beside it.
struct Scene {
    fixture: Fixture,
    server: Value,
    key: String,
}

impl Scene {
    async fn start(allowed: Value) -> Self {
        let (fixture, server) = Fixture::with_server(&allowed).await;
        for name in ["oncall", "tenant"] {
            fixture.cluster.put(&namespace(name, &json!({ "name": name })));
        }
        let kept = fixture.context.secrets.kept::<InstanceRecord>("oncall", "main").unwrap();
        let key = kept.record.held.token.unwrap().expose().to_owned();
        Self { fixture, server, key }
    }

    fn uid(&self) -> String {
        self.server["metadata"]["uid"].as_str().unwrap().to_owned()
    }

    fn put(&self, object: &Value) -> Value {
        self.fixture.cluster.put(object)
    }

    async fn team(&self, namespace: &str, name: &str) -> Result<TeamAccess, Refused> {
        self.fixture.in_sync().await;
        let stores = &self.fixture.context.stores;
        super::team(&self.fixture.context, &stores.teams().get(namespace, name).unwrap()).await
    }

    async fn child(&self, namespace: &str, team: &str) -> Result<ChildAccess, Refused> {
        self.fixture.in_sync().await;
        super::child(&self.fixture.context, &source_of(namespace, team)).await
    }

    /// The record of a team, with a key that works.
    async fn record(&self, team: &Value, change: impl FnOnce(&mut TeamRecord)) -> TeamRecord {
        let text = |field: &str| team["metadata"][field].as_str().unwrap().to_owned();
        let mut record = TeamRecord {
            owner_uid: text("uid"),
            server_uid: self.uid(),
            server: ("oncall".to_owned(), "main".to_owned()),
            name: text("name"),
            before: [].into(),
            team: Some(TeamId(42)),
            held: held(&self.key),
        };
        change(&mut record);
        let secrets = &self.fixture.context.secrets;
        secrets.create(&text("namespace"), &text("name"), &record).await.unwrap();
        record
    }

    /// That nobody has asked the server anything.
    fn assert_silent(&self) {
        assert_eq!(self.fixture.simulator.requests(), []);
    }
}

fn state<T: std::fmt::Debug>(access: Result<T, Refused>) -> State {
    access.unwrap_err().state().unwrap()
}

fn reason<T: std::fmt::Debug>(access: Result<T, Refused>) -> Reason {
    state(access).reason
}

#[tokio::test]
async fn an_allowed_team_and_its_children_reach_their_server() {
    let scene = Scene::start(json!({ "from": "All" })).await;
    let team = scene.put(&team_on("tenant", "a", ("oncall", "main")));
    let access = scene.team("tenant", "a").await.unwrap();
    assert!(!access.permit.may_adopt());
    let teams = access.caller().call(Request::ListTeams).await.unwrap();
    assert!(matches!(teams, Reply::Teams(_)));
    assert_eq!(reason(scene.child("tenant", "a").await), Reason::WaitingForTeam);
    let record = scene.record(&team, |_| {}).await;
    let child = scene.child("tenant", "a").await.unwrap();
    assert_eq!(child.record, record);
    child.caller.call(Request::ListTeams).await.unwrap();
}

#[tokio::test]
async fn a_stranger_learns_nothing_and_nothing_is_read_for_them() {
    let refused_by = [
        json!({}),
        json!({ "from": "None" }),
        json!({ "from": "Same" }),
        json!({ "from": "Selector", "selector": { "matchLabels": { "name": "other" } } }),
        json!({ "from": "Selector" }),
        json!({ "from": "Nonsense" }),
    ];
    for allowed in refused_by {
        let scene = Scene::start(allowed.clone()).await;
        scene.put(&team_on("tenant", "forbidden", ("oncall", "main")));
        scene.put(&team_on("tenant", "missing", ("oncall", "nothing")));
        scene.put(&team_on("tenant", "nowhere", ("no-such-namespace", "main")));
        scene.fixture.in_sync().await;
        scene.fixture.cluster.take_lines();
        let forbidden = state(scene.team("tenant", "forbidden").await);
        assert_eq!(forbidden.reason, Reason::RefNotPermitted, "{allowed}");
        for other in ["missing", "nowhere"] {
            assert_eq!(state(scene.team("tenant", other).await), forbidden, "{allowed}");
        }
        let child = state(scene.child("tenant", "forbidden").await);
        assert_eq!(child.reason, Reason::WaitingForTeam);
        assert_eq!(state(scene.child("tenant", "missing").await), child);
        assert_eq!(scene.fixture.cluster.take_lines(), Vec::<String>::new());
        scene.assert_silent();
    }
}

#[tokio::test]
async fn consent_that_is_taken_back_stops_team_and_children_at_once() {
    let scene = Scene::start(json!({ "from": "All" })).await;
    let team = scene.put(&team_on("tenant", "a", ("oncall", "main")));
    let record = scene.record(&team, |_| {}).await;
    assert!(scene.child("tenant", "a").await.is_ok());
    scene.put(&scene.fixture.server("oncall", "main", &json!({ "from": "Same" })));
    assert_eq!(reason(scene.team("tenant", "a").await), Reason::RefNotPermitted);
    assert_eq!(reason(scene.child("tenant", "a").await), Reason::WaitingForTeam);

    // What was made may still be removed.
    let context = &scene.fixture.context;
    let server = context.stores.servers().get("oncall", "main").unwrap();
    let team: TerdutTeam = serde_json::from_value(team).unwrap();
    assert!(team_removal(context, &team, server, &record).await.is_ok());
}

#[tokio::test]
async fn a_namespaces_labels_decide_also_when_they_change() {
    let selector = json!({ "matchLabels": { "name": "tenant" } });
    let scene = Scene::start(json!({ "from": "Selector", "selector": selector })).await;
    scene.put(&team_on("tenant", "a", ("oncall", "main")));
    assert!(scene.team("tenant", "a").await.is_ok());
    scene.put(&namespace("tenant", &json!({ "name": "somebody" })));
    assert_eq!(reason(scene.team("tenant", "a").await), Reason::RefNotPermitted);
}

#[tokio::test]
async fn forged_statuses_and_annotations_lead_nowhere() {
    let scene = Scene::start(json!({ "from": "Same" })).await;
    // A tenant's server that claims the other's key, and a team on it that claims another's.
    let mut server = scene.fixture.server("tenant", "mine", &json!({ "from": "All" }));
    server["metadata"]["annotations"] = json!({ "terdut.ryuvia.com/of": "oncall/main" });
    server["status"] = json!({
        "conditions": [], "url": "http://victim",
        "credentialsSecretRef": { "name": "oncall.main-instance-credentials", "key": "token" },
    });
    scene.put(&server);
    let mut team = team_on("tenant", "a", ("tenant", "mine"));
    team["metadata"]["annotations"] = json!({ "terdut.ryuvia.com/record": "{\"team\":42}" });
    team["status"] = json!({
        "conditions": [], "teamID": "42",
        "credentialsSecretRef": { "name": "oncall.b-team-credentials", "key": "token" },
    });
    scene.put(&team);
    let victim = scene.put(&team_on("oncall", "b", ("oncall", "main")));
    scene.record(&victim, |_| {}).await;
    assert_eq!(reason(scene.team("tenant", "a").await), Reason::WaitingForServer);
    assert_eq!(reason(scene.child("tenant", "a").await), Reason::WaitingForTeam);
    scene.assert_silent();
}

#[tokio::test]
async fn a_credential_is_handed_in_for_the_server_that_it_names_only() {
    let scene = Scene::start(json!({ "from": "Same" })).await;
    scene.put(&json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "namespace": OWN, "name": "handed-in",
            "labels": { "terdut.ryuvia.com/credential": "true" },
            "annotations": { "terdut.ryuvia.com/server": "oncall/second" },
        },
        "data": { "token": "Y2FuYXJ5" },
    }));
    for (namespace, name, secret, allowed) in [
        ("oncall", "second", "handed-in", true),
        ("oncall", "third", "handed-in", false),
        ("tenant", "second", "handed-in", false),
        ("tenant", "fourth", "oncall.main-instance-credentials", false),
        ("tenant", "fifth", "no-such-secret", false),
    ] {
        let mut server = scene.fixture.server(namespace, name, &json!({ "from": "Same" }));
        server["spec"]["credentialsSecretRef"] = json!({ "name": secret });
        scene.put(&server);
        scene.put(&team_on(namespace, name, (namespace, name)));
        let access = scene.team(namespace, name).await;
        if allowed {
            assert_eq!(access.unwrap().instance.token, SecretString::new("canary"));
        } else {
            assert_eq!(reason(access), Reason::WaitingForServer, "{namespace}/{name}");
        }
    }
    scene.assert_silent();
}

#[tokio::test]
async fn a_server_that_was_made_anew_does_not_get_the_old_ones_keys() {
    let scene = Scene::start(json!({ "from": "All" })).await;
    let team = scene.put(&team_on("tenant", "a", ("oncall", "main")));
    let record = scene.record(&team, |_| {}).await;
    scene.fixture.cluster.delete("TerdutServer", "oncall", "main");
    scene.put(&scene.fixture.server("oncall", "main", &json!({ "from": "All" })));
    assert_eq!(reason(scene.team("tenant", "a").await), Reason::WaitingForServer);
    assert_eq!(reason(scene.child("tenant", "a").await), Reason::WaitingForTeam);
    let context = &scene.fixture.context;
    let server = context.stores.servers().get("oncall", "main").unwrap();
    let team: TerdutTeam = serde_json::from_value(team).unwrap();
    let removal =
        child_removal(context, &source_of("tenant", "a"), &server, &team, record.clone()).await;
    assert_eq!(reason(removal), Reason::RefNotPermitted);
    assert_eq!(
        reason(team_removal(context, &team, server, &record).await),
        Reason::WaitingForServer
    );
    scene.assert_silent();
}

#[tokio::test]
async fn a_name_that_leads_to_another_server_meanwhile_gets_no_key() {
    let scene = Scene::start(json!({ "from": "All" })).await;
    scene.put(&team_on("tenant", "a", ("oncall", "main")));
    scene.fixture.in_sync().await;
    let stores = &scene.fixture.context.stores;
    let team = stores.teams().get("tenant", "a").unwrap();
    let server = stores.servers().get("oncall", "main").unwrap();
    assert!(still(&scene.fixture.context, &team, &server, "u").is_ok());
    scene.fixture.cluster.delete("TerdutServer", "oncall", "main");
    scene.put(&scene.fixture.server("oncall", "main", &json!({ "from": "All" })));
    scene.fixture.in_sync().await;
    let refused = still(&scene.fixture.context, &team, &server, "u");
    assert!(matches!(refused, Err(Refused::NoCredential)));
}

#[tokio::test]
async fn a_record_counts_for_its_own_team_on_its_own_server() {
    let scene = Scene::start(json!({ "from": "All" })).await;
    let changes: [fn(&mut TeamRecord); 5] = [
        |record| record.owner_uid = "of-another".to_owned(),
        |record| record.server_uid = "of-another".to_owned(),
        |record| record.server.1 = "other".to_owned(),
        |record| record.team = None,
        |record| record.held.token = None,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let name = format!("team-{number}");
        let team = scene.put(&team_on("tenant", &name, ("oncall", "main")));
        scene.record(&team, change).await;
        assert_eq!(reason(scene.child("tenant", &name).await), Reason::WaitingForTeam, "{number}");
    }
    scene.assert_silent();
}

#[tokio::test]
async fn a_retained_server_that_was_taken_up_keeps_its_teams() {
    let scene = Scene::start(json!({ "from": "All" })).await;
    let team = scene.put(&team_on("tenant", "a", ("oncall", "main")));
    scene.record(&team, |record| record.server_uid = "the-first".to_owned()).await;
    let secrets = &scene.fixture.context.secrets;
    let kept = secrets.kept::<InstanceRecord>("oncall", "main").unwrap();
    let record = InstanceRecord { server_uid: "the-first".to_owned(), ..kept.record };
    secrets.replace("oncall", "main", &record, &kept.version).await.unwrap();
    assert!(scene.child("tenant", "a").await.is_ok());
    assert_eq!(scene.team("tenant", "a").await.unwrap().permit.server().uid, "the-first");
}

#[tokio::test]
async fn nobody_is_let_in_before_all_records_are_known() {
    let scene = Scene::start(json!({ "from": "All" })).await;
    scene.put(&team_on("tenant", "a", ("oncall", "main")));
    scene.fixture.in_sync().await;
    let known = &scene.fixture.context;
    let context = Context {
        secrets: SecretStore::new(known.kube.clone(), OWN),
        kube: known.kube.clone(),
        stores: known.stores.clone(),
        wake: known.wake.clone(),
        events: known.events.clone(),
        metrics: known.metrics.clone(),
        settings: Arc::clone(&known.settings),
        fence: known.fence.clone(),
        servers: known.servers.clone(),
        clock: known.clock.clone(),
    };
    let team = context.stores.teams().get("tenant", "a").unwrap();
    tokio::time::pause();
    let refused = super::team(&context, &team).await.unwrap_err();
    assert!(matches!(refused, Refused::NotListed) && refused.state().is_none());
}

#[tokio::test]
async fn what_goes_is_not_worked_on() {
    let scene = Scene::start(json!({ "from": "All" })).await;
    let mut team = team_on("tenant", "a", ("oncall", "main"));
    team["metadata"]["finalizers"] = json!(["terdut.ryuvia.com/cleanup"]);
    let team = scene.put(&team);
    scene.record(&team, |_| {}).await;
    let held = json!({
        "apiVersion": team["apiVersion"], "kind": "TerdutServer",
        "metadata": {
            "namespace": "oncall", "name": "main", "finalizers": ["terdut.ryuvia.com/cleanup"],
        },
    });
    scene.put(&held);
    scene.fixture.cluster.delete("TerdutServer", "oncall", "main");
    assert_eq!(reason(scene.team("tenant", "a").await), Reason::ServerDeleting);
    assert_eq!(reason(scene.child("tenant", "a").await), Reason::ServerDeleting);
    scene.fixture.cluster.delete("TerdutTeam", "tenant", "a");
    assert_eq!(reason(scene.child("tenant", "a").await), Reason::WaitingForTeam);
    assert_eq!(reason(scene.child("tenant", "no-such-team").await), Reason::WaitingForTeam);
}
