//! The kinds without a bridge: what the API server takes, refuses and shows.

mod accepted;
mod refused;
mod shown;

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value as Json, json};
use terdut_tests::cluster::{Kind, kind};
use terdut_tests::harness::Binary;

/// A kind, what is special, and how the object differs from the least one.
type Case = (Kind, &'static str, Vec<(&'static str, Json)>);

/// The least object of a kind that is accepted.
fn least(of: Kind, namespace: &str, name: &str) -> Json {
    json!({
        "apiVersion": of.api_version(), "kind": of.kind,
        "metadata": { "name": name, "namespace": namespace },
        "spec": least_spec(of),
    })
}

fn least_spec(of: Kind) -> Json {
    let team = json!({ "name": "platform" });
    match of {
        kind::SERVER => json!({
            "image": { "tag": "v1" },
            "database": { "postgresClusterRef": { "name": "terdut-postgres" } },
        }),
        kind::TEAM => json!({ "serverRef": { "name": "terdut" }, "displayName": "Platform" }),
        kind::RULE => json!({
            "teamRef": team,
            "levels": [{ "timeout": "5m", "targets": [{ "kind": "oncall" }] }],
        }),
        kind::SWITCH => json!({
            "teamRef": team, "name": "watchdog", "matcher": "alertname=Watchdog", "timeout": "15m",
        }),
        kind::SOURCE => json!({ "teamRef": team, "name": "alertmanager" }),
        other => panic!("{} is not ours", other.kind),
    }
}

/// An object with values set at JSON pointers; null takes a value away. Missing parents are made.
fn changed(mut object: Json, changes: &[(&str, Json)]) -> Json {
    for (pointer, value) in changes {
        set(&mut object, pointer, value.clone());
    }
    object
}

fn set(object: &mut Json, pointer: &str, value: Json) {
    let (parent, last) = pointer.rsplit_once('/').expect("a JSON pointer");
    let mut place = object;
    for word in parent.split('/').skip(1) {
        place = match word.parse::<usize>() {
            Ok(index) => &mut place[index],
            Err(_) => &mut place[word],
        };
    }
    match (value.is_null(), last.parse::<usize>()) {
        (true, _) => drop(place.as_object_mut().and_then(|fields| fields.remove(last))),
        (false, Ok(index)) => place[index] = value,
        (false, Err(_)) => place[last] = value,
    }
}

/// What `terdut-bridge check` says of an object without a cluster: whether it passes, and why not.
fn offline(object: &Json) -> (bool, String) {
    let mut command = Binary::bridge().command();
    command.args(["check", "-f", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the bridge's program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(object.to_string().as_bytes()).expect("it reads its standard input");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let code = output.status.code();
    assert!(code == Some(0) || code == Some(1), "check ended with {code:?}: {said}");
    (code == Some(0), said)
}
