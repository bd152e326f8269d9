//! Requests against the fence, with a made-up API server behind it.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;

use super::*;
use crate::clock::Clock;
use crate::kube::KubeClass;
use crate::testing::{Answer, FakeApi, PATIENCE};

fn config_map() -> Answer {
    let body = serde_json::json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "namespace": "b" },
    });
    Answer::Json(200, body)
}

async fn get(api: &Api<ConfigMap>) -> Result<ConfigMap, KubeError> {
    let answer = tokio::time::timeout(PATIENCE, api.get("a")).await.expect("it ends");
    answer.map_err(KubeError::doing("get", "ConfigMap b/a"))
}

#[tokio::test]
async fn nothing_is_sent_through_a_closed_fence() {
    let server = FakeApi::start(|_| config_map()).await;
    let fence = Fence::new(Clock::boot());
    let kube = server.kube(&fence);
    let error = get(&kube.api("b")).await.unwrap_err();
    assert_eq!(error.class, KubeClass::Unreachable);
    assert_eq!(server.lines(), Vec::<String>::new());
    fence.open_until(Clock::boot().now().plus(PATIENCE));
    get(&kube.api("b")).await.unwrap();
    assert_eq!(server.lines(), ["GET /api/v1/namespaces/b/configmaps/a"]);
}

#[tokio::test]
async fn what_hangs_is_given_up_when_the_fence_closes() {
    let server = FakeApi::start(|_| Answer::Hang).await;
    let fence = Fence::open();
    let api = server.kube(&fence).api("b");
    let hanging = tokio::spawn(async move { get(&api).await });
    server.has_asked(1).await;
    fence.close();
    assert_eq!(hanging.await.unwrap().unwrap_err().class, KubeClass::Unreachable);
}

#[tokio::test]
async fn watches_and_the_lease_need_no_fence() {
    let server = FakeApi::start(|_| config_map()).await;
    let kube = server.kube(&Fence::new(Clock::boot()));
    get(&Api::namespaced(kube.free(), "b")).await.unwrap();
}

#[tokio::test]
async fn requests_are_counted_and_none_is_repeated() {
    let server = FakeApi::start(|_| Answer::refusal(503, "ServiceUnavailable")).await;
    let metrics = Metrics::new();
    let kube = server.kube_counted(&Fence::open(), &metrics);
    assert_eq!(get(&kube.api("b")).await.unwrap_err().class, KubeClass::Retryable);
    assert_eq!(server.asked().len(), 1);
    let counted = metrics.text();
    assert!(counted.contains("rest_client_requests_total{code=\"503\""), "{counted}");
}

#[test]
fn a_watch_is_told_by_its_query() {
    let request = |uri: &str| Request::builder().uri(uri).body(()).unwrap();
    assert!(is_watch(&request("/api/v1/pods?limit=1&watch=true")));
    assert!(!is_watch(&request("/api/v1/pods?labelSelector=watch%3Dtrue")));
}
