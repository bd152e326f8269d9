//! Null, nothing, and every form of empty: the second plan is empty, whatever a person wrote.

use terdut_tests::harness::Program;

use crate::scene::Scene;

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
