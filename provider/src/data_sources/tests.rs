//! Tests of what data sources have in common.

use terdut_plugin::data_source::DataSource;

use super::*;
use crate::resources::team::TeamObject;
use crate::resources::user::UserObject;

fn told(config: &Value) -> Vec<String> {
    let mut diagnostics = Diagnostics::new();
    One::<TeamObject>(PhantomData).validate(config, &mut diagnostics);
    diagnostics.iter().map(|one| one.summary.clone()).collect()
}

#[test]
fn exactly_one_of_id_and_name_is_set_and_nothing_is_said_of_an_unknown() {
    let config = |id: Value, name: Value| Value::object([("id", id), ("name", name)]);
    assert_eq!(told(&config(Value::Null, Value::Null)), ["Set id or name"]);
    assert_eq!(told(&config("1".into(), "a".into())), ["Set id or name"]);
    assert_eq!(told(&config("1".into(), Value::UNKNOWN)), Vec::<String>::new());
    assert_eq!(told(&config("".into(), "a".into())), Vec::<String>::new());
    assert_eq!(told(&config(Value::UNKNOWN, Value::Null)), Vec::<String>::new());
    assert_eq!(told(&config("x".into(), Value::Null)), ["Invalid id"]);
}

#[test]
fn a_data_source_shows_the_object_and_nothing_of_the_resource() {
    let schema = One::<UserObject>(PhantomData).schema();
    let mut names: Vec<_> = schema.all().iter().map(Attribute::name).collect();
    names.sort_unstable();
    assert_eq!(names, ["email", "id", "name", "ntfy_topic", "username"]);
    let list = Many::<UserObject>(PhantomData).schema();
    let nested = list.get("users").and_then(Attribute::nested).unwrap_or_default();
    assert_eq!(nested.len(), 4);
    assert!(nested.iter().all(Attribute::is_computed));
}

#[test]
fn what_is_only_read_is_described_without_what_a_configuration_may_say() {
    let about_writing = ["Default:", "Required", "not allowed", "Absent", "cleared", "Another"];
    for (name, block) in schemas() {
        for text in read_only_texts(&block["block"]["attributes"]) {
            let found = about_writing.iter().find(|words| text.contains(*words));
            assert!(!text.is_empty() && found.is_none(), "{name}: {text}");
        }
    }
}

/// The data sources as hosts are told of them.
fn schemas() -> serde_json::Map<String, serde_json::Value> {
    let provider = crate::provider::Terdut::new(terdut_plugin::serve::Mask::new(), |_| None);
    let all = terdut_plugin::engine::Engine::new(provider).describe();
    all["data_source_schemas"].as_object().cloned().unwrap_or_default()
}

fn read_only_texts(attributes: &serde_json::Value) -> Vec<String> {
    let all = attributes.as_object().into_iter().flat_map(|all| all.values());
    let read_only = all.filter(|one| one["computed"] == true && one["optional"] != true);
    let texts = |one: &serde_json::Value| {
        let own = one["description"].as_str().unwrap_or_default().to_owned();
        let mut texts = read_only_texts(&one["nested_type"]["attributes"]);
        texts.push(own);
        texts
    };
    read_only.flat_map(texts).collect()
}

#[test]
fn a_record_has_every_attribute_that_is_shown() {
    let fact = terdut_core::api::Team {
        id: TeamId(7),
        name: "Platform".to_owned(),
        oidc_member_group: None,
        oidc_owner_group: None,
    };
    let shown = shown::<TeamObject>();
    let record = record::<TeamObject>(&fact, None, &shown).unwrap();
    assert_eq!(record.attribute("id"), Some(&"7".into()));
    assert_eq!(record.attribute("oidc"), Some(&Value::Null));
    assert_eq!(record.members().unwrap().len(), shown.len());
}
