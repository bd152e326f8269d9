//! The project's own kinds, installed as a person installs them: from `deploy/crds`.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value as Json;

use super::client::{Client, kind};
use super::conditions;
use super::manifests;

const ESTABLISHED_WITHIN: Duration = Duration::from_secs(30);

/// Where the generated documents are.
pub(super) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../deploy/crds")
}

/// Every CRD of that folder, in the order of their files.
pub fn documents() -> Vec<Json> {
    let listed = std::fs::read_dir(folder()).into_iter().flatten().map_while(Result::ok);
    let mut files: Vec<_> = listed.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    let documents = files.iter().flat_map(|file| manifests::read(file));
    documents.filter(|document| document["kind"] == "CustomResourceDefinition").collect()
}

/// Applies them and waits until the API server serves them.
pub(super) async fn install(client: &Client) {
    let documents = documents();
    for document in &documents {
        client.apply(document).await;
    }
    for document in &documents {
        let name = document["metadata"]["name"].as_str().expect("a CRD has a name");
        let served = |found: Option<&Json>| {
            found.is_some_and(|crd| conditions::status(crd, "Established") == Some("True"))
        };
        client.within(ESTABLISHED_WITHIN).wait(kind::CRD, "", name, "established", served).await;
    }
}
