//! The made-up cluster behaves as the bridge relies on a real one to behave.

use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt;
use kube::api::{DeleteParams, PostParams};

use super::*;
use crate::crd::names::FINALIZER;
use crate::crd::{TerdutTeam, TerdutTeamStatus};
use crate::kube::KubeClass;
use crate::testing::team;

fn new_team(name: &str) -> Value {
    let mut team = team(name, 0);
    team["metadata"] = json!({ "namespace": "teams", "name": name });
    team
}

fn read(object: Option<Value>) -> TerdutTeam {
    serde_json::from_value(object.unwrap()).unwrap()
}

fn secret(name: &str, value: &str) -> Secret {
    let secret = json!({
        "metadata": { "name": name }, "stringData": { "key": value }, "type": "Opaque",
    });
    serde_json::from_value(secret).unwrap()
}

#[tokio::test]
async fn an_objects_life_is_as_in_kubernetes() {
    let cluster = Cluster::start().await;
    let kube = cluster.kube(&Fence::open());
    let made = read(Some(cluster.put(&new_team("a"))));
    assert_eq!(made.metadata.generation, Some(1));

    let started = kube.start(&made, &[("record", "{}".to_owned())]).await.unwrap();
    assert_eq!(started.finalizers(), [FINALIZER]);
    let error = kube.start(&made, &[("record", "new".to_owned())]).await.unwrap_err();
    assert_eq!(error.class, KubeClass::Conflict, "it has changed since");

    let status = TerdutTeamStatus { observed_generation: Some(1), ..Default::default() };
    kube.apply_status(&started, &status).await.unwrap();
    let now = read(cluster.get("TerdutTeam", "teams", "a"));
    assert_eq!((now.status.as_ref(), now.metadata.generation), (Some(&status), Some(1)));
    let version = now.resource_version();
    kube.apply_status(&started, &status).await.unwrap();
    let again = read(cluster.get("TerdutTeam", "teams", "a"));
    assert_eq!(again.resource_version(), version, "an apply without a change is no write");

    cluster.delete("TerdutTeam", "teams", "a");
    let going = read(cluster.get("TerdutTeam", "teams", "a"));
    assert!(going.metadata.deletion_timestamp.is_some());
    kube.drop_finalizer(&going).await.unwrap();
    assert_eq!(cluster.get("TerdutTeam", "teams", "a"), None);
}

#[tokio::test]
async fn writes_hold_to_the_version_and_an_owner_takes_what_it_owns() {
    let cluster = Cluster::start().await;
    let kube = cluster.kube(&Fence::open());
    let secrets = kube.api::<Secret>("teams");
    let made = secrets.create(&PostParams::default(), &secret("s", "1")).await.unwrap();
    assert!(secrets.create(&PostParams::default(), &secret("s", "1")).await.is_err());
    let mut stale = secret("s", "2");
    stale.metadata.resource_version = Some("0".to_owned());
    assert!(secrets.replace("s", &PostParams::default(), &stale).await.is_err());
    stale.metadata.resource_version = made.resource_version();
    secrets.replace("s", &PostParams::default(), &stale).await.unwrap();
    let metadata = secrets.get_metadata_opt("s").await.unwrap().unwrap();
    assert_eq!(metadata.uid(), made.uid());
    secrets.delete("s", &DeleteParams::default()).await.unwrap();

    let owner = read(Some(cluster.put(&new_team("a"))));
    cluster.put(&json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "namespace": "teams", "name": "owned",
            "ownerReferences": [{
                "apiVersion": "v1", "kind": "TerdutTeam", "name": "a", "uid": owner.uid(),
            }],
        },
    }));
    assert_eq!(cluster.list("Secret").len(), 1);
    cluster.delete("TerdutTeam", "teams", "a");
    assert_eq!(cluster.list("Secret"), Vec::<Value>::new());
}

#[tokio::test]
async fn a_refusal_lasts_as_long_as_it_is_told() {
    let cluster = Cluster::start().await;
    let kube = cluster.kube(&Fence::open());
    cluster.refuse("GET", "/terdutteams/", 403, 1);
    let error = kube.read::<TerdutTeam>("teams", "a").await.unwrap_err();
    assert_eq!(error.class, KubeClass::Forbidden);
    assert!(kube.read::<TerdutTeam>("teams", "a").await.unwrap().is_none());
    let line = "GET /apis/terdut.ryuvia.com/v1alpha1/namespaces/teams/terdutteams/a";
    assert_eq!(cluster.take_lines(), [line, line]);
}

#[tokio::test]
async fn a_kind_is_there_when_it_is_said_to_be() {
    let cluster = Cluster::start().await;
    let kube = cluster.kube(&Fence::open());
    let group = "gateway.networking.k8s.io";
    assert!(kube.discover(group, "v1", "HTTPRoute").await.unwrap().is_none());
    cluster.has_kind("gateway.networking.k8s.io/v1", "HTTPRoute");
    let found = kube.discover(group, "v1", "HTTPRoute").await.unwrap().unwrap();
    assert_eq!(found.plural, "httproutes");
}
