//! Two replicas, and whose turn it is: after a takeover the old one starts nothing more.
//!
//! Somebody changes a switch all the time, so that whoever leads has something to send. What the old
//! leader sends after the new one holds the lease is read from the log of both sides.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use terdut_simulator::Simulator;
use terdut_tests::cluster::{Bridge, Cluster, Entry, Filter, Site, kind};
use terdut_tests::harness::wait_for;

const SOON: Duration = Duration::from_mins(1);
/// The lease's duration, and how much longer a takeover may last.
const LEASE: Duration = Duration::from_secs(3);
const MORE: Duration = Duration::from_secs(2);

struct Pair<'a> {
    site: Site<'a>,
    simulator: Simulator,
    first: Bridge,
    /// Lives as long as the test.
    _second: Bridge,
}

fn object(kind: terdut_tests::cluster::Kind, namespace: &str, spec: &Json) -> Json {
    json!({
        "apiVersion": kind.api_version(), "kind": kind.kind,
        "metadata": { "name": "main", "namespace": namespace }, "spec": spec,
    })
}

impl<'a> Pair<'a> {
    /// Two bridges, of which the first leads and has made a team and a switch.
    async fn start(cluster: &'a Cluster) -> Self {
        let site = Site::new(cluster, 1).await;
        let simulator = site.serve(site.tenant(0), "main");
        let options = |name: &str| {
            let options = site.options(name).flag("lease-duration", "3s");
            options.flag("lease-deadline", "2s").flag("lease-retry", "300ms")
        };
        let first = site.start_with(options("first")).await;
        wait_for("the first leads", SOON, || async { holds(&site, "first").await }).await;
        let second = site.start_with(options("second")).await;
        second.wait_ready().await;
        let pair = Self { site, simulator, first, _second: second };
        pair.declare().await;
        pair
    }

    async fn declare(&self) {
        let (client, at) = (self.site.client(), self.site.tenant(0));
        client
            .create(&json!({
                "apiVersion": "v1", "kind": "Secret",
                "metadata": { "name": "postgres", "namespace": at },
                "stringData": { "password": "not for the logs at all" },
            }))
            .await;
        let database =
            json!({ "dsn": "postgres://a@b/c", "passwordSecretRef": { "name": "postgres" } });
        let allowed = json!({ "namespaces": { "from": "Same" } });
        let server =
            json!({ "image": { "tag": "v1" }, "database": database, "allowedTeams": allowed });
        client.apply(&object(kind::SERVER, at, &server)).await;
        let team = json!({ "serverRef": { "name": "main" }, "displayName": "Platform" });
        client.apply(&object(kind::TEAM, at, &team)).await;
        self.change(15).await;
        client.wait_ready(kind::SWITCH, at, "main").await;
    }

    async fn change(&self, minutes: usize) {
        let spec = json!({
            "teamRef": { "name": "main" }, "name": "w", "matcher": "a=b",
            "timeout": format!("{minutes}m"),
        });
        self.site.client().apply(&object(kind::SWITCH, self.site.tenant(0), &spec)).await;
    }

    /// Changes the switch until the second leads and has carried a change out; when it took over.
    async fn until_taken_over(&self) -> Instant {
        let mut minutes = 16;
        wait_for("the second works", SOON, || {
            minutes += 1;
            async move {
                self.change(minutes).await;
                let made =
                    Filter::terdut().by("second").verb("post").of("/api/teams/{}/deadman-switches");
                self.site.traffic.count(&made) > 0
            }
        })
        .await;
        self.taken_over()
    }

    /// When the second had the lease for the first time.
    fn taken_over(&self) -> Instant {
        let writes = Filter::api().by("second").of("leases").verb("update");
        let won = |entry: &Entry| entry.status.is_some_and(|status| status < 300);
        let entries = self.site.traffic.matching(&writes);
        let first = entries.iter().find(|entry| won(entry)).expect("the second took the lease");
        first.answered.expect("it was answered")
    }

    /// What the first sent after that moment, its own look at lease and watches aside.
    fn late(&self, taken_over: Instant) -> Vec<String> {
        let is_work = |entry: &Entry| {
            let looks = matches!(entry.verb.as_str(), "get" | "list" | "watch");
            let terdut = entry.resource.starts_with("/api");
            terdut || (entry.resource != "leases" && !looks)
        };
        let all = self.site.traffic.matching(&Filter::any().by("first"));
        let late = all.iter().filter(|entry| entry.arrived > taken_over && is_work(entry));
        late.map(Entry::line).collect()
    }

    /// There is one team, one switch, one account a team and one of the server.
    fn check_server(&self) {
        let state = self.simulator.state();
        let teams = state.teams();
        assert_eq!(teams.len(), 1);
        assert_eq!(teams[0].switches.len(), 1);
        assert_eq!(state.accounts().len(), 2);
    }
}

async fn holds(site: &Site<'_>, identity: &str) -> bool {
    let leases = site.client().list(kind::LEASE, &site.own).await;
    let mut holders = leases.iter().filter_map(|lease| lease["spec"]["holderIdentity"].as_str());
    holders.any(|holder| holder.starts_with(identity))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_was_stopped_starts_nothing_when_it_goes_on() {
    let Some(cluster) = Cluster::shared() else { return };
    let pair = Pair::start(cluster).await;
    pair.first.process().stop();
    let taken_over = pair.until_taken_over().await;
    pair.first.process().resume();
    // It has work to do as soon as it wakes, if it thinks that it leads.
    for minutes in 40..50 {
        pair.change(minutes).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(pair.late(taken_over), Vec::<String>::new());
    pair.check_server();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_without_the_api_server_is_done_before_another_takes_over() {
    let Some(cluster) = Cluster::shared() else { return };
    let pair = Pair::start(cluster).await;
    pair.site.traffic.cut_off(Filter::api().by("first"));
    let taken_over = pair.until_taken_over().await;
    pair.site.traffic.restore();
    for minutes in 40..50 {
        pair.change(minutes).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(pair.late(taken_over), Vec::<String>::new());
    assert!(!pair.first.ended(), "it waits for its next turn");
    pair.check_server();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_killed_is_followed_within_its_lease() {
    let Some(cluster) = Cluster::shared() else { return };
    let pair = Pair::start(cluster).await;
    let killed = Instant::now();
    pair.first.kill9();
    let taken_over = pair.until_taken_over().await;
    let time = taken_over.duration_since(killed);
    assert!(time < LEASE + MORE, "{time:?}");
    pair.check_server();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_asked_to_end_hands_over_at_once() {
    let Some(cluster) = Cluster::shared() else { return };
    let pair = Pair::start(cluster).await;
    let asked = Instant::now();
    pair.first.stop_well().await;
    wait_for("the second leads", SOON, || async { holds(&pair.site, "second").await }).await;
    let time = pair.taken_over().duration_since(asked);
    assert!(time < MORE, "{time:?}");
    assert_eq!(pair.late(pair.taken_over()), Vec::<String>::new());
    pair.until_taken_over().await;
    pair.check_server();
}
