//! The loop around the machine, over an API server that keeps one Lease.

use serde_json::{Value, json};

use super::*;
use crate::testing::{Answer, FakeApi, PATIENCE};

const PATH: &str = "/apis/coordination.k8s.io/v1/namespaces/terdut-bridge/leases";

/// An API server with compare-and-swap for one object.
async fn lease_server() -> FakeApi {
    let (mut stored, mut version) = (None::<Value>, 0_u64);
    FakeApi::start(move |asked| {
        let missing = || Answer::refusal(404, "NotFound");
        let known = stored.as_ref().map(|lease| lease["metadata"]["resourceVersion"].clone());
        let said = &asked.body["metadata"]["resourceVersion"];
        match (asked.method.as_str(), known) {
            ("GET" | "PUT", None) => return missing(),
            ("GET", Some(_)) => return Answer::Json(200, stored.clone().unwrap()),
            ("POST", Some(_)) => return Answer::refusal(409, "AlreadyExists"),
            ("PUT", Some(known)) if known != *said => return Answer::refusal(409, "Conflict"),
            _ => {}
        }
        version += 1;
        let mut lease = asked.body.clone();
        lease["metadata"]["resourceVersion"] = json!(version.to_string());
        stored = Some(lease.clone());
        Answer::Json(200, lease)
    })
    .await
}

struct Replica {
    fence: Fence,
    stop: CancellationToken,
    ended: tokio::task::JoinHandle<()>,
}

fn replica(server: &FakeApi, number: u32, drained: bool) -> Replica {
    let line = ["--lease-duration=60s", "--lease-deadline=50s", "--lease-retry=20ms"];
    let settings = crate::settings::tests::check(&line, &[]).unwrap();
    let (fence, stop) = (Fence::new(Clock::boot()), CancellationToken::new());
    let kube = server.kube(&fence);
    let metrics = Metrics::new();
    let election = Election::new(&kube, &settings, number, fence.clone(), Clock::boot(), metrics);
    let ended = tokio::spawn(election.run(stop.clone(), std::future::ready(drained)));
    Replica { fence, stop, ended }
}

async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("it happens in time")
}

#[tokio::test]
async fn one_leads_and_hands_over_when_it_ends() {
    let server = lease_server().await;
    let first = replica(&server, 1, true);
    in_time(first.fence.won()).await;
    let second = replica(&server, 2, true);
    server.has_asked(10).await;
    assert!(first.fence.is_ours() && !second.fence.is_ours());
    first.stop.cancel();
    in_time(second.fence.won()).await;
    assert!(!first.fence.is_ours(), "it stopped before the other began");
    in_time(first.ended).await.unwrap();
}

#[tokio::test]
async fn a_lease_is_not_given_back_while_passes_run() {
    let server = lease_server().await;
    let replica = replica(&server, 1, false);
    in_time(replica.fence.won()).await;
    replica.stop.cancel();
    in_time(replica.ended).await.unwrap();
    let last = server.asked().into_iter().rfind(|asked| asked.method != "GET").unwrap();
    assert_eq!(
        last.body["spec"]["holderIdentity"].as_str().map(|holder| holder.ends_with("00000001")),
        Some(true)
    );
}

#[tokio::test]
async fn only_the_lease_is_read_and_written() {
    let server = lease_server().await;
    let replica = replica(&server, 1, true);
    in_time(replica.fence.won()).await;
    replica.stop.cancel();
    in_time(replica.ended).await.unwrap();
    let object = format!("{PATH}/{NAME}");
    let lines = server.lines();
    assert_eq!(lines[..2], [format!("GET {object}"), format!("POST {PATH}")]);
    assert!(lines[2..].iter().all(|line| line.ends_with(&object)), "{lines:?}");
    assert_eq!(server.asked().last().unwrap().body["spec"]["holderIdentity"], "");
}
