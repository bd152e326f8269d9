//! Tests of the projection, on core's own specs.

use terdut_core::model::install::InstallSpec;
use terdut_core::model::{DeadmanSwitchSpec, EscalationRuleSpec, TeamSpec};
use terdut_plugin::schema::{Mode, Schema};

use super::*;

fn all<T: JsonSchema>() -> Vec<Attribute> {
    Spec::of::<T>().attributes(|_, attribute| attribute)
}

fn find<'a>(attributes: &'a [Attribute], name: &str) -> &'a Attribute {
    attributes.iter().find(|attribute| attribute.name() == name).unwrap()
}

#[test]
fn names_become_snake_case_and_optional_objects_are_nested() {
    let team = all::<TeamSpec>();
    let oidc = find(&team, "oidc");
    assert!(matches!(oidc.kind(), Kind::Single(_)), "{oidc:?}");
    let names: Vec<_> = oidc.nested().unwrap().iter().map(Attribute::name).collect();
    assert_eq!(names, ["member_group", "owner_group"]);
    assert!(oidc.means_the_same(&Value::Null, &Value::object([("owner_group", Value::Null)])));
}

#[test]
fn lists_of_lists_of_objects_are_nested_and_refined_by_path() {
    let rule = Spec::of::<EscalationRuleSpec>().attributes(|path, attribute| match path {
        "levels.targets.kind" => attribute.sensitive(),
        _ => attribute,
    });
    assert_eq!(find(&rule, "repeat_count").ty(), Type::Number);
    let targets = find(find(&rule, "levels").nested().unwrap(), "targets");
    let kind = find(targets.nested().unwrap(), "kind");
    assert!(format!("{kind:?}").contains("sensitive: true"));
}

#[test]
fn defaults_make_computed_and_are_told() {
    let switch = all::<DeadmanSwitchSpec>();
    let severity = find(&switch, "severity");
    let shown = format!("{severity:?}");
    assert!(shown.contains(&format!("{:?}", Mode::OptionalComputed)), "{shown}");
    assert!(shown.contains("Default: `critical`."), "{shown}");
    assert!(format!("{:?}", find(&switch, "name")).contains(&format!("{:?}", Mode::Required)));
}

#[test]
fn a_line_break_of_our_source_is_none_of_the_text() {
    for attribute in all::<TeamSpec>() {
        assert!(!format!("{attribute:?}").contains("\\n"), "{attribute:?}");
    }
    assert!(Spec::of::<TeamSpec>().description().starts_with("A team"));
    assert!(!Spec::of::<TeamSpec>().nested("oidc").description().is_empty());
}

#[test]
fn initialisms_are_one_word() {
    for (field, name) in
        [("ntfyURL", "ntfy_url"), ("clientID", "client_id"), ("teamId", "team_id"), ("x", "x")]
    {
        assert_eq!(snake(field), name);
    }
}

#[test]
fn a_configuration_goes_back_into_the_spec_that_it_came_from() {
    let spec = Spec::of::<InstallSpec>().as_input();
    let ty = Schema::new("").attributes(spec.attributes(|_, attribute| attribute)).ty();
    let mut value = Value::empty_object(&ty);
    let none: InstallSpec = serde_json::from_value(spec.read(&value)).unwrap();
    assert_eq!(none, InstallSpec::default(), "what is required is empty");
    let image = Value::object([("repository", Value::UNKNOWN), ("tag", "v1".into())]);
    let notify = Value::object([("ntfy_url", "http://n".into())]);
    let labels = Value::map([("a", "b".into())]);
    let selector = Value::object([("match_labels", labels), ("match_expressions", Value::Null)]);
    let namespaces = Value::object([("from", "All".into()), ("selector", selector)]);
    let env = Value::object([("name", "A".into())]);
    let more = [
        ("image", image),
        ("replicas", Value::from(2)),
        ("notify", notify),
        ("allowed_teams", Value::object([("namespaces", namespaces)])),
        ("env", Value::List(vec![env, Value::UNKNOWN])),
    ];
    value.members_mut().unwrap().extend(more.map(|(name, it)| (name.to_owned(), it)));
    let json = spec.read(&value);
    assert_eq!(json["image"], serde_json::json!({"tag": "v1"}));
    assert_eq!(json["replicas"], 2);
    assert_eq!(json["notify"]["ntfyURL"], "http://n");
    assert_eq!(json["allowedTeams"]["namespaces"]["selector"]["matchLabels"]["a"], "b");
    assert_eq!(json["env"], serde_json::json!([{"name": "A"}, {"name": ""}]));
    serde_json::from_value::<InstallSpec>(json).unwrap();
}
