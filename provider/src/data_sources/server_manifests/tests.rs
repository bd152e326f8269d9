//! Tests of the arguments; what is rendered of them is tested through the strict host.

use terdut_plugin::diagnostics::Severity;
use terdut_plugin::ty::Type;

use super::*;

/// A configuration: the schema's object with some attributes set.
fn config(set: &[(&str, Value)]) -> Value {
    let mut config = Value::empty_object(&ServerManifests.schema().ty());
    let image = filled("image", &[("tag", "v1".into())]);
    let secret =
        ("password_secret_ref", Value::object([("name", "db".into()), ("key", Value::Null)]));
    let database = filled("database", &[("dsn", "postgres://t@h/t".into()), secret]);
    let members = config.members_mut().unwrap();
    members.extend([("image".to_owned(), image), ("database".to_owned(), database)]);
    members.extend(set.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    config
}

/// A nested object with some attributes set.
fn filled(name: &str, set: &[(&str, Value)]) -> Value {
    let ty = ServerManifests.schema().get(name).unwrap().ty();
    object(&ty, set)
}

fn object(ty: &Type, set: &[(&str, Value)]) -> Value {
    let mut object = Value::empty_object(ty);
    object
        .members_mut()
        .unwrap()
        .extend(set.iter().map(|(name, it)| ((*name).to_owned(), it.clone())));
    object
}

fn variable(set: &[(&str, Value)]) -> Value {
    let Type::List(element) = ServerManifests.schema().get("env").unwrap().ty() else { panic!() };
    object(&element, set)
}

/// What is told: paths of errors, then paths of warnings.
fn told(config: &Value) -> (Vec<String>, Vec<String>) {
    let mut diagnostics = Diagnostics::new();
    ServerManifests.validate(config, &mut diagnostics);
    let paths = |severity| {
        let of = diagnostics.iter().filter(move |one| one.severity == severity);
        of.map(|one| one.path.as_ref().map(ToString::to_string).unwrap_or_default()).collect()
    };
    (paths(Severity::Error), paths(Severity::Warning))
}

#[test]
fn every_fault_is_told_in_one_run_at_its_path() {
    let cluster = filled(
        "database",
        &[(
            "postgres_cluster_ref",
            Value::object([
                ("name", "pg".into()),
                ("database", Value::Null),
                ("user", Value::Null),
            ]),
        )],
    );
    let twice = variable(&[("name", "A".into())]);
    let bad = config(&[
        ("name", "1-terdut".into()),
        ("namespace", "Ops".into()),
        ("image", filled("image", &[("tag", "v 1".into())])),
        ("database", cluster),
        ("notify", filled("notify", &[("ntfy_url", "ntfy".into())])),
        ("password_login", Value::Bool(false)),
        ("env", Value::List(vec![twice.clone(), twice])),
    ]);
    let (mut errors, _) = told(&bad);
    errors.sort();
    let expected = [
        "database.postgres_cluster_ref.database",
        "database.postgres_cluster_ref.user",
        "env[1].name",
        "image.tag",
        "name",
        "namespace",
        "notify.ntfy_url",
        "password_login",
    ];
    assert_eq!(errors, expected);
}

#[test]
fn a_postgres_cluster_needs_both_names() {
    let names = |database: Value, user: Value| {
        let cluster = [("name", "pg".into()), ("database", database), ("user", user)];
        let cluster = ("postgres_cluster_ref", Value::object(cluster));
        told(&config(&[("database", filled("database", &[cluster]))])).0
    };
    let path = |field: &str| format!("database.postgres_cluster_ref.{field}");
    assert_eq!(names(Value::Null, "".into()), [path("database"), path("user")]);
    assert_eq!(names("terdut".into(), Value::Null), [path("user")]);
    assert_eq!(names("terdut".into(), Value::UNKNOWN), Vec::<String>::new());
    assert_eq!(names("terdut".into(), "owner".into()), Vec::<String>::new());
}

#[test]
fn nothing_is_told_that_something_unknown_may_settle() {
    for set in [
        &[("database", Value::UNKNOWN)][..],
        &[("image", filled("image", &[("tag", Value::UNKNOWN)]))],
        &[("database", filled("database", &[("postgres_cluster_ref", Value::UNKNOWN)]))],
        &[("password_login", Value::Bool(false)), ("oidc", Value::UNKNOWN)],
        &[("env", Value::List(vec![variable(&[("name", Value::UNKNOWN)]); 2]))],
        &[("name", Value::UNKNOWN), ("namespace", Value::UNKNOWN)],
        &[("bootstrap", Value::UNKNOWN)],
        &[(
            "sweeper",
            filled("sweeper", &[("stale_after", "200h".into()), ("archive_after", Value::UNKNOWN)]),
        )],
    ] {
        assert_eq!(told(&config(set)), (Vec::new(), Vec::new()), "{set:?}");
    }
    let beside = [("image", filled("image", &[("tag", Value::UNKNOWN)])), ("name", "A".into())];
    assert_eq!(told(&config(&beside)).0, ["name"], "what is known is judged");
}

#[test]
fn a_secret_in_plain_sight_is_refused() {
    let of = |name: &str, value: &str| {
        let env = variable(&[("name", name.into()), ("value", value.into())]);
        told(&config(&[("env", Value::List(vec![env]))])).0
    };
    assert_eq!(of("PGPASSWORD", "hunter2"), ["env[0].value"]);
    assert_eq!(of("TERDUT_NOTIFY_TOKEN", "tk"), ["env[0].value"]);
    assert_eq!(of("TERDUT_DATABASE_DSN", "postgres://u:pw@h/d"), ["env[0].value"]);
    let dsn = "postgres://u:$(PGPASSWORD)@h/d";
    assert_eq!(of("TERDUT_DATABASE_DSN", dsn), Vec::<String>::new());
    assert_eq!(of("PGPASSWORD", ""), Vec::<String>::new());
    assert_eq!(of("LOG_LEVEL", "debug"), Vec::<String>::new());
}

#[test]
fn what_only_the_bridge_heeds_is_said() {
    let bootstrap = filled("bootstrap", &[("username", "root".into())]);
    let nothing = filled("credentials_secret_ref", &[("name", "".into())]);
    let set = [("bootstrap", bootstrap), ("credentials_secret_ref", nothing)];
    assert_eq!(told(&config(&set)), (Vec::new(), vec!["bootstrap".to_owned()]));
}

#[test]
fn no_argument_is_computed_and_no_output_is_anything_else() {
    let outputs = ["objects", "yaml", "environment", "secret_environment"];
    for attribute in ServerManifests.schema().all() {
        assert_eq!(attribute.is_computed(), outputs.contains(&attribute.name()), "{attribute:?}");
    }
}

#[test]
fn texts_name_fields_as_terraform_does() {
    fn walk(attributes: &[Attribute], texts: &mut Vec<String>) {
        for attribute in attributes {
            texts.push(attribute.description().to_owned());
            walk(attribute.nested().unwrap_or_default(), texts);
        }
    }
    let mut texts = Vec::new();
    walk(ServerManifests.schema().all(), &mut texts);
    for text in texts {
        assert!(!text.is_empty());
        for camel in ["staleAfter", "valueFrom", "postgresClusterRef", "ntfyURL"] {
            assert!(!text.contains(camel), "{text}");
        }
    }
}
