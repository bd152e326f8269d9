//! The subcommands that call a server: neither their output nor their log shows a secret.

use std::process::Output;

use serde_json::Value as Json;
use terdut_simulator::{Fault, Options, Simulator};
use terdut_tests::harness::Binary;

use super::{answers, echoes, keys, secret_settings, secrets_of};

/// A server with something of every kind, and its admin's key.
fn filled() -> (Simulator, String) {
    let simulator = Simulator::start(Options::default());
    let key = simulator.seed_admin();
    simulator.state().fill(2, 3);
    simulator.state().add_account("ci", None);
    (simulator, key)
}

fn run(simulator: &Simulator, key: &str, settings: &Json, arguments: &[&str]) -> Output {
    let mut binary = Binary::provider().with_env("TERDUT_URL", simulator.url());
    for (name, value) in [("TOKEN", key), ("MAX_RETRIES", "0"), ("RETRY_BASE", "1ms")] {
        binary = binary.with_env(&format!("TERDUT_{name}"), value);
    }
    for (name, value) in settings.as_object().into_iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        binary = binary.with_env(&format!("TERDUT_{}", name.to_uppercase()), &text);
    }
    let binary = binary.with_env("TF_LOG", "TRACE");
    binary.command().args(arguments).output().expect("the provider runs")
}

/// Answers with these statuses to each method, one run each.
fn expect_silence(arguments: &[&str], methods: &[&str], statuses: &[u16]) {
    let (simulator, key) = filled();
    let settings = secret_settings(simulator.url());
    let mut secrets = keys(&simulator);
    secrets.extend(secrets_of(&settings));
    let text = secrets.join(" and ");
    let all = answers(&text).into_iter().chain(echoes());
    let forms: Vec<_> = all.filter(|(status, _)| statuses.contains(status)).collect();
    for method in methods {
        for (status, body) in &forms {
            simulator.fault(Fault::on(method, "*").always().answer(*status, body.clone()));
            let output = run(&simulator, &key, &settings, arguments);
            let mut all = String::from_utf8_lossy(&output.stdout).into_owned();
            all += &String::from_utf8_lossy(&output.stderr);
            let struck = simulator.faults()[0].struck;
            assert!(struck > 0, "{arguments:?} asks for no {method}: {all}");
            for secret in secrets.iter().chain(&keys(&simulator)) {
                assert!(!all.contains(secret), "{arguments:?} {method} {status}: {all}");
            }
            simulator.clear_faults();
        }
    }
}

#[test]
fn no_answer_brings_a_secret_into_an_export() {
    expect_silence(&["export", "--with-keys"], &["GET"], &[200, 401, 403, 404, 500, 502]);
}

#[test]
fn no_answer_brings_a_secret_into_a_contract_check() {
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    expect_silence(&["contract"], &methods, &[403]);
}
