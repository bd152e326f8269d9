//! Tests of the objects as outsiders see them: golden files, rewritten by `UPDATE_EXPECT=1`.

use std::fmt::Write as _;

use expect_test::{ExpectFile, expect_file};
use serde_json::{Value, json};

use super::*;
use crate::model::install::{DatabaseChoice, InstallSpec};
use crate::problem::Findings;

fn install(spec: &str) -> Install {
    let spec: InstallSpec = serde_json::from_str(spec).unwrap();
    let mut findings = Findings::default();
    let install = spec.validate(&mut findings);
    assert!(findings.is_valid(), "{:?}", findings.errors);
    install.unwrap()
}

fn place() -> Place {
    let text = |text: &str| text.to_owned();
    let owner = Owner {
        api_version: text("terdut.ryuvia.com/v1alpha1"),
        kind: text("TerdutServer"),
        name: text("terdut"),
        uid: text("5b1c7e0a-0000-4000-8000-000000000001"),
    };
    Place {
        namespace: text("platform-oncall"),
        name: text("terdut"),
        owner: Some(owner),
        ..Place::default()
    }
}

fn database(install: &Install) -> Database {
    match &install.database {
        DatabaseChoice::Dsn { dsn, password } => Database::from_dsn(dsn, password),
        DatabaseChoice::Cluster(cluster) => {
            let postgresql = json!({"spec": {"databases": {"terdut": "terdut"}}});
            Database::from_postgresql(&postgresql, cluster, "platform-oncall").unwrap()
        }
    }
}

fn rendered(spec: &str) -> Objects {
    let install = install(spec);
    objects(&install, &place(), &database(&install))
}

fn check(spec: &str, golden: &ExpectFile) {
    let text = serde_json::to_string_pretty(&rendered(spec).all()).unwrap();
    golden.assert_eq(&(text + "\n"));
}

#[test]
fn a_server_with_a_dsn_and_every_field_written_out() {
    check(include_str!("golden/dsn.spec.json"), &expect_file!["golden/dsn.json"]);
}

#[test]
fn a_server_with_a_postgres_cluster() {
    check(include_str!("golden/cluster.spec.json"), &expect_file!["golden/cluster.json"]);
}

#[test]
fn a_server_with_every_option() {
    check(include_str!("golden/everything.spec.json"), &expect_file!["golden/everything.json"]);
}

const LEAST: &str = r#"{
    "image": {"tag": "v1"},
    "database": {"dsn": "postgres://t@h/t", "passwordSecretRef": {"name": "db"}}
}"#;

#[test]
fn replicas_that_nobody_gave_are_left_to_the_autoscaler() {
    let objects = rendered(LEAST);
    assert_eq!(objects.deployment["spec"].get("replicas"), None);
    assert_eq!(objects.disruption_budget, None);
    assert_eq!(objects.route, None);
}

#[test]
fn a_new_version_of_the_databases_secret_does_not_touch_the_pods() {
    let install = install(LEAST);
    let at = |version: &str| {
        let database = database(&install).started_with(version);
        objects(&install, &place(), &database).deployment
    };
    let (one, two) = (at("1"), at("2"));
    assert_eq!(one["metadata"]["annotations"][DATABASE_SECRET_VERSION], "1");
    assert_ne!(one["metadata"], two["metadata"]);
    assert_eq!(one["spec"], two["spec"]);
}

#[test]
fn without_an_owner_the_objects_belong_to_nobody() {
    let install = install(LEAST);
    let place = Place { owner: None, ..place() };
    for object in objects(&install, &place, &database(&install)).all() {
        assert_eq!(object["metadata"].get("ownerReferences"), None);
    }
}

