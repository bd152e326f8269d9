//! Which terdut server belongs to which object: `/NAMESPACE/NAME/…` leads to its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::cluster::process::lock;

/// The servers behind a proxy. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Routes(Arc<Mutex<BTreeMap<(String, String), String>>>);

impl Routes {
    /// The path of what a bridge is told with `--server-url`.
    pub const TEMPLATE: &'static str = "/{namespace}/{name}";

    /// Leads to a server from now on.
    pub fn lead(&self, namespace: &str, name: &str, url: &str) {
        let url = url.trim_end_matches('/').to_owned();
        lock(&self.0).insert((namespace.to_owned(), name.to_owned()), url);
    }

    /// Leads nowhere from now on: connections are closed without an answer.
    pub fn close(&self, namespace: &str, name: &str) {
        lock(&self.0).remove(&(namespace.to_owned(), name.to_owned()));
    }

    /// The server of a namespace and name.
    pub(super) fn find(&self, namespace: &str, name: &str) -> Option<String> {
        lock(&self.0).get(&(namespace.to_owned(), name.to_owned())).cloned()
    }
}

/// Namespace, name and the rest of a path.
pub(super) fn split(path: &str) -> Option<(&str, &str, &str)> {
    let (namespace, rest) = path.strip_prefix('/')?.split_once('/')?;
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    Some((namespace, &rest[..end], &rest[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_begins_with_the_object() {
        assert_eq!(split("/a/b/api/teams?x=1"), Some(("a", "b", "/api/teams?x=1")));
        assert_eq!(split("/a/b"), Some(("a", "b", "")));
        assert_eq!(split("/healthz"), None);
    }
}
