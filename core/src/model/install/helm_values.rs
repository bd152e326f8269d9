//! From the values of the server's Helm chart to the spec of a `TerdutServer`.
//!
//! The chart's values have the spec's names, but for the few in [`RENAMED`]. What the spec does not
//! have is told, never dropped in silence. A value is carried over as it is: whether the spec that
//! comes out is valid is [`InstallSpec::validate`]'s business. Called by the bridge's `migrate`.

use schemars::schema_for;
use serde_json::{Map, Value, json};

use super::InstallSpec;

/// Where the chart calls something otherwise: the section, its name there, and the spec's.
const RENAMED: [(&str, &str, &str); 2] = [
    ("networking", "listener", "gatewayListener"),
    ("database", "passwordSecret", "passwordSecretRef"),
];

/// What came out of a chart's values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// The spec.
    pub spec: InstallSpec,
    /// The paths of the values that the spec has no place for, as `ingress.enabled`, sorted.
    pub unknown: Vec<String>,
}

/// Values from which no spec can be read.
#[derive(Debug, thiserror::Error)]
pub enum InvalidValues {
    /// Not a map.
    #[error("the values are no map of names to values")]
    NoMap,
    /// The chart's name and the spec's are both given.
    #[error("{section} has both {chart} and {spec}: remove one of them")]
    Twice {
        /// The section.
        section: &'static str,
        /// The chart's name.
        chart: &'static str,
        /// The spec's name.
        spec: &'static str,
    },
    /// A value of another type than the spec's.
    #[error("the value of {path} has another type than the spec's")]
    Type {
        /// Where it is.
        path: String,
    },
    /// A value that does not fit in another way.
    #[error("the values do not fit the spec")]
    Fit(#[source] serde_json::Error),
}

/// Reads a chart's values.
pub fn from_helm_values(values: &Value) -> Result<Migrated, InvalidValues> {
    let Value::Object(values) = values else { return Err(InvalidValues::NoMap) };
    let mut values = values.clone();
    for (section, chart, spec) in RENAMED {
        rename(&mut values, section, chart, spec)?;
    }
    let schema = schema_for!(InstallSpec).to_value();
    let mut sieve = Sieve { root: &schema, unknown: Vec::new() };
    let mut kept = sieve.object("", &values, &schema)?;
    // Both are required; what is missing in them is validation's to say.
    kept.entry("database").or_insert_with(|| json!({}));
    if let Value::Object(image) = kept.entry("image").or_insert_with(|| json!({})) {
        image.entry("tag").or_insert_with(|| json!(""));
    }
    let mut unknown = sieve.unknown;
    unknown.sort();
    let spec = serde_json::from_value(Value::Object(kept)).map_err(InvalidValues::Fit)?;
    Ok(Migrated { spec, unknown })
}

fn rename(
    values: &mut Map<String, Value>,
    section: &'static str,
    chart: &'static str,
    spec: &'static str,
) -> Result<(), InvalidValues> {
    let Some(Value::Object(found)) = values.get_mut(section) else { return Ok(()) };
    let Some(value) = found.remove(chart) else { return Ok(()) };
    match found.insert(spec.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(InvalidValues::Twice { section, chart, spec }),
    }
}

/// Keeps what the spec has a place for, by its schema.
struct Sieve<'s> {
    root: &'s Value,
    unknown: Vec<String>,
}

impl<'s> Sieve<'s> {
    fn object(
        &mut self,
        path: &str,
        values: &Map<String, Value>,
        schema: &'s Value,
    ) -> Result<Map<String, Value>, InvalidValues> {
        let mut kept = Map::new();
        // Helm writes null for what is taken away from the chart's defaults.
        for (name, value) in values.iter().filter(|(_, value)| !value.is_null()) {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match schema["properties"].get(name).or_else(|| schema.get("additionalProperties")) {
                Some(schema) => {
                    kept.insert(name.clone(), self.value(&path, value, schema)?);
                }
                None => self.unknown.push(path),
            }
        }
        Ok(kept)
    }

    fn value(
        &mut self,
        path: &str,
        value: &Value,
        schema: &'s Value,
    ) -> Result<Value, InvalidValues> {
        let schema = self.resolved(schema);
        match (type_of(schema), value) {
            ("object", Value::Object(values)) => {
                self.object(path, values, schema).map(Value::Object)
            }
            ("array", Value::Array(values)) => {
                let item = |(index, value)| {
                    self.value(&format!("{path}[{index}]"), value, &schema["items"])
                };
                values.iter().enumerate().map(item).collect()
            }
            ("string", Value::String(_))
            | ("integer", Value::Number(_))
            | ("boolean", Value::Bool(_)) => Ok(value.clone()),
            _ => Err(InvalidValues::Type { path: path.to_owned() }),
        }
    }

