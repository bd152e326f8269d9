//! Null, nothing, and every form of empty: the second plan is empty, whatever a person wrote.

use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Binary, Program, Workspace};

use crate::scene::{HEAD, Scene};

/// A resource with a place for the attribute.
const RESOURCES: [(&str, &str, &str); 8] = [
    ("team", "terdut_team", "name = \"NAME\""),
    (
        "rule",
        "terdut_escalation_rule",
        "team_id = terdut_team.NAME.id\nlevels = [{ timeout = \"5m\", targets = [{ kind = \"oncall\" }] }]",
    ),
    ("rule_level", "terdut_escalation_rule", "team_id = terdut_team.NAME.id"),
    (
        "switch",
        "terdut_deadman_switch",
        "team_id = terdut_team.home.id\nname = \"NAME\"\nmatcher = \"a=b\"\ntimeout = \"1h\"",
    ),
    ("source", "terdut_alert_source", "team_id = terdut_team.home.id\nname = \"NAME\""),
    ("user", "terdut_user", "username = \"NAME\"\nemail = \"NAME@example.org\""),
    ("account", "terdut_service_account", "name = \"NAME\"\nscope = \"instance\""),
    ("key", "terdut_service_account_key", "service_account_id = terdut_service_account.home.id"),
];

const HOME: &str = "resource \"terdut_team\" \"home\" {\n  name = \"Home\"\n}\n\
    resource \"terdut_service_account\" \"home\" {\n  name = \"home\"\n  scope = \"instance\"\n}\n";

/// What stands in the place, for each resource.
fn forms(resource: &str) -> Vec<&'static str> {
    const COMMON: [&str; 3] = ["", "timeouts = null", "timeouts = {}"];
    let own: &[&str] = match resource {
        "team" => &[
            "oidc = null",
            "oidc = {}",
            "oidc = { member_group = null }",
            "oidc = { member_group = \"\", owner_group = \"\" }",
            "oidc = { owner_group = \"o\", member_group = \"\" }",
            "adopt_existing = null",
        ],
        "rule" => &["fallback_topic = null", "fallback_topic = \"\"", "repeat_count = null"],
        "rule_level" => {
            return vec![
                "levels = [{ timeout = \"5m\", targets = [{ kind = \"oncall\", username = null }] }]",
                "levels = [{ timeout = \"300s\", targets = [{ kind = \"user\", username = \"root\" }] }]",
            ];
        }
        "switch" => &["severity = null", "adopt_existing = null"],
        "source" => &["kind = null", "rotate_when_changed = null", "rotate_when_changed = {}"],
        "user" => &["ntfy_topic = null", "ntfy_topic = \"\"", "adopt_existing = false"],
        "account" => &["team_id = null", "adopt_existing = null"],
        _ => &["name = null", "rotate_when_changed = null", "rotate_when_changed = {}"],
    };
    COMMON.into_iter().chain(own.iter().copied()).collect()
}

/// Every resource with every form.
fn configuration(turn: usize) -> String {
    let all = RESOURCES.iter().flat_map(|(label, kind, body)| {
        let forms = forms(label);
        (0..forms.len()).map(move |place| {
            let form = forms[(place + turn) % forms.len()];
            resource(kind, &format!("{label}_{place}"), body, form)
        })
    });
    HOME.to_owned() + &all.collect::<String>()
}

/// One resource with one form. A rule gets a team of its own.
fn resource(kind: &str, name: &str, body: &str, form: &str) -> String {
    let body = body.replace("NAME", name);
    let own = format!("resource \"{kind}\" \"{name}\" {{\n{body}\n{form}\n}}\n");
    if kind == "terdut_escalation_rule" {
        format!("{own}resource \"terdut_team\" \"{name}\" {{\n  name = \"{name}\"\n}}\n")
    } else {
        own
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_nothing_leads_to_a_quiet_second_plan() {
    let mut programs = Program::current();
    programs.extend(Program::oldest());
    for program in programs {
        let scene = Scene::start(&program).await;
        // In turns, so that each form also follows on each of its neighbours.
        for turn in 0..3 {
            scene.configure(&configuration(turn));
            if turn == 0 {
                scene.workspace.init().await;
            }
            let plan = scene.workspace.plan().await;
            let replaced = plan.changes.iter().filter(|(_, change)| change.is_replace());
            assert_eq!(replaced.count(), 0, "{}: {}", program.label(), plan.text);
            scene.workspace.apply_plan().await.expect_ok();
            scene.workspace.plan().await.expect_empty();
        }
    }
}

const SERVER: &str = r#"
resource "terdut_server" "main" {
  url = "URL"
  bootstrap = {
    username = "root"
    email    = "root@example.org"
    password = "correct-horse-battery"
  }
  FORM
}
"#;

const SERVER_FORMS: [&str; 9] = [
    "",
    "service_account_name = null",
    "admin_token = null",
    "admin_token_wo_version = null",
    "keep_bootstrap_token = false",
    "rotate_when_changed = {}",
    "rotate_when_changed = null",
    "adopt_existing = null",
    "timeouts = {}",
];

#[tokio::test(flavor = "multi_thread")]
async fn no_form_of_nothing_changes_the_key_of_a_server() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        let mut token = None;
        for (position, form) in SERVER_FORMS.iter().enumerate() {
            let own = SERVER.replace("URL", simulator.url()).replace("FORM", form);
            workspace.write("main.tf", &format!("{HEAD}{own}"));
            if position == 0 {
                workspace.init().await;
            }
            workspace.apply().await;
            workspace.plan().await.expect_empty();
            let state = workspace.state().await;
            let seen = state.value("terdut_server.main", "token").as_str().map(str::to_owned);
            assert!(seen.is_some(), "{form}: no token");
            assert!(token.is_none() || token == seen, "{}: {form} changed it", program.label());
            token = seen;
        }
        workspace.destroy().await;
    }
}
