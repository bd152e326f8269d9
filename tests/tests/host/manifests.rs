//! What a server is run by, rendered by the data source as for the bridge, and refused by the rules
//! of its custom resource.
//!
//! The specs and the bridge's objects are core's golden files, the rules are those that the CRD is
//! tested with; here both are written in Terraform's names.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json, json};
use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Profile, World};

const DATA: &str = "terdut_server_manifests";
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn golden(name: &str) -> Json {
    let text = fs::read_to_string(root().join("core/src/render/golden").join(name));
    serde_json::from_str(&text.expect("a golden file")).expect("it is JSON")
}

/// A provider that nobody has given a server.
async fn alone() -> World {
    let world = World::new(Host::start(&Binary::provider(), Profile::modern()).await);
    world.configure(&json!({})).await.expect("nothing is needed");
    world
}

fn snake(camel: &str) -> String {
    match camel {
        "ntfyURL" => return "ntfy_url".to_owned(),
        "clientID" => return "client_id".to_owned(),
        _ => {}
    }
    let word = |letter: char| match letter {
        'A'..='Z' => format!("_{}", letter.to_ascii_lowercase()),
        _ => letter.to_string(),
    };
    camel.chars().map(word).collect()
}

/// A spec as a configuration writes it. A map's own keys stay as they are.
fn in_terraform(spec: &Json) -> Json {
    match spec {
        Json::Object(fields) => {
            let field = |(name, value): (&String, &Json)| match name.as_str() {
                "matchLabels" => (snake(name), value.clone()),
                _ => (snake(name), in_terraform(value)),
            };
            Json::Object(fields.iter().map(field).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(in_terraform).collect()),
        other => other.clone(),
    }
}

/// What the bridge finds out about a Postgres cluster has to be said here.
fn with_names(mut config: Json) -> Json {
    let cluster = &mut config["database"]["postgres_cluster_ref"];
    if cluster["name"].as_str().is_some_and(|name| !name.is_empty()) {
        for name in ["database", "user"] {
            if cluster[name].is_null() {
                cluster[name] = json!("terdut");
            }
        }
    }
    config
}

/// A bridge's object as a configuration has it: nobody's but the configuration's.
fn without_the_bridge(object: &Json) -> Json {
    let mut object = object.clone();
    let metadata = object["metadata"].as_object_mut().expect("an object has metadata");
    metadata.remove("ownerReferences").expect("the bridge's objects have an owner");
    assert_eq!(metadata.get("annotations"), None, "else a difference has to be named here");
    metadata["labels"][MANAGED_BY] = json!("terraform");
    object
}

fn key_of(kind: &str) -> &'static str {
    match kind {
        "ServiceAccount" => "service_account",
        "Service" => "service",
        "Deployment" => "deployment",
        "HTTPRoute" => "http_route",
        "PodDisruptionBudget" => "pod_disruption_budget",
        other => panic!("a {other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_rendered_is_the_bridges_but_for_whose_it_is() {
    let world = alone().await;
    for name in ["dsn", "cluster", "everything"] {
        let mut config = with_names(in_terraform(&golden(&format!("{name}.spec.json"))));
        config["namespace"] = json!("platform-oncall");
        let shown = world.read_data(DATA, &config).await.expect("it is valid");
        let bridges = golden(&format!("{name}.json"));
        let bridges = bridges.as_array().expect("a list of objects");
        let expected: Map<_, _> = bridges
            .iter()
            .map(|object| (key_of(object["kind"].as_str().expect("a kind")), object))
            .map(|(key, object)| (key.to_owned(), without_the_bridge(object)))
            .collect();
        let parse = |(key, text): (&String, &Json)| {
            let text = text.as_str().expect("JSON in a string");
            (key.clone(), serde_json::from_str(text).expect("an object is JSON"))
        };
        let objects: Map<_, _> =
            shown["objects"].as_object().expect("a map").iter().map(parse).collect();
        assert_eq!(objects, expected, "{name}");
        let text = shown["yaml"].as_str().expect("a text");
        let documents: Vec<Json> = serde_saphyr::from_multiple(text).expect("it is YAML");
        let in_order: Vec<_> = bridges.iter().map(without_the_bridge).collect();
        assert_eq!(documents, in_order, "{name}");
    }
    world.close().await;
}

/// What the container of a Deployment gets, as far as it is a plain value.
fn plain_values(deployment: &Json) -> Map<String, Json> {
    let env = &deployment["spec"]["template"]["spec"]["containers"][0]["env"];
    let env = env.as_array().expect("an environment").iter();
    let plain = env.filter(|variable| variable.get("valueFrom").is_none());
    plain
        .map(|it| (it["name"].as_str().unwrap_or_default().to_owned(), it["value"].clone()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_environment_is_the_containers_and_secrets_are_only_named() {
    let world = alone().await;
    let config = with_names(in_terraform(&golden("everything.spec.json")));
    let shown = world.read_data(DATA, &config).await.expect("it is valid");
    let deployment = shown["objects"]["deployment"].as_str().expect("a Deployment");
    let deployment: Json = serde_json::from_str(deployment).expect("it is JSON");
    assert_eq!(shown["environment"], Json::Object(plain_values(&deployment)));
    let secret = |name: &str, key: &str| json!({ "name": name, "key": key });
    let expected = json!({
        "PGPASSWORD": secret("terdut.pg.credentials.postgresql.acid.zalan.do", "password"),
        "TERDUT_NOTIFY_TOKEN": secret("ntfy", "other"),
        "TERDUT_OIDC_CLIENT_SECRET": secret("terdut-oidc", "client-secret"),
    });
    assert_eq!(shown["secret_environment"], expected);
    world.close().await;
}

/// RFC 7386.
fn patched(base: &Json, patch: &Json) -> Json {
    let Json::Object(changes) = patch else { return patch.clone() };
    let mut made = base.as_object().cloned().unwrap_or_default();
    for (name, change) in changes {
        if change.is_null() {
            made.remove(name);
        } else {
            let below = patched(made.get(name).unwrap_or(&Json::Null), change);
            made.insert(name.clone(), below);
        }
    }
    Json::Object(made)
}

/// A custom resource as a configuration of the data source.
fn configured(resource: &Json) -> Json {
    let mut config = with_names(in_terraform(&resource["spec"]));
    for field in ["name", "namespace"] {
        config[field] = resource["metadata"][field].clone();
    }
    config
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_are_those_of_the_custom_resource() {
    let world = alone().await;
    let text = fs::read_to_string(root().join("bridge/tests/rules/server.yaml")).expect("rules");
    let rules: Json = serde_saphyr::from_str(&text).expect("they are YAML");
    let cases = rules["cases"].as_array().expect("cases");
    assert!(cases.len() > 50, "{} cases", cases.len());
    for case in cases {
        let rule = &case["rule"];
        let good = configured(&patched(&rules["base"], &case["good"]));
        let judged = world.session().validate_data(DATA, &good).await;
        judged.unwrap_or_else(|failure| panic!("{rule}: {failure}"));
        let bad = configured(&patched(&rules["base"], &case["bad"]));
        let failure = world.session().validate_data(DATA, &bad).await;
        let failure = failure.err().unwrap_or_else(|| panic!("{rule}: it is taken"));
        let field = case["field"].as_str().unwrap_or_default();
        let path = match field.strip_prefix("spec.") {
            Some(path) => path.split('.').map(snake).collect::<Vec<_>>().join("."),
            None => "name".to_owned(),
        };
        let found = failure.paths().iter().any(|told| told.starts_with(&path));
        assert!(found, "{rule}: nothing at {path}: {failure}");
    }
    world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bounds_of_the_custom_resource_hold_and_all_faults_are_told_at_once() {
    let world = alone().await;
    let mut config = in_terraform(&golden("dsn.spec.json"));
    let long = "x".repeat(1025);
    config["replicas"] = json!(11);
    config["networking"]["service_port"] = json!(0);
    config["notify"]["fallback_topic"] = json!(long);
    config["oidc"]["allowed_groups"] = json!(vec!["a"; 65]);
    let variable = |number: usize| json!({ "name": format!("V{number}") });
    config["env"] = Json::Array((0..65).map(variable).collect());
    config["env"][0]["value_from"] = json!({ "secret_key_ref": { "name": "", "key": "k" } });
    config["image"]["tag"] = json!("v 1");
    let failure = world.session().validate_data(DATA, &config).await.expect_err("it is invalid");
    let mut paths = failure.paths();
    paths.dedup();
    let expected = [
        "env",
        "env[0].value_from.secret_key_ref.name",
        "image.tag",
        "networking.service_port",
        "notify.fallback_topic",
        "oidc.allowed_groups",
        "replicas",
    ];
    assert_eq!(paths, expected, "{failure}");
    world.close().await;
}
