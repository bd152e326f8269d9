//! `terraform-provider-terdut export` against the simulator: what it asks, what it writes where, and
//! what it says when it cannot. What the real programs make of it is in the suite `terraform`.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use terdut_simulator::{Fault, Options, Simulator};
use terdut_tests::harness::Binary;

fn command(simulator: &Simulator, key: &str, arguments: &[&str]) -> Command {
    let binary = Binary::provider().with_env("TERDUT_URL", simulator.url());
    let binary = binary.with_env("TERDUT_TOKEN", key).with_env("TERDUT_MAX_RETRIES", "0");
    let mut command = binary.command();
    command.arg("export").args(arguments);
    command
}

fn run(simulator: &Simulator, key: &str, arguments: &[&str]) -> Output {
    command(simulator, key, arguments).output().expect("the provider runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A server with a key, so many teams and switches.
fn filled(teams: usize, switches: usize) -> (Simulator, String) {
    let simulator = Simulator::start(Options::default());
    let key = simulator.seed_admin();
    simulator.state().fill(teams, switches);
    (simulator, key)
}

#[test]
fn a_thousand_objects_take_three_requests_and_three_for_each_team() {
    for switches in [10, 1000] {
        let (simulator, key) = filled(10, switches);
        let begun = Instant::now();
        let output = run(&simulator, &key, &[]);
        let taken = begun.elapsed();
        let (code, errors) = (output.status.code(), text(&output.stderr));
        assert_eq!((code, errors.as_str()), (Some(0), ""), "a pipe is not quiet");
        let blocks = text(&output.stdout).matches("\nimport {").count();
        // With policies and sources, and the person whose key it is.
        assert_eq!(blocks, switches + 3 * 10 + 1);
        let requests = simulator.requests();
        assert_eq!(requests.len(), 3 + 3 * 10);
        assert!(requests.iter().all(|request| request.method == "GET"));
        assert!(taken < Duration::from_secs(10), "{taken:?}");
    }
}

#[test]
fn each_page_is_one_request_more_and_what_is_not_chosen_is_not_asked_for() {
    let (simulator, key) = filled(2, 100);
    simulator.assume(|assumed| assumed.page_size = Some(10));
    run(&simulator, &key, &[]);
    // Each team has fifty switches: five pages instead of one.
    assert_eq!(simulator.requests().len(), 3 + 3 * 2 + 4 * 2);
    for (arguments, expected) in [
        (&["--only", "user"][..], 1),
        (&["--only", "team"][..], 1),
        (&["--only", "alert-source"][..], 1 + 2),
        (&["--only", "escalation-rule"][..], 2 + 2),
        (&["--only", "team,alert-source", "--team", "team-0001"][..], 1 + 1),
    ] {
        simulator.clear_requests();
        let output = run(&simulator, &key, arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(simulator.requests().len(), expected, "{arguments:?}");
    }
}

#[test]
fn the_same_server_gives_the_same_bytes_and_none_of_its_keys() {
    let (simulator, key) = filled(3, 9);
    let state = simulator.state();
    let (_, first) = state.add_account("ci", None);
    for arguments in [&["--with-keys"][..], &["--format", "manifests"][..]] {
        let once = run(&simulator, &key, arguments);
        assert_eq!(once.status.code(), Some(0), "{}", text(&once.stderr));
        assert_eq!(once.stdout, run(&simulator, &key, arguments).stdout);
        let written = text(&once.stdout) + &text(&once.stderr);
        for team in state.teams() {
            for source in &team.integrations {
                let key = state.integration_key(team.team.id, source.id).expect("a key");
                assert!(!written.contains(&key));
            }
        }
        assert!(!written.contains(&key) && !written.contains(&first.text));
    }
}

#[test]
fn a_folder_gets_a_file_for_each_kind_and_is_overwritten_only_with_leave() {
    let (simulator, key) = filled(1, 1);
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("terdut");
    let path = folder.display().to_string();
    let output = run(&simulator, &key, &["--output", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let files = [
        "alert_sources.tf",
        "deadman_switches.tf",
        "escalation_rules.tf",
        "imports.tf",
        "teams.tf",
        "terraform.tf",
        "users.tf",
    ];
    assert_eq!(names(&folder), files);
    std::fs::write(folder.join("teams.tf"), "mine").expect("a file");
    let refused = run(&simulator, &key, &["--output", &path]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert!(text(&refused.stderr).contains("--force"), "{}", text(&refused.stderr));
    let kept = || std::fs::read_to_string(folder.join("teams.tf")).expect("a file");
    assert_eq!(kept(), "mine");
    let forced = run(&simulator, &key, &["--output", &path, "--force"]);
    assert_eq!(forced.status.code(), Some(0));
    assert_ne!(kept(), "mine");
    assert_eq!(names(&folder), files);
}

#[test]
fn what_is_gone_since_an_earlier_export_goes_from_its_folder_too() {
    let (simulator, key) = filled(1, 1);
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().display().to_string();
    std::fs::write(place.path().join("mine.tf"), "").expect("a file");
    for format in ["terraform", "manifests"] {
        let output = run(&simulator, &key, &["--format", format, "--output", &path]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let state = simulator.state();
    let team = state.teams()[0].clone();
    state.delete_switch(team.team.id, team.switches[0].id).expect("it is there");
    for (format, file, other) in [
        ("terraform", "deadman_switches.tf", "deadman-switches.yaml"),
        ("manifests", "deadman-switches.yaml", "mine.tf"),
    ] {
        let output = run(&simulator, &key, &["--format", format, "--output", &path, "--force"]);
        let told = text(&output.stdout);
        assert!(told.ends_with(&format!("Removed, of an earlier export:\n  {file}\n")), "{told}");
        let names = names(place.path());
        assert!(!names.iter().any(|name| name == file), "{names:?}");
        assert!(names.iter().any(|name| name == other), "{names:?}");
    }
}

#[test]
fn a_server_that_fails_half_way_leaves_no_file_and_is_told_by_class_and_route() {
    let (simulator, key) = filled(3, 3);
    let route = "/api/teams/{id}/integrations";
    simulator.fault(Fault::on("GET", route).nth(2).always().error(503, "down"));
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().display().to_string();
    let output = run(&simulator, &key, &["--output", &path]);
    let told = text(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{told}");
    assert_eq!(names(place.path()), Vec::<String>::new());
    for part in ["the alert sources of team", "Retryable", route, "503", "xport again"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn what_keeps_it_from_reading_is_told_with_what_to_do_and_never_with_the_key() {
    let (simulator, admin) = filled(1, 1);
    let (_, team) = simulator.state().add_account("t", Some(simulator.state().teams()[0].team.id));
    let cases: [(&str, &[&str], &[&str]); 5] = [
        ("canary-of-a-key", &[], &["GET /api/", "Denied", "401", "TERDUT_TOKEN"]),
        (&team.text, &[], &["Denied", "403", "instance key"]),
        (&admin, &["--team", "Nobody"], &["no team named \"Nobody\"", "\"team-0001\""]),
        (&admin, &["--namespace", "x"], &["--namespace is for --format manifests"]),
        (&admin, &["--token-file", "/nowhere"], &["--token-file /nowhere"]),
    ];
    for (key, arguments, parts) in cases {
        let output = run(&simulator, key, arguments);
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{told}");
        assert!(parts.iter().all(|part| told.contains(part)), "{parts:?}: {told}");
        assert!(!told.contains(key), "{told}");
    }
    simulator.assume(|assumed| assumed.account_keys_route = false);
    let output = run(&simulator, &admin, &["--with-keys"]);
    assert!(text(&output.stderr).contains("leave --with-keys away"), "{}", text(&output.stderr));
}

#[test]
fn a_key_comes_from_a_file_or_the_environment_and_never_from_the_line() {
    let (simulator, key) = filled(1, 0);
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), format!("{key}\n")).expect("a key in it");
    let path = file.path().display().to_string();
    let output = run(&simulator, "another", &["--token-file", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = run(&simulator, &key, &["--token", "canary-of-a-key"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains("TERDUT_TOKEN") && !told.contains("canary-of-a-key"), "{told}");
}

#[test]
fn progress_is_told_in_a_pipe_only_when_it_is_asked_for() {
    let (simulator, key) = filled(40, 0);
    let told = text(&run(&simulator, &key, &["--progress"]).stderr);
    assert_eq!(told.lines().count(), 10, "{told}");
    assert!(told.ends_with("Read 40 of 40 teams and accounts\n"), "{told}");
}
