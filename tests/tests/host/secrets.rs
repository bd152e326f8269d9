//! A server that repeats every key it was shown, in every form of answer: no diagnostic, plan,
//! state or log line does. (The log is judged by the host when the process ends.)

mod asked;
mod programs;
mod redirects;
mod server;
mod settings;
mod writes;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json};
use terdut_simulator::{Fault, FaultBody, Simulator};
use terdut_tests::host::{Diagnostic, Failure, ImportBy, ListAnswer, Profile, Session};

use crate::kinds::{Kind, filled, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(no_answer_brings_a_secret_into_a_diagnostic);

const HEADER: &str = "header-canary-0815";
const PROXY_PASSWORD: &str = "proxy-canary-1234";

/// Statuses that people see.
const STATUSES: [u16; 9] = [400, 401, 403, 404, 409, 422, 429, 500, 503];

/// Answers that show a text.
fn answers(text: &str) -> Vec<(u16, FaultBody)> {
    let mut all = Vec::new();
    for status in STATUSES {
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

/// Answers that repeat the request.
fn echoes() -> impl Iterator<Item = (u16, FaultBody)> {
    STATUSES.into_iter().map(|status| (status, FaultBody::Echo))
}

/// Settings with a secret of every sort. The server is its own proxy: what goes to it in the clear
/// only has its whole address.
fn secret_settings(base: &str) -> Json {
    let key = rcgen::KeyPair::generate().expect("a key");
    let params = rcgen::CertificateParams::new(vec!["client".to_owned()]).expect("a name");
    let certificate = params.self_signed(&key).expect("a certificate");
    let proxy = base.replacen("http://", &format!("http://gate:{PROXY_PASSWORD}@"), 1);
    json!({
        "headers": { "X-Gate": HEADER }, "proxy": proxy,
        "client_certificate": certificate.pem(), "client_key": key.serialize_pem(),
    })
}

/// What of such settings is secret: whole, and as it goes over the wire.
fn secrets_of(settings: &Json) -> Vec<String> {
    let key = settings["client_key"].as_str().unwrap_or_default();
    let lines = key.lines().filter(|line| !line.starts_with('-')).map(ToOwned::to_owned);
    let mut all: Vec<_> = lines.collect();
    all.extend([HEADER, PROXY_PASSWORD].map(ToOwned::to_owned));
    all.push(BASE64_STANDARD.encode(format!("gate:{PROXY_PASSWORD}")));
    all
}

/// Every key that is on a server now.
fn keys(simulator: &Simulator) -> Vec<String> {
    let state = simulator.state();
    let mut all: Vec<_> = state.keys().into_iter().map(|key| key.text).collect();
    for team in state.teams() {
        let sources = team.integrations.iter();
        all.extend(sources.filter_map(|one| state.integration_key(team.team.id, one.id)));
    }
    all
}

/// Lets the host look for these too, in all that is said and logged.
fn watch(session: &Session, secrets: &[String]) {
    for secret in secrets {
        session.also_secret(secret);
    }
}

/// Every key that there is, and what the settings hold.
fn secrets(scene: &Scene, state: Option<&Json>) -> Vec<String> {
    let mut all = keys(&scene.simulator);
    all.push(scene.api.token().to_owned());
    all.extend(secrets_of(&scene.more));
    let stored = ["token", "key"].map(|name| state.and_then(|state| state[name].as_str()));
    all.extend(stored.into_iter().flatten().map(str::to_owned));
    all
}

async fn no_answer_brings_a_secret_into_a_diagnostic(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    scene.more = secret_settings(scene.api.base());
    // Another process, which has not seen the keys being made.
    scene.restart(Profile::modern()).await;
    let secrets = secrets(&scene, Some(&state));
    watch(scene.world.session(), &secrets);
    for (status, body) in answers(&secrets.join(" and ")).into_iter().chain(echoes()) {
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
    let mut all = Vec::new();
    let version = scene.world.session().schemas().resource(kind.type_name).version;
    scene.world.put_state(ADDRESS, kind.type_name, version, state.clone());
    all.extend(failed(scene.world.refresh(ADDRESS).await));
    let plan = scene.world.plan(ADDRESS, kind.type_name, &kind.full).await;
    all.extend(said(&plan.map(|plan| plan.diagnostics)));
    if let Some(change) = kind.changes.iter().find(|change| change.calls) {
        let config = with(&kind.full, change.attribute, &change.value);
        let applied = scene.world.apply(ADDRESS, kind.type_name, &config).await;
        all.extend(said(&applied.map(|applied| applied.diagnostics)));
    }
    let destroyed = scene.world.destroy(ADDRESS).await;
    all.extend(said(&destroyed.map(|destroyed| destroyed.diagnostics)));
    scene.world.forget(ADDRESS);
    let applied = scene.world.apply(ADDRESS, kind.type_name, &kind.small).await;
    all.extend(said(&applied.map(|applied| applied.diagnostics)));
    scene.world.forget(ADDRESS);
    let id = filled(kind.imports[0], state);
    all.extend(said(&scene.world.import(ADDRESS, kind.type_name, ImportBy::Id(&id)).await));
    scene.world.forget(ADDRESS);
    let answer = scene.world.session().list(kind.type_name, &Json::Null, true, 100).await;
    all.extend(listed(&answer));
    assert!(!all.is_empty(), "nothing failed");
    all
}

/// All that is told, whichever way it ended.
fn said(outcome: &Result<Vec<Diagnostic>, Failure>) -> Vec<String> {
    let told = match outcome {
        Ok(told) => told,
        Err(failure) => &failure.diagnostics,
    };
    told.iter().map(ToString::to_string).collect()
}

fn listed(answer: &ListAnswer) -> Vec<String> {
    let mut all = said(&answer.outcome);
    all.extend(answer.names().into_iter().map(str::to_owned));
    all
}

fn failed<T>(outcome: Result<T, Failure>) -> Option<String> {
    outcome.err().map(|failure| failure.to_string())
}
