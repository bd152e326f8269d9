//! States that older versions of the provider wrote: read without a difference, whatever identity
//! they have.
//!
//! The states are kept in `provider/tests/states`, one for each shape that states have had; what
//! the server gives (ids, keys, times) stands in them as `{attribute}` and is filled in from an
//! object that is really there. `provider/tests/states.rs` says when one is missing.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Profile, World};

use crate::kinds::{Kind, filled};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(every_state_that_was_kept_is_read);

const SERVER: &str = "terdut_server";

/// What the server gives, by the attribute that holds it.
const GIVEN: [&str; 11] = [
    "id",
    "url",
    "team_id",
    "service_account_id",
    "token",
    "token_key_id",
    "previous_key_id",
    "bootstrap_token",
    "key",
    "webhook_url",
    "created_at",
];

/// Those of them that private data may repeat.
const KEYS: [&str; 3] = ["token", "bootstrap_token", "key"];

/// A kept state.
struct Kept {
    path: PathBuf,
    text: String,
}

impl Kept {
    /// The state as it would lie on disk for an object that is there.
    fn of(&self, object: &Json) -> Json {
        let text = filled(&self.text, object);
        serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }
}

/// The kept states of a kind; with `UPDATE_EXPECT=1` one is written where only its shape is.
fn kept(type_name: &str, now: impl Fn() -> Json) -> Vec<Kept> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../provider/tests/states");
    let entries = std::fs::read_dir(folder.join(type_name)).expect("states are kept");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let shapes = paths.filter(|path| path.to_string_lossy().ends_with(".shape.json"));
    let kept = shapes.map(|shape| {
        let path = PathBuf::from(shape.to_string_lossy().replace(".shape.", ".state."));
        if !path.is_file() && std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&path, format!("{:#}\n", now())).expect("a state");
        }
        let text = std::fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Kept { path, text }
    });
    kept.collect()
}

/// What is stored at an address, as a kept state.
fn photographed(world: &World, type_name: &str, config: &Json) -> Json {
    let schemas = world.session().schemas();
    let mut private =
        String::from_utf8_lossy(world.private(ADDRESS).unwrap_or_default()).into_owned();
    let state = world.state(ADDRESS).expect("a state");
    for (name, key) in KEYS.iter().filter_map(|name| Some((name, state[*name].as_str()?))) {
        private = private.replace(key, &format!("{{{name}}}"));
    }
    json!({
        "schema_version": schemas.resource(type_name).version,
        "config": templated(config),
        "attributes": templated(state),
        "private": private,
        "identity_version": schemas.identities[type_name].version,
        "identity": templated(world.identity(ADDRESS).expect("an identity")),
    })
}

fn templated(object: &Json) -> Json {
    let mut object = object.clone();
    for (name, value) in object.as_object_mut().into_iter().flatten() {
        if GIVEN.contains(&name.as_str()) && !value.is_null() {
            *value = json!(format!("{{{name}}}"));
        }
    }
    object
}

async fn every_state_that_was_kept_is_read(mut scene: Scene, kind: Kind) {
    scene.settle(&kind, &kind.full).await;
    let now = || photographed(&scene.world, kind.type_name, &kind.full);
    let all = kept(kind.type_name, now);
    assert!(!all.is_empty(), "{}", kind.type_name);
    for kept in all {
        let url = scene.simulator.url().to_owned();
        let config = kept.of(&around(&scene.world, &kind.full, &url))["config"].clone();
        let state = scene.settle(&kind, &config).await;
        let object = around(&scene.world, &state, &url);
        walk(&mut scene.world, kind.type_name, &kept.of(&object), &config).await;
        old_host(&mut scene, &kind, &kept.of(&object), &config).await;
    }
    scene.world.close().await;
}

/// What fills a kept state: the attributes of an object, with the server's address.
fn around(world: &World, state: &Json, url: &str) -> Json {
    let mut object = state.clone();
    let identity = world.identity(ADDRESS).and_then(|identity| identity["url"].as_str());
    object["url"] = json!(identity.unwrap_or(url));
    object
}

