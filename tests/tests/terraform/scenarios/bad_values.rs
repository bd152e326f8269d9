//! Every bad value is reported in one run, each at its place in the configuration.

use serde_json::Value as Json;
use terdut_tests::harness::{Binary, Program, Run, Workspace};

use crate::scene::HEAD;

const RESOURCES: &str = r#"
resource "terdut_team" "main" {
  name = " "
}
resource "terdut_escalation_rule" "long" {
  team_id = "1"
  levels = [
    for n in range(21) : { timeout = "5m", targets = [{ kind = "oncall" }] }
  ]
}
resource "terdut_escalation_rule" "wrong" {
  team_id = "1"
  levels = [
    { timeout = "soon", targets = [{ kind = "oncall", username = "ada" }] },
  ]
}
resource "terdut_deadman_switch" "main" {
  team_id = "1"
  name    = ""
  matcher = "alertname=Watchdog"
  timeout = "10s"
}
resource "terdut_service_account" "main" {
  name  = "ci"
  scope = "world"
}
"#;

const PROVIDER: &str = r#"
provider "terdut" {
  url             = "ftp://example.org"
  token           = "canary"
  ca_certificate  = "-----BEGIN NONSENSE-----"
  request_timeout = "soon"
}
"#;

/// A resource, and the line of its source that an error points at.
///
/// Terraform itself finds no line for a place within a list of objects.
const PLACES: [(&str, &str); 7] = [
    ("terdut_team.main", "name = \" \""),
    ("terdut_escalation_rule.long", "levels = ["),
    ("terdut_escalation_rule.wrong", "resource \"terdut_escalation_rule\" \"wrong\" {"),
    ("terdut_escalation_rule.wrong", "resource \"terdut_escalation_rule\" \"wrong\" {"),
    ("terdut_deadman_switch.main", "name    = \"\""),
    ("terdut_deadman_switch.main", "timeout = \"10s\""),
    ("terdut_service_account.main", "scope = \"world\""),
];

/// The errors' places, in order, and all that they say.
struct Found {
    places: Vec<(String, String)>,
    text: String,
}

async fn errors_of(program: &Program, text: &str) -> Found {
    let workspace = Workspace::new(program, &Binary::provider(), "terdut");
    workspace.write("main.tf", &format!("{HEAD}{text}"));
    workspace.init().await;
    let run = workspace.run(&["validate", "-json"]).await;
    assert!(!run.ok, "{}", run.stdout);
    diagnostics(&run)
}

fn diagnostics(run: &Run) -> Found {
    let json: Json = serde_json::from_str(&run.stdout).expect("validate prints JSON");
    let errors = json["diagnostics"].as_array().expect("there are diagnostics");
    let mut places: Vec<_> = errors.iter().map(place).collect();
    places.sort();
    let text = |error: &Json| format!("{} / {}\n", error["summary"], error["detail"]);
    Found { places, text: errors.iter().map(text).collect() }
}

fn place(error: &Json) -> (String, String) {
    let line = |json: &Json| json.as_str().unwrap_or_default().lines().next().map(str::to_owned);
    let text = |json: &Json| line(json).unwrap_or_default().trim().to_owned();
    let context = text(&error["snippet"]["context"]);
    let address = context.replace("resource ", "").replace("\" \"", ".").replace('"', "");
    (address, text(&error["snippet"]["code"]))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_bad_value_is_reported_in_one_run_at_its_place() {
    let mut wanted: Vec<_> =
        PLACES.iter().map(|(address, code)| ((*address).to_owned(), (*code).to_owned())).collect();
    wanted.sort();
    for program in Program::all() {
        let found = errors_of(&program, RESOURCES).await;
        assert_eq!(found.places, wanted, "{}", program.label());
        for within in ["levels[0].timeout", "levels[0].targets[0].username"] {
            assert!(found.text.contains(within), "no {within} in {}", found.text);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_settings_are_reported_at_their_attributes() {
    let team = "resource \"terdut_team\" \"main\" {\n  name = \"a\"\n}\n";
    for program in Program::current() {
        let workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        workspace.write("main.tf", &format!("{HEAD}{PROVIDER}{team}"));
        workspace.init().await;
        let error = workspace.try_plan(&[]).await.expect_error();
        for code in [
            "url = \"ftp://example.org\"",
            "ca_certificate = \"-----BEGIN NONSENSE-----\"",
            "request_timeout = \"soon\"",
        ] {
            assert!(error.contains(code), "{}: no {code} in {error}", program.label());
        }
        assert!(!error.contains("canary"), "{error}");
    }
}
