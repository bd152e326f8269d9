//! Exports of a simulated server, judged as `check` judges manifests.

use proptest::prelude::*;
use serde_json::{Value, json};
use terdut_core::api::Team;
use terdut_core::export::TeamInventory;
use terdut_core::ids::TeamId;
use terdut_simulator::{Options, Simulator};

use super::*;
use crate::cli::check;
use crate::manifest;

fn args(only: &[Kind]) -> Args {
    Args {
        namespace: Some("oncall".to_owned()),
        server_name: "terdut".to_owned(),
        server_namespace: Some("ops".to_owned()),
        team: Vec::new(),
        only: only.to_vec(),
        progress: false,
        token_file: None,
    }
}

struct Ran {
    code: ExitCode,
    text: String,
    errors: String,
}

fn exported(simulator: &Simulator, key: &str, args: &Args) -> Result<Ran, Failure> {
    let environment = |name: &str| match name {
        "TERDUT_URL" => Some(simulator.url().to_owned()),
        "TERDUT_TOKEN" => Some(key.to_owned()),
        _ => None,
    };
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let code = run(args, environment, &mut out, &mut errors)?;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ok(Ran { code, text: text(out), errors: text(errors) })
}

const ODD: [&str; 9] = [
    "Zürich \"all\"",
    "a b",
    "a-b",
    "yes",
    "2",
    "監視 🚨",
    "${x}: # - {y}",
    "in\u{202e}visible\u{2028}line",
    "x\\y",
];

fn odd() -> (Simulator, String) {
    let simulator = Simulator::start(Options { first_id: (1 << 53) + 1, ..Options::default() });
    let key = simulator.seed_admin();
    let state = simulator.state();
    state.fill(3, 9);
    for name in ODD {
        let team = state.add_team(name).id;
        state.edit_team(team, |team| team.oidc_owner_group = Some(name.to_owned()));
        state.add_integration(team, name);
    }
    (simulator, key)
}

#[test]
fn what_is_exported_passes_the_check_but_for_the_server_that_is_elsewhere() {
    let (simulator, key) = odd();
    let ran = exported(&simulator, &key, &args(&[])).unwrap();
    assert_eq!(ran.code, ExitCode::SUCCESS, "{}", ran.errors);
    let file = tempfile::NamedTempFile::with_suffix(".yaml").unwrap();
    std::fs::write(file.path(), &ran.text).unwrap();
    let check = check::Args {
        filename: vec![file.path().to_owned()],
        namespace: "default".to_owned(),
        output: check::Output::Json,
    };
    let mut out = Vec::new();
    check::run(&check, &mut out).unwrap();
    let told: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(told["valid"], true, "{told:#}");
    // Teams, rules and sources of both, and the switches.
    assert_eq!(told["objects"], 3 * 3 + 9 + ODD.len() * 2, "{told:#}");
    let findings = told["findings"].as_array().unwrap();
    assert!(findings.iter().all(|one| one["field"] == "spec.serverRef"), "{told:#}");
}

#[test]
fn names_come_back_as_they_are_and_what_cannot_be_adopted_is_paused() {
    let (simulator, key) = odd();
    let ran = exported(&simulator, &key, &args(&[])).unwrap();
    let objects = manifest::read(&ran.text).unwrap();
    let of = |kind: &'static str| objects.iter().filter(move |object| object["kind"] == kind);
    let mut shown: Vec<_> =
        of("TerdutTeam").map(|team| team["spec"]["displayName"].as_str().unwrap()).collect();
    shown.retain(|name| ODD.contains(name));
    assert_eq!(shown, ODD);
    let paused = json!({ "terdut.ryuvia.com/reconcile": "disabled" });
    assert!(of("TerdutAlertSource").all(|source| source["metadata"]["annotations"] == paused));
    assert!(of("TerdutTeam").all(|team| team["metadata"]["annotations"].is_null()));
    for part in ["Alert sources are written paused", "adoption: Allow", "no kind for users"] {
        assert!(ran.errors.contains(part), "{part}: {}", ran.errors);
    }
    assert!(!ran.text.contains(&key) && !ran.errors.contains(&key));
}

#[test]
fn what_was_left_out_or_cannot_be_read_shows_in_the_exit() {
    let (simulator, key) = odd();
    simulator.state().add_team("two\nlines");
    let ran = exported(&simulator, &key, &args(&[Kind::Team])).unwrap();
    assert_eq!(ran.code, ExitCode::from(1));
    assert!(ran.errors.contains("warning: left out: team \"two\\nlines\""), "{}", ran.errors);
    let told = exported(&simulator, "canary", &args(&[])).map(|_| ()).unwrap_err().to_string();
    assert!(told.contains("TERDUT_TOKEN") && !told.contains("canary"), "{told}");
    let nothing = run(&args(&[]), |_| None, &mut Vec::new(), &mut Vec::new());
    assert!(nothing.unwrap_err().to_string().contains("TERDUT_URL"));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{key}\n")).unwrap();
    let args = Args { token_file: Some(file.path().to_owned()), ..args(&[Kind::Team]) };
    assert!(exported(&simulator, "canary", &args).is_ok());
}

#[test]
fn what_the_bridge_has_no_kind_for_is_not_asked_for_in_vain() {
    let (simulator, key) = odd();
    let keys = args(&[Kind::Team, Kind::ServiceAccountKey]);
    let told = exported(&simulator, &key, &keys).map(|_| ()).unwrap_err().to_string();
    assert!(told.starts_with("--only service-account-key: the bridge has no kind"), "{told}");
    assert!(simulator.requests().is_empty(), "it is told before anything is asked");
}

#[test]
fn how_far_it_is_is_told_where_that_is_asked_for() {
    let (simulator, key) = odd();
    let ran = exported(&simulator, &key, &Args { progress: true, ..args(&[]) }).unwrap();
    let teams = 3 + ODD.len();
    let last = format!("Read {teams} of {teams} teams and accounts");
    assert!(ran.errors.contains(&last), "{}", ran.errors);
    assert!(!ran.text.contains("Read "), "the manifests are alone on the standard output");
}

proptest! {
    #[test]
    fn any_text_is_read_back_as_it_was(name in "\\PC{1,40}", group in "[\\PC\u{85}\u{2028}\u{feff}]{0,40}") {
        let team = Team {
            id: TeamId(1),
            name: name.clone(),
            oidc_member_group: Some(group.clone()),
            oidc_owner_group: None,
        };
        let team = TeamInventory { team, policy: None, switches: Vec::new(), sources: Vec::new() };
        let inventory = Inventory { teams: vec![team], ..Inventory::default() };
        let options = ManifestOptions {
            selection: Selection::new(&[Kind::Team], false, Vec::new()),
            namespace: None,
            server_name: "s".to_owned(),
            server_namespace: None,
        };
        let document = export::manifests(&inventory, &options);
        let read = manifest::read(&document.text()).unwrap();
        if document.left_out.is_empty() {
            prop_assert_eq!(&read[0]["spec"]["displayName"], &json!(name));
            prop_assert_eq!(&read[0]["spec"]["oidc"]["memberGroup"], &json!(group));
        } else {
            prop_assert!(read.is_empty());
        }
    }
}
