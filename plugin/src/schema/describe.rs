//! Schemas as JSON, in the shape of `terraform providers schema -json`.
//!
//! For tools that read a provider without a host, and for tests that hold a schema to a file.

use serde_json::{Map, Value as Json, json};

use super::{Attribute, Kind, Mode, Schema};

impl Schema {
    /// The schema as `terraform providers schema -json` writes it.
    pub fn to_json(&self) -> Json {
        let block = json!({
            "attributes": attributes(&self.attributes),
            "description": self.description,
            "description_kind": "markdown",
        });
        json!({ "version": self.version, "block": block })
    }
}

fn attributes(all: &[Attribute]) -> Json {
    let named = all.iter().map(|attribute| (attribute.name.clone(), one(attribute)));
    named.collect::<Map<_, _>>().into()
}

fn one(attribute: &Attribute) -> Json {
    let mut json = Map::new();
    let nested = |mode: &str, nested: &[Attribute]| {
        ("nested_type", json!({ "attributes": attributes(nested), "nesting_mode": mode }))
    };
    let (key, shape) = match &attribute.kind {
        Kind::Value(ty) => ("type", ty.to_json()),
        Kind::Single(all) => nested("single", all),
        Kind::List(all) => nested("list", all),
        Kind::Map(all) => nested("map", all),
    };
    json.insert(key.to_owned(), shape);
    json.insert("description".to_owned(), attribute.description.clone().into());
    json.insert("description_kind".to_owned(), "markdown".into());
    for (key, is) in [
        ("required", attribute.mode == Mode::Required),
        ("optional", matches!(attribute.mode, Mode::Optional | Mode::OptionalComputed)),
        ("computed", attribute.is_computed()),
        ("sensitive", attribute.sensitive),
        ("write_only", attribute.write_only),
        ("deprecated", attribute.deprecation.is_some()),
    ] {
        if is {
            json.insert(key.to_owned(), true.into());
        }
    }
    json.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_is_written() {
        let schema = Schema::new("A team.")
            .attribute(Attribute::single("oidc", [Attribute::string("group").sensitive()]));
        let group = json!({
            "type": "string",
            "description": "",
            "description_kind": "markdown",
            "optional": true,
            "sensitive": true,
        });
        let oidc = &schema.to_json()["block"]["attributes"]["oidc"];
        assert_eq!(oidc["nested_type"]["attributes"]["group"], group);
        assert_eq!(oidc["nested_type"]["nesting_mode"], "single");
    }
}