    /// The schema that a property refers to, also where it may be null.
    fn resolved(&self, schema: &'s Value) -> &'s Value {
        let choices = schema["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut candidates = std::iter::once(schema).chain(choices);
        let reference = candidates.find_map(|candidate| candidate["$ref"].as_str());
        let target = |reference: &str| self.root.pointer(reference.trim_start_matches('#'));
        reference.and_then(target).unwrap_or(schema)
    }
}

/// The one type beside null.
fn type_of(schema: &Value) -> &str {
    let named = schema["type"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut types = std::iter::once(&schema["type"]).chain(named).filter_map(Value::as_str);
    types.find(|name| *name != "null").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn migrated(values: &Value) -> (Value, Vec<String>) {
        let Migrated { spec, unknown } = from_helm_values(values).unwrap();
        (serde_json::to_value(spec).unwrap(), unknown)
    }

    #[test]
    fn values_keep_their_names_but_for_two() {
        let values = json!({
            "image": {"tag": "v1"},
            "replicas": 2,
            "networking": {"hostname": "t.example.org", "listener": "infra/web"},
            "database": {"dsn": "postgres://t@h/t", "passwordSecret": {"name": "db", "key": "p"}},
            "oidc": {"enabled": true, "clientID": "c", "allowedGroups": ["a", "b"]},
            "notify": {"ntfyURL": "https://n.example.org", "fallbackTopic": null},
            "allowedTeams": {"namespaces": {"from": "Selector",
                             "selector": {"matchLabels": {"any/label": "yes"}}}},
            "env": [{"name": "A", "value": "b"}],
        });
        let expected = json!({
            "image": {"tag": "v1"},
            "replicas": 2,
            "networking": {"hostname": "t.example.org", "gatewayListener": "infra/web"},
            "database": {"dsn": "postgres://t@h/t",
                         "passwordSecretRef": {"name": "db", "key": "p"}},
            "oidc": {"enabled": true, "clientID": "c", "allowedGroups": ["a", "b"]},
            "notify": {"ntfyURL": "https://n.example.org"},
            "allowedTeams": {"namespaces": {"from": "Selector",
                             "selector": {"matchLabels": {"any/label": "yes"}}}},
            "env": [{"name": "A", "value": "b"}],
        });
        assert_eq!(migrated(&values), (expected, vec![]));
    }

    #[test]
    fn what_the_spec_has_no_place_for_is_told() {
        let values = json!({
            "image": {"tag": "v1", "pullPolicy": "Always"},
            "resources": {"limits": {"memory": "64Mi"}},
            "nodeSelector": {},
            "sweeper": {"staleafter": "1h"},
            "env": [{"name": "A", "values": "b"}],
        });
        let (spec, unknown) = migrated(&values);
        let told = [
            "env[0].values",
            "image.pullPolicy",
            "nodeSelector",
            "resources",
            "sweeper.staleafter",
        ];
        assert_eq!(unknown, told);
        assert_eq!(spec["sweeper"], json!({}));
    }

    #[test]
    fn values_without_what_is_required_are_left_to_validation() {
        let migrated = from_helm_values(&json!({})).unwrap();
        let mut findings = crate::problem::Findings::default();
        assert_eq!(migrated.spec.validate(&mut findings), None);
        let paths: Vec<_> = findings.errors.iter().map(|fault| fault.path.camel_case()).collect();
        assert_eq!(paths, ["image.tag", "database.dsn"]);
    }

    #[test]
    fn a_value_of_another_type_is_named() {
        for (values, expected) in [
            (json!({"image": {"tag": 1}}), "image.tag"),
            (json!({"replicas": "2"}), "replicas"),
            (json!({"sweeper": "6h"}), "sweeper"),
            (json!({"oidc": {"allowedGroups": ["a", 2]}}), "oidc.allowedGroups[1]"),
        ] {
            match from_helm_values(&values) {
                Err(InvalidValues::Type { path }) => assert_eq!(path, expected),
                other => panic!("{values}: {other:?}"),
            }
        }
        assert!(matches!(from_helm_values(&json!([])), Err(InvalidValues::NoMap)));
    }

    #[test]
    fn both_names_of_one_value_are_refused() {
        let values = json!({"networking": {"listener": "a", "gatewayListener": "b"}});
        let Err(InvalidValues::Twice { chart, spec, .. }) = from_helm_values(&values) else {
            panic!("two names were taken");
        };
        assert_eq!((chart, spec), ("listener", "gatewayListener"));
    }
}
