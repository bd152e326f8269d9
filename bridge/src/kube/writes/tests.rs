//! The writes: what is sent, what is not, and what their failures mean.

use serde_json::json;

use super::*;
use crate::crd::{TerdutTeam, TerdutTeamStatus};
use crate::fence::Fence;
use crate::testing::{Answer, FakeApi, team};

const PATH: &str = "/apis/terdut.ryuvia.com/v1alpha1/namespaces/teams/terdutteams/a";

fn object(finalizers: &[&str]) -> TerdutTeam {
    let mut value = team("a", 7);
    value["metadata"]["finalizers"] = json!(finalizers);
    serde_json::from_value(value).unwrap()
}

async fn answering(answers: Vec<Answer>) -> (FakeApi, Kube) {
    let mut answers = answers.into_iter();
    let server = FakeApi::start(move |_| answers.next().expect("no request is one too many")).await;
    let kube = server.kube(&Fence::open());
    (server, kube)
}

fn written(version: u64) -> Answer {
    Answer::Json(200, team("a", version))
}

#[tokio::test]
async fn finalizer_and_record_are_one_patch_that_holds_to_the_version() {
    let (server, kube) = answering(vec![written(8)]).await;
    kube.start(&object(&["other"]), &[("record", "{}".to_owned())]).await.unwrap();
    let asked = &server.asked()[0];
    assert_eq!(asked.line(), format!("PATCH {PATH}"));
    let metadata = json!({
        "uid": "uid-a", "resourceVersion": "7",
        "finalizers": ["other", FINALIZER], "annotations": { "record": "{}" },
    });
    assert_eq!(asked.body, json!({ "metadata": metadata }));
    assert!(kube.own_writes().observe("uid-a", "8"), "its echo is known");
}

#[tokio::test]
async fn what_is_there_already_is_not_sent() {
    let (server, kube) = answering(vec![]).await;
    let mut present = object(&[FINALIZER]);
    kube.start(&present, &[]).await.unwrap();
    kube.annotate(&present, "record", None).await.unwrap();
    kube.drop_finalizer(&object(&[])).await.unwrap();
    let status = TerdutTeamStatus { observed_generation: Some(1), ..Default::default() };
    present.status = Some(status.clone());
    kube.apply_status(&present, &status).await.unwrap();
    assert_eq!(server.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn an_annotation_is_taken_off_from_this_very_object() {
    let (server, kube) = answering(vec![written(8), written(9)]).await;
    let mut present = object(&[]);
    present.annotations_mut().insert("record".to_owned(), "{}".to_owned());
    kube.annotate(&present, "record", None).await.unwrap();
    kube.annotate(&present, "record", Some("1".to_owned())).await.unwrap();
    let bodies: Vec<Value> = server.asked().into_iter().map(|asked| asked.body).collect();
    let patch = |value: Value| json!({ "metadata": { "uid": "uid-a", "annotations": { "record": value } } });
    assert_eq!(bodies, [patch(Value::Null), patch(json!("1"))]);
}

#[tokio::test]
async fn the_finalizer_is_taken_from_its_place_and_a_missing_object_is_done() {
    let (server, kube) = answering(vec![Answer::refusal(404, "NotFound")]).await;
    kube.drop_finalizer(&object(&["other", FINALIZER])).await.unwrap();
    let expected = json!([
        { "op": "test", "path": "/metadata/uid", "value": "uid-a" },
        { "op": "test", "path": "/metadata/finalizers/1", "value": FINALIZER },
        { "op": "remove", "path": "/metadata/finalizers/1" },
    ]);
    assert_eq!(server.asked()[0].body, expected);
}

#[tokio::test]
async fn a_finalizer_that_moved_is_looked_for_once_more() {
    let mut moved = team("a", 9);
    moved["metadata"]["finalizers"] = json!([FINALIZER]);
    let answers = vec![Answer::refusal(422, "Invalid"), Answer::Json(200, moved), written(10)];
    let (server, kube) = answering(answers).await;
    kube.drop_finalizer(&object(&["other", FINALIZER])).await.unwrap();
    assert_eq!(server.asked()[2].body[2]["path"], "/metadata/finalizers/0");
}

#[tokio::test]
async fn a_finalizer_is_not_taken_off_an_object_made_anew() {
    let mut anew = team("a", 9);
    anew["metadata"]["uid"] = json!("another");
    anew["metadata"]["finalizers"] = json!([FINALIZER]);
    let (server, kube) =
        answering(vec![Answer::refusal(422, "Invalid"), Answer::Json(200, anew)]).await;
    kube.drop_finalizer(&object(&[FINALIZER])).await.unwrap();
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn a_status_is_applied_under_its_own_manager() {
    let (server, kube) = answering(vec![written(8), Answer::refusal(403, "Forbidden")]).await;
    let status = TerdutTeamStatus { team_id: Some("42".to_owned()), ..Default::default() };
    kube.apply_status(&object(&[]), &status).await.unwrap();
    let asked = &server.asked()[0];
    assert_eq!(asked.line(), format!("PATCH {PATH}/status"));
    assert!(asked.query.contains("fieldManager=terdut-bridge-status"), "{}", asked.query);
    assert_eq!(asked.body["status"]["teamID"], "42");
    assert_eq!(asked.body["metadata"], json!({ "name": "a", "uid": "uid-a" }));
    let error = kube.apply_status(&object(&[]), &status).await.unwrap_err();
    assert_eq!(error.class, KubeClass::Forbidden);
}

#[tokio::test]
async fn an_object_of_a_known_kind_is_applied_without_a_question() {
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": { "namespace": "b", "name": "a" },
    });
    let (server, kube) = answering(vec![Answer::Json(200, service.clone())]).await;
    kube.apply(&service).await.unwrap();
    assert_eq!(server.lines(), ["PATCH /api/v1/namespaces/b/services/a"]);
    assert!(server.asked()[0].query.contains("fieldManager=terdut-bridge"));
}

fn routes() -> Answer {
    let group = json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "gateway.networking.k8s.io/v1",
        "resources": [{
            "name": "httproutes", "singularName": "httproute", "namespaced": true,
            "kind": "HTTPRoute", "verbs": ["get"],
        }],
    });
    Answer::Json(200, group)
}