/// Identities as older versions and other hosts leave them.
fn identities(kept: &Json) -> Vec<(&'static str, Option<Json>)> {
    let whole = &kept["identity"];
    let edited = |edit: &dyn Fn(&str, &mut Json)| {
        let mut identity = whole.clone();
        let fields = identity.as_object_mut().expect("an object");
        fields.iter_mut().for_each(|(name, value)| edit(name, value));
        Some(identity)
    };
    let no_url = edited(&|name, value| {
        if name == "url" {
            *value = Json::Null;
        }
    });
    let slash = edited(&|name, value| {
        if name == "url" {
            *value = json!(format!("{}/", value.as_str().unwrap_or_default()));
        }
    });
    let mut bare = whole.clone();
    bare.as_object_mut().expect("an object").remove("url");
    let mut more = whole.clone();
    more["of_long_ago"] = json!("x");
    vec![
        ("as it was kept", Some(whole.clone())),
        ("none", None),
        ("nulls", edited(&|_, value| *value = Json::Null)),
        ("empty", Some(json!({}))),
        ("a null url", no_url),
        ("no url", Some(bare)),
        ("a url with a slash", slash),
        ("an attribute that is no more", Some(more)),
    ]
}

fn put(world: &mut World, type_name: &str, kept: &Json, identity: Option<&Json>) {
    let version = kept["schema_version"].as_i64().expect("a version");
    world.put_state(ADDRESS, type_name, version, kept["attributes"].clone());
    world.put_private(ADDRESS, kept["private"].as_str().unwrap_or_default().as_bytes());
    let at = kept["identity_version"].as_i64().expect("a version");
    world.put_identity(ADDRESS, identity.map(|identity| (at, identity.clone())));
}

/// A current host: whatever the identity, the plan is empty, and a refresh makes it whole.
async fn walk(world: &mut World, type_name: &str, kept: &Json, config: &Json) {
    let whole = world.identity(ADDRESS).expect("an identity").clone();
    for (name, identity) in identities(kept) {
        put(world, type_name, kept, identity.as_ref());
        let plan = world.plan(ADDRESS, type_name, config).await;
        plan.unwrap_or_else(|failure| panic!("{name}: {failure}")).expect_empty();
        let read = world.refresh(ADDRESS).await;
        read.unwrap_or_else(|failure| panic!("{name}: {failure}")).expect("it is there");
        assert_eq!(world.identity(ADDRESS), Some(&whole), "{name}");
        world.plan(ADDRESS, type_name, config).await.expect("a plan").expect_empty();
        // And by a change.
        put(world, type_name, kept, identity.as_ref());
        let longer = with_timeouts(config);
        let applied = world.apply(ADDRESS, type_name, &longer).await;
        applied.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        assert_eq!(world.identity(ADDRESS), Some(&whole), "{name}");
        world.apply(ADDRESS, type_name, config).await.expect("an apply");
    }
}

fn with_timeouts(config: &Json) -> Json {
    let mut config = config.clone();
    config["timeouts"] = json!({ "delete": "90s" });
    config
}

/// A host without identities and capabilities.
async fn old_host(scene: &mut Scene, kind: &Kind, kept: &Json, config: &Json) {
    scene.restart(Profile::terraform_1_5()).await;
    put(&mut scene.world, kind.type_name, kept, None);
    let plan = scene.world.plan(ADDRESS, kind.type_name, config).await;
    plan.unwrap_or_else(|failure| panic!("{failure}")).expect_empty();
    scene.world.refresh(ADDRESS).await.expect("a read").expect("it is there");
    scene.restart(Profile::modern()).await;
    scene.settle(kind, config).await;
    scene.world.refresh(ADDRESS).await.expect("a read").expect("it is there");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_state_of_a_server_that_was_kept_is_read() {
    let simulator = Simulator::start(Options::default());
    let mut world = World::new(Host::start(&Binary::provider(), Profile::modern()).await);
    world.configure(&json!({})).await.expect("no setting is required");
    let config = json!({
        "url": simulator.url(),
        "bootstrap": { "username": "root", "email": "root@example.org", "password": "kept-password" },
        "keep_bootstrap_token": true,
        "rotate_when_changed": { "quarter": "q1" },
    });
    world.apply(ADDRESS, SERVER, &config).await.expect("an apply");
    let all = kept(SERVER, || photographed(&world, SERVER, &config));
    assert!(!all.is_empty());
    for kept in all {
        let object = world.state(ADDRESS).expect("a state").clone();
        let kept = kept.of(&object);
        let config = kept["config"].clone();
        world.apply(ADDRESS, SERVER, &config).await.expect("an apply");
        walk(&mut world, SERVER, &kept, &config).await;
    }
    world.destroy(ADDRESS).await.expect("a destroy");
    world.close().await;
}
