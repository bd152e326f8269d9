//! `terraform-provider-terdut contract` against the simulator: it passes, sees each assumed
//! behaviour that is turned, asks every route, and leaves nothing behind.

use std::collections::BTreeSet;
use std::process::{Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value as Json, json};
use terdut_simulator::{Assumptions, Fault, Options, Simulator};
use terdut_tests::harness::{Binary, wait_for};

/// A report and the exit code.
struct Checked {
    code: Option<i32>,
    report: Json,
}

impl Checked {
    fn of(verdict: &'static str) -> impl Fn(&&Json) -> bool {
        move |finding| finding["verdict"] == verdict
    }

    fn findings(&self) -> &[Json] {
        self.report["findings"].as_array().expect("findings")
    }

    /// The names of the lines of a verdict.
    fn ids(&self, verdict: &'static str) -> Vec<&str> {
        let found = self.findings().iter().filter(Self::of(verdict));
        found.filter_map(|finding| finding["id"].as_str()).collect()
    }

    fn finding(&self, id: &str) -> &Json {
        self.findings().iter().find(|finding| finding["id"] == id).expect("a line of that name")
    }
}

/// Found once: this suite starts it a hundred times.
static PROVIDER: LazyLock<Binary> = LazyLock::new(Binary::provider);

fn run(url: &str, key: &str, arguments: &[&str]) -> Output {
    let binary = PROVIDER.clone().with_env("TERDUT_URL", url).with_env("TERDUT_TOKEN", key);
    let binary = binary.with_env("TERDUT_MAX_RETRIES", "0");
    binary.command().arg("contract").args(arguments).output().expect("the provider runs")
}