fn route() -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": { "namespace": "b", "name": "a" },
    })
}

#[tokio::test]
async fn a_kind_that_the_cluster_lacks_is_not_found_and_asked_for_again() {
    let (missing, route) = (Answer::refusal(404, "NotFound"), route());
    let answers = vec![missing, routes(), Answer::Json(200, route.clone())];
    let (server, kube) = answering(answers).await;
    assert_eq!(kube.apply(&route).await.unwrap_err().class, KubeClass::NotFound);
    assert!(kube.rediscover().await);
    kube.apply(&route).await.unwrap();
    assert!(!kube.rediscover().await, "nothing is missing");
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn a_kind_that_the_cluster_has_no_more_is_missing_until_it_comes_back() {
    let (gone, route) = (|| Answer::refusal(404, "NotFound"), route());
    let there = || Answer::Json(200, route.clone());
    // An API server answers so where it has no such path.
    let no_path = || Answer::Json(404, json!("404 page not found"));
    let answers = [
        vec![routes(), there(), gone()],
        vec![no_path(), no_path(), routes()],
        vec![no_path(), no_path(), routes()],
        vec![there()],
    ];
    let (server, kube) = answering(answers.concat()).await;
    let discover = || kube.discover("gateway.networking.k8s.io", "v1", "HTTPRoute");
    kube.apply(&route).await.unwrap();
    let kind = discover().await.unwrap().unwrap();
    assert!(kube.find(&kind, "b", "other").await.unwrap().is_none());
    assert!(discover().await.unwrap().is_some(), "one object is no kind");
    for applied in [true, false] {
        let failed = if applied {
            kube.apply(&route).await.unwrap_err()
        } else {
            kube.find(&kind, "b", "a").await.unwrap_err()
        };
        assert_eq!(failed.class, KubeClass::NotFound);
        assert!(discover().await.unwrap().is_none());
        assert!(kube.rediscover().await);
    }
    kube.apply(&route).await.unwrap();
    assert_eq!(server.asked().len(), 10);
}

#[tokio::test]
async fn what_no_object_can_be_called_is_not_asked_for() {
    let (api, kube) = answering(Vec::new()).await;
    for (namespace, name) in [
        ("a", "b/../../../namespaces/c/terdutteams/d"),
        ("../..", "b"),
        ("a", ".."),
        ("a", "b?x=y"),
        ("a", "%2e%2e"),
        ("", "b"),
    ] {
        assert!(kube.read::<TerdutTeam>(namespace, name).await.unwrap().is_none(), "{name}");
    }
    assert!(api.lines().is_empty());
}