#[test]
fn objects_of_a_configuration_differ_only_in_whose_they_are() {
    for spec in [
        include_str!("golden/dsn.spec.json"),
        include_str!("golden/cluster.spec.json"),
        include_str!("golden/everything.spec.json"),
        LEAST,
    ] {
        let install = install(spec);
        let configuration = Place { owner: None, manager: Manager::Terraform, ..place() };
        let theirs = objects(&install, &configuration, &database(&install));
        let ours = objects(&install, &place(), &database(&install));
        for (mut ours, theirs) in ours.all().into_iter().cloned().zip(theirs.all()) {
            let owner = place().owner.unwrap();
            let standing = foreign(theirs, &owner, None);
            assert_eq!(standing, Standing::Foreign { controller: None }, "no bridge takes it up");
            assert_eq!(theirs["metadata"].get("annotations"), None);
            let metadata = ours["metadata"].as_object_mut().unwrap();
            metadata.remove("ownerReferences").unwrap();
            metadata["labels"][MANAGED_BY.0] = json!("terraform");
            assert_eq!(&ours, theirs);
        }
    }
}

#[test]
fn the_selector_is_part_of_every_pods_labels() {
    let deployment = rendered(LEAST).deployment;
    let selector = &deployment["spec"]["selector"]["matchLabels"];
    assert_eq!(selector, &deployment["spec"]["template"]["metadata"]["labels"]);
    let expected = json!({
        "app.kubernetes.io/instance": "terdut",
        "app.kubernetes.io/name": "terdut-server",
    });
    assert_eq!(selector, &expected, "immutable: a change breaks every upgrade");
}

fn values(spec: &Value) -> Vec<(String, Option<String>)> {
    let install = install(&spec.to_string());
    let variables = environment(&install, &database(&install));
    variables.into_iter().map(|variable| (variable.name, variable.value)).collect()
}

#[test]
fn env_replaces_a_rendered_variable_where_it_stands() {
    let mut spec: Value = serde_json::from_str(LEAST).unwrap();
    let before = values(&spec);
    spec["env"] = json!([
        {"name": "EXTRA", "value": "$(TERDUT_SWEEPER_STALE_AFTER)"},
        {"name": "TERDUT_SWEEPER_STALE_AFTER", "value": "1h"},
        {"name": "PGPASSWORD", "valueFrom": {"secretKeyRef": {"name": "mine", "key": "p"}}},
    ]);
    let after = values(&spec);
    let names = |values: &[(String, Option<String>)]| {
        values.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&after)[..before.len()], names(&before));
    let changed = ("TERDUT_SWEEPER_STALE_AFTER".to_owned(), Some("1h".to_owned()));
    assert!(after.contains(&changed));
    let last = after.last().unwrap().1.as_deref();
    assert_eq!(last, Some("$(TERDUT_SWEEPER_STALE_AFTER)"), "env[] may refer to others");
    assert_eq!(after.iter().filter(|(name, _)| name == "PGPASSWORD").count(), 1);
}

#[test]
fn without_kubernetes_values_stand_for_themselves_and_secrets_are_named() {
    let install = install(include_str!("golden/everything.spec.json"));
    let plain = plain_environment(&install, &database(&install));
    let value = |name: &str| plain.values.get(name).map(String::as_str);
    assert_eq!(value("TERDUT_OIDC_ALLOWED_GROUPS"), Some("oncall,platform"));
    assert_eq!(value("LOG_LEVEL"), Some("debug"));
    for only_in_kubernetes in ["POD_IP", "REGION", "GOMEMLIMIT"] {
        assert_eq!(value(only_in_kubernetes), None);
    }
    let secret = |name: &str| plain.secrets.get(name).map(|key| (&*key.name, &*key.key));
    let password = "terdut.pg.credentials.postgresql.acid.zalan.do";
    assert_eq!(secret("PGPASSWORD"), Some((password, "password")));
    assert_eq!(secret("TERDUT_NOTIFY_TOKEN"), Some(("ntfy", "other")));
    assert_eq!(secret("TERDUT_OIDC_CLIENT_SECRET"), Some(("terdut-oidc", "client-secret")));
    let secrets: Vec<_> = TABLE.iter().filter(|row| row.secret).map(|row| row.name).collect();
    assert!(plain.secrets.keys().eq([
        "PGPASSWORD",
        "TERDUT_NOTIFY_TOKEN",
        "TERDUT_OIDC_CLIENT_SECRET"
    ]));
    assert!(secrets.iter().all(|name| plain.secrets.contains_key(*name)), "{secrets:?}");
    assert_eq!(plain.secrets.len(), secrets.len());

    let mut spec: Value = serde_json::from_str(LEAST).unwrap();
    spec["notify"] = json!({"fallbackTopic": "$(PGPASSWORD)"});
    spec["env"] = json!([
        {"name": "LINK", "value": "for $(TERDUT_SWEEPER_STALE_AFTER)"},
        {"name": "TOLD", "value": "$(PGPASSWORD)"},
        {"name": "TWICE", "value": "$(TOLD)"},
    ]);
    let install = super::tests::install(&spec.to_string());
    let plain = plain_environment(&install, &database(&install));
    assert_eq!(plain.values["TERDUT_NOTIFY_FALLBACK_TOPIC"], "$(PGPASSWORD)");
    assert_eq!(plain.values["LINK"], "for 6h");
    assert!(!plain.values.contains_key("TOLD") && !plain.values.contains_key("TWICE"));
}

