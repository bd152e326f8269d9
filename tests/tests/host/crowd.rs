//! Many objects of a kind at once, on a server that loses answers: each is there once.

use std::collections::BTreeSet;

use futures::StreamExt;
use serde_json::{Value as Json, json};
use terdut_simulator::Fault;
use terdut_tests::host::World;

use crate::kinds::{Kind, filled, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(many_at_once_are_each_there_once: team, deadman_switch, alert_source, user,
    service_account, service_account_key);

const MANY: usize = 30;
/// What a host applies at once, unless told otherwise.
const PARALLEL: usize = 10;

async fn many_at_once_are_each_there_once(scene: Scene, kind: Kind) {
    let mut settings = scene.settings();
    settings["max_retries"] = json!(4);
    scene.world.configure(&settings).await.expect("the settings are good");
    let before = ids(&scene, &kind).await;
    let (method, route) = kind.create;
    for nth in [3, 8, 9, 21] {
        scene.simulator.fault(Fault::on(method, route).nth(nth).drop_after());
    }
    scene.simulator.fault(Fault::on(method, route).nth(14).drop_before());
    scene.simulator.fault(Fault::on("GET", "*").nth(4).error(502, "busy"));
    let session = scene.world.session();
    let makes = (0..MANY).map(|number| {
        let (config, type_name) = (numbered(&kind, number), kind.type_name);
        async move {
            let mut world = World::over(session.clone());
            let applied = world.apply(ADDRESS, type_name, &config).await;
            let applied = applied.unwrap_or_else(|failure| panic!("{config}: {failure}"));
            applied.state["id"].as_str().and_then(|id| id.parse::<i64>().ok()).expect("an id")
        }
    });
    let made = futures::stream::iter(makes).buffer_unordered(PARALLEL);
    let made: BTreeSet<i64> = made.collect().await;
    assert_eq!(made.len(), MANY, "two have one id");
    let after = ids(&scene, &kind).await;
    let new: BTreeSet<_> = after.difference(&before).copied().collect();
    assert_eq!(new, made, "what is on the server and what the states say");
    scene.world.close().await;
}

/// The ids that are listed now.
async fn ids(scene: &Scene, kind: &Kind) -> BTreeSet<i64> {
    let list = scene.api.get(&filled(kind.list, &kind.small)).await;
    list.as_array().into_iter().flatten().filter_map(|item| item["id"].as_i64()).collect()
}

/// A configuration with a name of its own.
fn numbered(kind: &Kind, number: usize) -> Json {
    let named =
        |config: &Json, attribute| with(config, attribute, &json!(format!("many-{number}")));
    if kind.type_name == "terdut_user" {
        let email = json!(format!("many-{number}@example.org"));
        return with(&named(&kind.small, "username"), "email", &email);
    }
    named(&kind.small, "name")
}
