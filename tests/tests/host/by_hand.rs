//! The provider's program in a person's hands: what it is, its schemas, and secrets refused.

use std::process::Output;

use serde_json::Value as Json;
use terdut_tests::harness::Binary;

fn run(arguments: &[&str]) -> Output {
    Binary::provider().command().args(arguments).output().expect("the provider runs")
}

#[test]
fn run_by_hand_it_explains_itself() {
    let output = run(&[]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(["terdut", "terraform apply", "--help"].iter().all(|it| said.contains(it)), "{said}");
}

#[test]
fn its_schemas_are_printed_as_the_file_has_them() {
    let output = run(&["schema"]);
    assert!(output.status.success());
    let printed: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let file: Json =
        serde_json::from_str(include_str!("../../../provider/tests/schema.json")).expect("JSON");
    assert_eq!(printed, file);
}

#[test]
fn a_secret_on_the_command_line_is_refused_and_not_repeated() {
    let token = ["--token", "--key", "--api-key", "--admin-token", "--admin-key", "--bearer"];
    let mut options = token.map(|option| (option, "TERDUT_TOKEN")).to_vec();
    options.extend([
        ("--client-key", "TERDUT_CLIENT_KEY"),
        ("--headers", "TERDUT_HEADERS"),
        ("--proxy", "TERDUT_PROXY"),
    ]);
    for (option, variable) in options {
        let joined = format!("{option}=canary");
        for arguments in [
            vec![joined.as_str(), "schema"],
            vec![option, "canary"],
            vec!["contract", joined.as_str()],
            vec!["contract", "--json", option, "canary"],
        ] {
            let output = run(&arguments);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains(variable) && !said.contains("canary"), "{said}");
        }
    }
}