#[test]
fn what_a_field_says_is_read_back_as_it_stands() {
    for (said, rendered) in [
        ("$(PGPASSWORD)", "$$(PGPASSWORD)"),
        ("$$(PGPASSWORD)", "$$$$(PGPASSWORD)"),
        ("$$$(PGPASSWORD)", "$$$$$$(PGPASSWORD)"),
        ("a$$b", "a$$$b"),
        ("a$$", "a$$$"),
        ("$(a", "$$(a"),
        ("$é", "$$é"),
        // A dollar that means nothing to Kubernetes stays, so that nothing rolls out for it.
        ("$", "$"),
        ("a$", "a$"),
        ("$x $", "$x $"),
    ] {
        let mut spec: Value = serde_json::from_str(LEAST).unwrap();
        spec["notify"] = json!({ "fallbackTopic": said });
        let topic =
            values(&spec).into_iter().find(|(name, _)| name == "TERDUT_NOTIFY_FALLBACK_TOPIC");
        assert_eq!(topic.unwrap().1.as_deref(), Some(rendered), "{said}");
        let install = super::tests::install(&spec.to_string());
        let plain = plain_environment(&install, &database(&install));
        assert_eq!(plain.values["TERDUT_NOTIFY_FALLBACK_TOPIC"], said);
    }
}

#[test]
fn another_spelling_does_not_restart_the_server() {
    let mut spec: Value = serde_json::from_str(LEAST).unwrap();
    spec["deadman"] = json!({"matchers": "b=2, a=1", "timeout": "900s"});
    spec["sweeper"] = json!({"staleAfter": "360m"});
    let one = values(&spec);
    spec["deadman"] = json!({"matchers": "a=1,b=2"});
    spec["sweeper"] = json!({});
    assert_eq!(one, values(&spec));
}

#[test]
fn an_assumed_variable_is_named_after_its_field() {
    for row in TABLE.iter().filter(|row| row.source == Source::Assumed) {
        let mut name = "TERDUT_".to_owned();
        let mut before = '.';
        let field = row.field.replace("tokenSecretRef", "token").replace("SecretRef", "Secret");
        for letter in field.chars() {
            if letter.is_uppercase() && before.is_lowercase() {
                name.push('_');
            }
            name.push(if letter == '.' { '_' } else { letter.to_ascii_uppercase() });
            before = letter;
        }
        assert_eq!(row.name, name);
    }
}

#[test]
fn the_table_of_variables_is_that_of_the_page() {
    let mut page = "# The server's environment\n\n\
        Generated from the table from which the bridge renders it; a change shows here.\n\n\
        Known: the server is known to take it. Assumed: named by the rule `TERDUT_` and the field \
        in capitals, until somebody has looked. `env[]` of a TerdutServer overrides each.\n\n\
        The server is taken to listen on port 8080 and to answer `GET /healthz`.\n\n\
        | variable | field | known or assumed | when and how it is set |\n|---|---|---|---|\n"
        .to_owned();
    for row in TABLE {
        let source = match row.source {
            Source::Known => "known",
            Source::Assumed => "assumed",
        };
        let _ = writeln!(page, "| `{}` | `{}` | {source} | {} |", row.name, row.field, row.made);
    }
    expect_file!["../../../docs/environment.md"].assert_eq(&page);
}
