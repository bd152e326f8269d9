//! What a request to the Kubernetes API asks for.

use serde_json::Value;

use super::objects::Key;

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// An object, or its status.
    One { key: Key, status: bool },
    /// All objects of a resource, in a namespace or everywhere.
    All { resource: String, namespace: Option<String> },
    /// Which kinds a group and version has.
    Kinds { group_version: String },
}

impl Target {
    pub(super) fn of(path: &str) -> Option<Self> {
        let mut parts = path.trim_matches('/').split('/');
        let group_version = match parts.next()? {
            "api" => parts.next()?.to_owned(),
            "apis" => format!("{}/{}", parts.next()?, parts.next()?),
            _ => return None,
        };
        let rest: Vec<&str> = parts.collect();
        let resource = |plural: &str| format!("{group_version}/{plural}");
        let one = |plural, namespace: &str, name: &str, status| Self::One {
            key: Key {
                resource: resource(plural),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            },
            status,
        };
        Some(match rest.as_slice() {
            [] => Self::Kinds { group_version },
            ["namespaces", name] => one("namespaces", "", name, false),
            [plural] => Self::All { resource: resource(plural), namespace: None },
            ["namespaces", namespace, plural] => {
                Self::All { resource: resource(plural), namespace: Some((*namespace).to_owned()) }
            }
            ["namespaces", namespace, plural, name] => one(plural, namespace, name, false),
            ["namespaces", namespace, plural, name, "status"] => one(plural, namespace, name, true),
            _ => return None,
        })
    }
}

/// A value of a query string, decoded as far as selectors need it.
pub(super) fn parameter(query: &str, name: &str) -> Option<String> {
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.into_iter().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// Whether an object's labels fit a selector of equalities.
pub(super) fn is_selected(object: &Value, selector: &str) -> bool {
    let labels = &object["metadata"]["labels"];
    selector.split(',').filter_map(|demand| demand.split_once('=')).all(|(key, value)| {
        labels[key.trim_end_matches('=')].as_str() == Some(value.trim_start_matches('='))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_says_what_is_asked_for() {
        let key = |resource: &str, namespace: &str| Key {
            resource: resource.to_owned(),
            namespace: namespace.to_owned(),
            name: "x".to_owned(),
        };
        let teams = "terdut.ryuvia.com/v1alpha1/terdutteams";
        for (path, target) in [
            ("/api/v1/namespaces/x", Target::One { key: key("v1/namespaces", ""), status: false }),
            (
                "/api/v1/namespaces/a/secrets/x",
                Target::One { key: key("v1/secrets", "a"), status: false },
            ),
            (
                &format!("/apis/{}/namespaces/a/terdutteams/x/status", &teams[..26]),
                Target::One { key: key(teams, "a"), status: true },
            ),
            (
                "/api/v1/namespaces/a/secrets",
                Target::All { resource: "v1/secrets".to_owned(), namespace: Some("a".to_owned()) },
            ),
            ("/apis/apps/v1", Target::Kinds { group_version: "apps/v1".to_owned() }),
        ] {
            assert_eq!(Target::of(path), Some(target), "{path}");
        }
        assert_eq!(Target::of("/version"), None);
    }

    #[test]
    fn a_selector_demands_every_label() {
        let object = json!({ "metadata": { "labels": { "a": "1", "b/c": "2" } } });
        assert!(is_selected(&object, "") && is_selected(&object, "a=1,b/c=2"));
        assert!(!is_selected(&object, "a=2") && !is_selected(&object, "a=1,d=3"));
        assert_eq!(parameter("x=1&labelSelector=b%2Fc%3D2", "labelSelector").unwrap(), "b/c=2");
    }
}
