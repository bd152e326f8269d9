//! A server that repeats every key it was shown, in every form of answer: no diagnostic, plan,
//! state or log line does. (The log is judged by the host when the process ends.)

use serde_json::{Value as Json, json};
use terdut_simulator::{Action, Fault, FaultBody, Options, Simulator};
use terdut_tests::harness::Binary;
use terdut_tests::host::{Diagnostic, Failure, Host, ImportBy, Opened, Profile, to_json};

use crate::kinds::{Kind, filled, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(no_answer_brings_a_secret_into_a_diagnostic);

const RUN_KEY: &str = "terdut_service_account_key";
const HEADER: &str = "header-canary-0815";

/// Answers that show a text.
fn answers(text: &str) -> Vec<(u16, FaultBody)> {
    let mut all = Vec::new();
    for status in [400, 401, 403, 404, 409, 422, 429, 500, 503] {
        all.push((status, FaultBody::Json(json!({ "error": format!("no: {text}") }))));
        all.push((status, FaultBody::Text(format!("no: {text}"))));
    }
    all.push((502, FaultBody::Html(format!("<title>{text}</title>"))));
    all.push((200, FaultBody::Text(text.to_owned())));
    all.push((200, FaultBody::Json(json!({ "error": text }))));
    all.push((200, FaultBody::Json(json!([{ "id": text, "name": text }]))));
    all.push((200, FaultBody::CutOff(format!("[{{\"id\": 1, \"name\": \"{text}"))));
    all
}

/// Every key that there is, and what the settings hold.
fn secrets(scene: &Scene, state: Option<&Json>) -> Vec<String> {
    let mut all = vec![scene.api.token().to_owned(), HEADER.to_owned()];
    all.extend(scene.simulator.state().keys().into_iter().map(|key| key.text));
    let stored = ["token", "key"].map(|name| state.and_then(|state| state[name].as_str()));
    all.extend(stored.into_iter().flatten().map(str::to_owned));
    all
}

async fn no_answer_brings_a_secret_into_a_diagnostic(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    // Another process, which has not seen the keys being made.
    scene.restart(Profile::modern()).await;
    let mut settings = scene.settings();
    settings["headers"] = json!({ "X-Gate": HEADER });
    scene.world.configure(&settings).await.expect("the settings are good");
    let secrets = secrets(&scene, Some(&state));
    for (status, body) in answers(&secrets.join(" and ")) {
        scene.simulator.fault(Fault::on("*", "*").always().answer(status, body));
        for said in told(&mut scene, &kind, &state).await {
            for secret in &secrets {
                assert!(!said.contains(secret), "{} after {status}: {said}", kind.type_name);
            }
        }
        scene.simulator.clear_faults();
    }
    scene.world.close().await;
}

/// What is said of an object that is read, changed, removed and imported, and of a new one.
async fn told(scene: &mut Scene, kind: &Kind, state: &Json) -> Vec<String> {
    let mut said = Vec::new();
    let version = scene.world.session().schemas().resource(kind.type_name).version;
    scene.world.put_state(ADDRESS, kind.type_name, version, state.clone());
    said.extend(failed(scene.world.refresh(ADDRESS).await));
    if let Some(change) = kind.changes.iter().find(|change| change.calls) {
        let config = with(&kind.full, change.attribute, &change.value);
        said.extend(failed(scene.world.apply(ADDRESS, kind.type_name, &config).await));
    }
    said.extend(failed(scene.world.destroy(ADDRESS).await));
    scene.world.forget(ADDRESS);
    said.extend(failed(scene.world.apply(ADDRESS, kind.type_name, &kind.small).await));
    scene.world.forget(ADDRESS);
    let id = filled(kind.imports[0], state);
    said.extend(failed(scene.world.import(ADDRESS, kind.type_name, ImportBy::Id(&id)).await));
    scene.world.forget(ADDRESS);
    let listed = scene.world.session().list(kind.type_name, &Json::Null, true, 100).await;
    said.extend(listed.names().into_iter().map(str::to_owned));
    said.extend(failed(listed.outcome));
    assert!(!said.is_empty(), "nothing failed");
    said
}

fn failed<T>(outcome: Result<T, Failure>) -> Option<String> {
    outcome.err().map(|failure| failure.to_string())
}

/// What is said of a key for one run that is opened, and of one that is closed.
async fn told_of_a_run(scene: &Scene, open: &Opened) -> Vec<String> {
    let session = scene.world.session();
    let config = json!({ "service_account_id": scene.fixture.account });
    let opened = session.open_ephemeral(RUN_KEY, &config).await;
    let closed = session.close_ephemeral(RUN_KEY, open).await;
    let warnings = |told: &[Diagnostic]| told.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut said = match &opened {
        Ok(opened) => warnings(&opened.warnings),
        Err(failure) => vec![failure.to_string()],
    };
    said.extend(closed.map_or_else(|failure| vec![failure.to_string()], |told| warnings(&told)));
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_brings_a_runs_key_into_a_diagnostic() {
    let mut scene = Scene::start().await;
    let config = json!({ "service_account_id": scene.fixture.account });
    let open = scene.world.session().open_ephemeral(RUN_KEY, &config).await.expect("it opens");
    let mut secrets = secrets(&scene, None);
    secrets.extend(to_json(&open.result)["token"].as_str().map(str::to_owned));
    // With the process that made the key, and with one that closes what another one opened.
    for again in [false, true] {
        if again {
            scene.restart(Profile::modern()).await;
        }
        let mut settings = scene.settings();
        settings["headers"] = json!({ "X-Gate": HEADER });
        scene.world.configure(&settings).await.expect("the settings are good");
        for (status, body) in answers(&secrets.join(" and ")) {
            scene.simulator.fault(Fault::on("*", "*").always().answer(status, body));
            for said in told_of_a_run(&scene, &open).await {
                for secret in &secrets {
                    assert!(!said.contains(secret), "after {status}: {said}");
                }
            }
            scene.simulator.clear_faults();
        }
    }
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_redirect_is_followed_with_a_key() {
    let other = Simulator::start(Options::default());
    for status in [301, 302, 303, 307, 308] {
        let mut scene = Scene::start().await;
        let kind = scene.kind("terdut_team");
        scene.settle(&kind, &kind.full).await;
        let there = format!("{}/api/teams?key={}", other.url(), scene.api.token());
        let headers = [("Location".to_owned(), there)].into();
        let action = Action::Answer { status, headers, body: FaultBody::Empty };
        scene.simulator.fault(Fault::on("*", "*").always().action(action));
        // What was listed before is forgotten.
        scene.world.configure(&scene.settings()).await.expect("the settings are good");
        let failure = scene.world.refresh(ADDRESS).await.expect_err("it is not followed");
        assert!(failure.says("redirect") && failure.says(other.url()), "{failure}");
        assert!(!failure.to_string().contains(scene.api.token()), "{failure}");
        scene.world.close().await;
    }
    assert!(other.requests().is_empty(), "{:?}", other.requests());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_setting_is_repeated_when_it_is_bad() {
    let scene = Scene::start().await;
    let canary = "setting-canary-4711";
    for (setting, value) in [
        ("token", json!(format!("{canary}\n"))),
        ("token", json!(format!("{canary}\u{e9}"))),
        ("client_key", json!(format!("-----BEGIN PRIVATE KEY-----\n{canary}"))),
        ("proxy", json!(format!("http://user:{canary}@["))),
        ("proxy", json!(format!("gopher://user:{canary}@host"))),
        ("headers", json!({ "X-Gate": format!("{canary}\n") })),
        ("headers", json!({ "bad name": canary })),
    ] {
        let mut settings = scene.settings();
        settings[setting] = value;
        let told = scene.world.session().validate_provider(&settings).await;
        let told = told.map(|warnings| format!("{warnings:?}"));
        let told = told.unwrap_or_else(|failure| failure.to_string());
        assert!(!told.contains("canary"), "{setting}: {told}");
    }
    for variable in ["TERDUT_HEADERS", "TERDUT_PROXY", "TERDUT_CLIENT_KEY", "TERDUT_MAX_RETRIES"] {
        let binary = Binary::provider().with_env(variable, &format!("\"{canary}"));
        let host = Host::start(&binary, Profile::modern()).await;
        let told = host.session().validate_provider(&json!({})).await;
        let told = told.map(|warnings| format!("{warnings:?}"));
        let told = told.unwrap_or_else(|failure| failure.to_string());
        // What is no secret may be shown.
        assert_eq!(told.contains("canary"), variable == "TERDUT_MAX_RETRIES", "{told}");
        host.shutdown().await;
    }
    scene.world.close().await;
}