fn check(simulator: &Simulator, key: &str) -> Checked {
    let output = run(simulator.url(), key, &["--json"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout);
    let report: Json = report.unwrap_or_else(|error| panic!("{error}: {said}"));
    Checked { code: output.status.code(), report }
}

fn assuming(changes: &Json) -> Simulator {
    let assumptions = Assumptions::default().with(changes).expect("known switches");
    Simulator::start(Options { assumptions, ..Options::default() })
}

/// The path of every object on a server, as far as the check may make some.
fn objects(simulator: &Simulator) -> [usize; 4] {
    let state = simulator.state();
    [state.teams().len(), state.users().len(), state.accounts().len(), state.keys().len()]
}

#[test]
fn the_simulator_keeps_the_contract_and_gets_back_to_where_it_was() {
    let simulator = Simulator::start(Options { first_id: (1 << 53) + 1, ..Options::default() });
    let key = simulator.seed_admin();
    simulator.state().fill(2, 3);
    let before = objects(&simulator);
    let checked = check(&simulator, &key);
    assert_eq!(checked.ids("differs"), Vec::<&str>::new(), "{:#}", checked.report);
    assert_eq!(checked.ids("missing"), Vec::<&str>::new(), "{:#}", checked.report);
    assert_eq!(checked.ids("not checked"), Vec::<&str>::new(), "{:#}", checked.report);
    assert_eq!((checked.code, &checked.report["holds"]), (Some(0), &json!(true)));
    assert_eq!(objects(&simulator), before);
}

/// Every route that is relied on, with the line that says so.
const ROUTES: [(&str, &str, &str); 33] = [
    ("GET", "/healthz", "health"),
    ("POST", "/api/bootstrap", "bootstrap-spent"),
    ("GET", "/api/me", "me"),
    ("GET", "/api/users", "users"),
    ("POST", "/api/users", "user-create"),
    ("DELETE", "/api/users/{id}", "user-delete"),
    ("PUT", "/api/users/{id}/password", "user-password"),
    ("PUT", "/api/users/{id}/notify", "user-notify"),
    ("POST", "/api/users/{id}/api-keys", "user-key"),
    ("DELETE", "/api/users/{id}/api-keys/{key_id}", "user-key-revoke"),
    ("GET", "/api/service-accounts", "accounts"),
    ("POST", "/api/service-accounts", "account-create"),
    ("DELETE", "/api/service-accounts/{id}", "account-delete"),
    ("GET", "/api/service-accounts/{id}/keys", "keys"),
    ("POST", "/api/service-accounts/{id}/keys", "key-mint"),
    ("DELETE", "/api/service-accounts/{id}/keys/{key_id}", "key-revoke"),
    ("GET", "/api/teams", "teams"),
    ("POST", "/api/teams", "team-create"),
    ("PUT", "/api/teams/{id}", "team-rename"),
    ("DELETE", "/api/teams/{id}", "team-delete"),
    ("PUT", "/api/teams/{id}/oidc-groups", "oidc-groups"),
    ("GET", "/api/teams/{id}/escalation", "policy-read"),
    ("PUT", "/api/teams/{id}/escalation", "policy-put"),
    ("GET", "/api/teams/{id}/deadman-switches", "switches"),
    ("POST", "/api/teams/{id}/deadman-switches", "switch-create"),
    ("DELETE", "/api/teams/{id}/deadman-switches/{switch_id}", "switch-delete"),
    ("GET", "/api/teams/{id}/integrations", "sources"),
    ("POST", "/api/teams/{id}/integrations", "source-create"),
    ("PATCH", "/api/teams/{id}/integrations/{integration_id}", "source-rename"),
    ("DELETE", "/api/teams/{id}/integrations/{integration_id}", "source-delete"),
    ("POST", "/api/integrations/{key}/alertmanager", "webhook"),
    ("GET", "/api/schedule/current", "on-call"),
    ("GET", "/api/alerts", "alerts"),
];

#[test]
fn it_asks_every_route_that_is_relied_on() {
    let simulator = Simulator::start(Options::default());
    check(&simulator, &simulator.seed_admin());
    for (method, route, _) in ROUTES {
        assert!(simulator.count(method, route) > 0, "{method} {route}");
    }
}

#[test]
fn a_missing_route_is_told_at_its_own_line() {
    for (method, route, line) in ROUTES {
        let simulator = Simulator::start(Options::default());
        let key = simulator.seed_admin();
        simulator.fault(Fault::on(method, route).always().no_route());
        let checked = check(&simulator, &key);
        let missing = checked.ids("missing");
        assert!(missing.contains(&line), "{method} {route}: {:#}", checked.report);
        assert_eq!(checked.code, Some(1), "{method} {route}");
    }
}

/// Every switch of the simulator, turned, with what else it needs, and the line that catches it.
const SWITCHES: [(&str, &str, &str); 20] = [
    ("integration_names_unique", r#"{"integration_names_unique": false}"#, "source-taken"),
    ("account_answer", r#"{"account_answer": "nested"}"#, "account-answer"),
    ("account_lookup", r#"{"account_lookup": "object"}"#, "account-lookup-form"),
    ("no_policy", r#"{"no_policy": "empty_object"}"#, "no-policy"),
    ("no_policy", r#"{"no_policy": "no_levels"}"#, "no-policy"),
    ("account_delete_route", r#"{"account_delete_route": false}"#, "account-delete"),
    ("account_keys_route", r#"{"account_keys_route": false}"#, "keys"),
    ("me_route", r#"{"me_route": false}"#, "me"),
    ("me_for_accounts", r#"{"me_for_accounts": false}"#, "me-account"),
    ("other_integration_kinds", r#"{"other_integration_kinds": true}"#, "source-kinds"),
    ("team_delete_cascades", r#"{"team_delete_cascades": false}"#, "team-delete"),
    ("page_size", r#"{"page_size": 1}"#, "pages"),
    ("page_size", r#"{"page_size": 2}"#, "pages"),
    ("page_origin", r#"{"page_size": 2, "page_origin": "http://192.0.2.1"}"#, "pages"),
    ("extra_fields", r#"{"extra_fields": true}"#, "fields"),
    ("canonical_matchers", r#"{"canonical_matchers": true}"#, "matcher"),
    ("instance_manages_own_keys", r#"{"instance_manages_own_keys": false}"#, "instance-own-keys"),
    ("team_manages_own_keys", r#"{"team_manages_own_keys": false}"#, "team-own-keys"),
    ("team_lists_own_team", r#"{"team_lists_own_team": true}"#, "team-key-teams"),
    ("named_user_is_kept", r#"{"named_user_is_kept": true}"#, "named-user"),
];

#[test]
fn every_switch_of_the_simulator_is_turned() {
    let all = serde_json::to_value(Assumptions::default()).expect("JSON");
    // How many requests a server takes in a second is a limit, not a behaviour.
    let names = all.as_object().expect("an object").keys();
    let all: BTreeSet<_> = names.filter(|name| *name != "requests_per_second").cloned().collect();
    let turned = SWITCHES.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(all, turned);
}

#[test]
fn each_assumed_behaviour_is_caught_at_its_line_and_nowhere_else() {
    for (_, changes, line) in SWITCHES {
        let simulator = assuming(&serde_json::from_str(changes).expect("JSON"));
        let key = simulator.seed_admin();
        let before = objects(&simulator);
        let checked = check(&simulator, &key);
        let broken = [checked.ids("differs"), checked.ids("missing")].concat();
        let expected: &[&str] = match line {
            // Whose key it is cannot be seen for accounts either.
            "me" => &["me", "me-account"],
            line => &[line],
        };
        assert_eq!(broken, expected, "{changes}: {:#}", checked.report);
        assert_eq!(checked.code, Some(1), "{changes}");
        assert_ne!(checked.finding(line)["seen"], "", "{changes}");
        left(&simulator, line, before, &checked);
    }
}

/// What is removed in spite of the difference.
fn left(simulator: &Simulator, line: &str, before: [usize; 4], checked: &Checked) {
    let [teams, users, accounts, keys] = objects(simulator);
    assert_eq!([teams, users, keys], [before[0], before[1], before[3]], "{line}");
    // The team's account goes with the team; the instance's has nobody who would take it along.
    let stay = usize::from(line == "account-delete");
    assert_eq!(accounts, before[2] + stay, "{line}");
    let told = checked.report["left_behind"].as_array().map(Vec::len);
    assert_eq!(told, Some(stay), "{line}: {:#}", checked.report);
}

#[test]
fn an_instance_key_tries_all_that_it_may() {
    let simulator = Simulator::start(Options::default());
    simulator.seed_admin();
    let (_, key) = simulator.state().add_account("ci", None);
    let before = objects(&simulator);
    let checked = check(&simulator, &key.text);
    assert_eq!(checked.code, Some(0), "{:#}", checked.report);
    let mut skipped = checked.ids("not checked");
    skipped.sort_unstable();
    let admin_only = [
        "me",
        "named-user",
        "user-create",
        "user-delete",
        "user-key",
        "user-key-revoke",
        "user-notify",
        "user-password",
        "user-taken",
    ];
    assert_eq!(skipped, admin_only);
    assert_eq!(objects(&simulator), before);
}

#[test]
fn a_server_that_cannot_be_tried_is_told_and_not_changed() {
    let simulator = Simulator::start(Options::default());
    simulator.seed_admin();
    let team = simulator.state().add_team("a").id;
    let (_, team_key) = simulator.state().add_account("t", Some(team));
    for key in ["no-such-key", &team_key.text] {
        let output = run(simulator.url(), key, &[]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("TERDUT_TOKEN") && !said.contains(key), "{said}");
    }
    let output = run("http://127.0.0.1:1", "key", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(simulator.requests().iter().all(|request| request.method == "GET"));
}

#[test]
fn an_empty_server_keeps_its_bootstrap() {
    let simulator = Simulator::start(Options::default());
    let (_, key) = simulator.state().add_account("ci", None);
    let checked = check(&simulator, &key.text);
    assert_eq!(simulator.count("POST", "/api/bootstrap"), 0);
    assert_eq!(checked.finding("bootstrap-spent")["verdict"], "not checked");
}

#[test]
fn people_get_a_table_without_any_key() {
    let simulator = assuming(&json!({ "account_keys_route": false }));
    let key = simulator.seed_admin();
    let output = run(simulator.url(), &key, &[]);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in [
        "The contract on http://127.0.0.1:",
        "missing      A  GET /api/service-accounts/{id}/keys",
        "what it means: keys cannot be looked at",
        " 1 missing, 0 not checked.",
        "All that was made for this was removed.",
    ] {
        assert!(table.contains(part), "{part}\n{table}");
    }
    let said = table + &String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains(&key));
    let is_key = |word: &str| word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(!said.split(|c: char| !c.is_ascii_alphanumeric()).any(is_key), "{said}");
}

/// After an answer that was lost, the object is found by its name and removed.
#[test]
fn what_was_made_and_not_answered_is_removed_too() {
    for route in ["/api/teams", "/api/users", "/api/service-accounts"] {
        let simulator = Simulator::start(Options::default());
        let key = simulator.seed_admin();
        simulator.fault(Fault::on("POST", route).drop_after());
        let before = objects(&simulator);
        let checked = check(&simulator, &key);
        assert_eq!((checked.code, objects(&simulator)), (Some(1), before), "{route}");
    }
}

#[test]
fn an_interrupt_ends_it_with_nothing_left_behind() {
    let latency = Duration::from_millis(20);
    let simulator = Simulator::start(Options { latency, ..Options::default() });
    let key = simulator.seed_admin();
    let before = objects(&simulator);
    let binary = PROVIDER.clone().with_env("TERDUT_URL", simulator.url());
    let mut command = binary.with_env("TERDUT_TOKEN", &key).command();
    command.args(["contract", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the provider runs");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let made = || async { simulator.count("POST", "/api/teams/{id}/integrations") > 0 };
    runtime.block_on(wait_for("a source", Duration::from_secs(30), made));
    let process = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
    kill(process, Signal::SIGINT).expect("it still runs");
    let output = child.wait_with_output().expect("it ends");
    let report: Json = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((output.status.code(), &report["interrupted"]), (Some(1), &json!(true)));
    assert_eq!(objects(&simulator), before, "{report:#}");
}
