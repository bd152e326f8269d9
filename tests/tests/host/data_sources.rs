//! Data sources: by id or by name, lists, and what they say when there is nothing to say.

use std::time::Duration;

use serde_json::{Value as Json, json};
use terdut_tests::harness::not_gone;

use crate::kinds::Kind;
use crate::scene::Scene;

for_each_kind!(one_is_found_by_id_and_by_name_and_in_the_list: team, deadman_switch, alert_source,
    user, service_account);
for_each_kind!(a_look_up_that_cannot_be_answered_says_why: team, deadman_switch, alert_source,
    user, service_account);

/// The attribute of a kind that data sources call its name.
fn name_of(kind: &Kind) -> &'static str {
    if kind.type_name == "terdut_user" { "username" } else { "name" }
}

/// A look-up in the team of an object, where it has one.
fn look_up(kind: &Kind, state: &Json, more: &Json) -> Json {
    let mut config = more.clone();
    if kind.list.contains("{team_id}") {
        config["team_id"] = state["team_id"].clone();
    }
    config
}

async fn one_is_found_by_id_and_by_name_and_in_the_list(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let name = &state[name_of(&kind)];
    for by in [json!({ "id": state["id"] }), json!({ "name": name })] {
        let config = look_up(&kind, &state, &by);
        let found = scene.world.read_data(kind.type_name, &config).await;
        let found = found.unwrap_or_else(|failure| panic!("{config}: {failure}"));
        assert_eq!((&found["id"], &found["name"]), (&state["id"], name), "{found}");
        for (attribute, value) in found.as_object().into_iter().flatten() {
            // The server's spelling, where it has one of its own.
            let free = ["name", "timeout", "matcher"].contains(&attribute.as_str());
            let same = free || *value == state[attribute];
            assert!(same, "{attribute}: {value} against {}", state[attribute]);
        }
    }
    let ending = if kind.type_name.ends_with("ch") { "es" } else { "s" };
    let plural = format!("{}{ending}", kind.type_name);
    let prefix: String = name.as_str().unwrap_or_default().chars().take(2).collect();
    for (more, expected) in [
        (json!({}), true),
        (json!({ "name_prefix": prefix }), true),
        (json!({ "name_prefix": "no such thing" }), false),
    ] {
        let config = look_up(&kind, &state, &more);
        let found = scene.world.read_data(&plural, &config).await;
        let found = found.unwrap_or_else(|failure| panic!("{config}: {failure}"));
        let list = &found[plural.trim_start_matches("terdut_")];
        let items = list.as_array().unwrap_or_else(|| panic!("no list in {found}"));
        assert_eq!(items.iter().any(|item| item["id"] == state["id"]), expected, "{found}");
    }
    scene.world.close().await;
}

async fn a_look_up_that_cannot_be_answered_says_why(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    let session = scene.world.session().clone();
    let unknown = json!({ "$unknown": true });
    for bad in [json!({}), json!({ "id": "1", "name": "x" }), json!({ "id": "one" })] {
        let config = look_up(&kind, &state, &bad);
        session.validate_data(kind.type_name, &config).await.expect_err("it is invalid");
    }
    for open in [
        json!({ "id": unknown }),
        json!({ "name": unknown }),
        json!({ "id": unknown, "name": unknown }),
        json!({ "id": unknown, "name": "x" }),
    ] {
        let config = look_up(&kind, &state, &open);
        let judged = session.validate_data(kind.type_name, &config).await;
        judged.unwrap_or_else(|failure| panic!("nothing is known of {open}: {failure}"));
    }
    for missing in [json!({ "id": "999999" }), json!({ "name": "nobody" })] {
        let config = look_up(&kind, &state, &missing);
        let failure =
            scene.world.read_data(kind.type_name, &config).await.expect_err("there is nothing");
        let asked = missing.as_object().and_then(|it| it.values().next()).and_then(Json::as_str);
        assert!(failure.says(asked.unwrap_or_default()), "{failure}");
    }
    scene.world.configure(&json!({ "url": unknown, "token": unknown })).await.expect("it is open");
    let config = look_up(&kind, &state, &json!({ "id": state["id"] }));
    let failure =
        scene.world.read_data(kind.type_name, &config).await.expect_err("there is nothing");
    assert!(failure.says("url") && failure.says("depends_on"), "{failure}");
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_on_call_is_null_and_no_error() {
    let scene = Scene::start().await;
    let nobody = json!({ "user_id": null, "username": null, "date": null });
    assert_eq!(scene.world.read_data("terdut_on_call", &json!({})).await.expect("read"), nobody);
    let ada = scene.api.find("/api/users", "username", "ada").await.expect("a user");
    scene.simulator.state().put_on_call(ada["id"].as_i64().expect("an id"));
    let found = scene.world.read_data("terdut_on_call", &json!({})).await.expect("read");
    assert_eq!(
        (&found["user_id"], &found["username"]),
        (&json!(ada["id"].to_string()), &json!("ada"))
    );
    assert_eq!(found["date"].as_str().map(str::len), Some("2026-01-31".len()));
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_answer_about_the_schedule_is_an_error() {
    let scene = Scene::start().await;
    for (name, fault) in not_gone(Duration::from_secs(1)) {
        scene.simulator.clear_faults();
        scene.simulator.fault(fault);
        let read = scene.world.read_data("terdut_on_call", &json!({})).await;
        let failure = read.err().unwrap_or_else(|| panic!("{name}: it was taken for nobody"));
        assert!(failure.says("on call"), "{name}: {failure}");
    }
    scene.world.close().await;
}
