//! What the API server has written, from its own counters.
//!
//! Only of the kinds that the bridge may write: Leases and Events are left out, and nothing else in
//! the cluster writes these while it is measured.

use std::collections::BTreeMap;

use terdut_tests::cluster::Client;

const METRIC: &str = "apiserver_request_total{";
const WRITES: [&str; 6] = ["APPLY", "PATCH", "POST", "PUT", "DELETE", "DELETECOLLECTION"];
const BESIDE: [&str; 6] =
    ["secrets", "deployments", "services", "serviceaccounts", "poddisruptionbudgets", "httproutes"];

/// Writes so far, by resource with its subresource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Census(BTreeMap<String, u64>);

impl Census {
    /// Asks the API server.
    pub(crate) async fn take(client: &Client) -> Self {
        Self::of(&client.text("/metrics").await)
    }

    fn of(metrics: &str) -> Self {
        let mut counts = BTreeMap::new();
        for line in metrics.lines().filter_map(|line| line.strip_prefix(METRIC)) {
            let Some((labels, value)) = line.rsplit_once("} ") else { continue };
            let label = |name: &str| label(labels, name);
            let ours = label("group") == "terdut.ryuvia.com";
            if !WRITES.contains(&label("verb")) || !(ours || BESIDE.contains(&label("resource"))) {
                continue;
            }
            let resource = match label("subresource") {
                "" => label("resource").to_owned(),
                below => format!("{}/{below}", label("resource")),
            };
            *counts.entry(resource).or_default() += value.parse::<u64>().unwrap_or_default();
        }
        Self(counts)
    }

    /// All writes since an earlier census.
    pub(crate) fn since(&self, earlier: &Self) -> u64 {
        let now: u64 = self.0.values().sum();
        now - earlier.0.values().sum::<u64>()
    }
}

/// The value of a label; "" if it is not there.
fn label<'l>(labels: &'l str, name: &str) -> &'l str {
    let mut pairs = labels.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .find_map(|(known, value)| (known == name).then(|| value.trim_matches('"')))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_of_what_the_bridge_may_write_are_counted() {
        let line = |verb: &str, group: &str, resource: &str, below: &str, count: u64| {
            format!(
                "apiserver_request_total{{code=\"200\",component=\"apiserver\",dry_run=\"\",\
                 group=\"{group}\",resource=\"{resource}\",scope=\"resource\",\
                 subresource=\"{below}\",verb=\"{verb}\",version=\"v1\"}} {count}\n"
            )
        };
        let ours = "terdut.ryuvia.com";
        let before = line("PATCH", ours, "terdutteams", "", 2);
        let after = [
            line("PATCH", ours, "terdutteams", "", 5),
            line("APPLY", ours, "terdutteams", "status", 7),
            line("POST", "", "secrets", "", 11),
            line("GET", "", "secrets", "", 13),
            line("PUT", "coordination.k8s.io", "leases", "", 17),
            line("POST", "events.k8s.io", "events", "", 19),
        ];
        let (before, after) = (Census::of(&before), Census::of(&after.concat()));
        assert_eq!(after.since(&before), 3 + 7 + 11);
    }
}
