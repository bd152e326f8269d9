//! The server's environment for whoever runs it without Kubernetes.
//!
//! Terraform's data source `terdut_server_manifests` shows it. What only Kubernetes can resolve
//! (`ConfigMaps`, fields of the Pod) is left out, and so is what refers to it or to a Secret: a
//! value here never holds a secret, only the names of Secrets.

use std::collections::BTreeMap;

use super::{Database, environment};
use crate::model::install::{EnvVarSpec, Install, SecretKey};

/// The environment, apart by where values come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlainEnvironment {
    /// Variables with their values, references to one another resolved.
    pub values: BTreeMap<String, String>,
    /// Variables whose value is in a Secret.
    pub secrets: BTreeMap<String, SecretKey>,
}

/// The same variables that the server's container gets.
pub fn plain_environment(install: &Install, database: &Database) -> PlainEnvironment {
    let mut plain = PlainEnvironment::default();
    let mut hidden = Vec::new();
    for EnvVarSpec { name, value, value_from } in environment(install, database) {
        let Some(source) = value_from else {
            match expand(&value.unwrap_or_default(), &plain.values, &hidden) {
                Some(value) => drop(plain.values.insert(name, value)),
                None => hidden.push(name),
            }
            continue;
        };
        if let Some(secret) = source.secret_key_ref {
            let key = SecretKey { name: secret.name, key: secret.key };
            plain.secrets.insert(name.clone(), key);
        }
        hidden.push(name);
    }
    plain
}

/// A value as a container sees it: `$(NAME)` is another variable's, `$$` a dollar. What names no
/// variable stays as it is. `None` where it takes what is hidden.
fn expand(text: &str, known: &BTreeMap<String, String>, hidden: &[String]) -> Option<String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let reference = rest.strip_prefix('(').and_then(|inner| inner.split_once(')'));
        match (rest.strip_prefix('$'), reference) {
            (Some(after), _) => {
                expanded.push('$');
                rest = after;
            }
            (None, Some((name, after))) => {
                if hidden.iter().any(|hidden| hidden == name) {
                    return None;
                }
                let unknown = || format!("$({name})");
                expanded.push_str(&known.get(name).cloned().unwrap_or_else(unknown));
                rest = after;
            }
            (None, None) => expanded.push('$'),
        }
    }
    expanded.push_str(rest);
    Some(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Option<String> {
        let known = BTreeMap::from([("A".to_owned(), "1$(B)".to_owned())]);
        expand(text, &known, &["SECRET".to_owned()])
    }

    #[test]
    fn references_are_resolved_as_a_container_resolves_them() {
        for (text, value) in [
            ("", ""),
            ("x$(A)y$(A)", "x1$(B)y1$(B)"),
            ("$(NONE) $A $", "$(NONE) $A $"),
            ("$$(A) $$", "$(A) $"),
            ("$$$(A)", "$1$(B)"),
            ("$(A", "$(A"),
            ("$()", "$()"),
        ] {
            assert_eq!(expanded(text).as_deref(), Some(value), "{text}");
        }
    }

    #[test]
    fn what_takes_a_secret_has_no_value_here() {
        assert_eq!(expanded("a $(SECRET)"), None);
        assert_eq!(expanded("a $$(SECRET)").as_deref(), Some("a $(SECRET)"));
    }
}
