//! The bridge as a process: it starts, says so, elects itself, answers probes, and ends well.

use std::time::Duration;

use terdut_tests::cluster::{Cluster, Entry, Filter, Site, kind};
use terdut_tests::harness::wait_for;

const SOON: Duration = Duration::from_secs(20);

/// Whether a replica of that identity holds the site's lease. Each start of it adds to its name.
async fn is_held(site: &Site<'_>, identity: &str) -> bool {
    let leases = site.client().list(kind::LEASE, &site.own).await;
    let holders = leases.iter().filter_map(|lease| lease["spec"]["holderIdentity"].as_str());
    holders.into_iter().any(|holder| holder.starts_with(identity))
}

#[tokio::test]
async fn it_starts_with_the_charts_rights_and_ends_well() {
    let Some(cluster) = Cluster::shared() else { return };
    let site = Site::new(cluster, 1).await;
    let bridge = site.start().await;
    bridge.wait_ready().await;
    assert!(bridge.get("/healthz").await.0.is_success());
    assert!(bridge.process().memory() > 0);
    wait_for("it holds the lease", SOON, || async { is_held(&site, "bridge-a").await }).await;
    let watched = Filter::api().verb("watch").of("terdutteams").in_namespace(site.tenant(0));
    wait_for("it watches", SOON, || async { site.traffic.count(&watched) > 0 }).await;
    bridge.stop_well().await;
    assert!(!is_held(&site, "bridge-a").await, "the lease is given up");
    let forbidden: Vec<_> = site
        .traffic
        .entries()
        .iter()
        .filter(|one| one.status == Some(403))
        .map(Entry::line)
        .collect();
    assert!(forbidden.is_empty(), "{forbidden:?}");
}

#[tokio::test]
async fn a_setting_that_cannot_be_used_is_named_and_nothing_is_asked_of_the_cluster() {
    let Some(cluster) = Cluster::shared() else { return };
    let site = Site::new(cluster, 1).await;
    let options = site.options("bridge-a").flag("concurrency", "0").flag("lease-duration", "soon");
    let bridge = site.spawn(options);
    let status = bridge.process().wait(SOON).await;
    assert_eq!(status.code(), Some(2));
    let said = || bridge.lines().tail(10);
    wait_for("both are named", SOON, || async {
        said().contains("--concurrency") && said().contains("--lease-duration")
    })
    .await;
    assert_eq!(site.traffic.count(&Filter::any()), 0);
}

#[tokio::test]
async fn a_second_replica_takes_over_when_the_first_is_killed() {
    let Some(cluster) = Cluster::shared() else { return };
    let site = Site::new(cluster, 1).await;
    let first = site.start_with(site.options("first")).await;
    wait_for("it holds the lease", SOON, || async { is_held(&site, "first").await }).await;
    let second = site.start_with(site.options("second")).await;
    second.wait_ready().await;
    assert!(is_held(&site, "first").await);
    first.kill9();
    wait_for("the second holds it", SOON, || async { is_held(&site, "second").await }).await;
}
