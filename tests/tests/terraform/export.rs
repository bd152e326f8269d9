//! `terraform-provider-terdut export` and the real programs: the first plan imports all of a server
//! and changes nothing, the second is empty.

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value as Json, json};
use terdut_simulator::{Level, Options, Owner, Policy, Simulator, Switch, Target};
use terdut_tests::harness::{Binary, Program, Workspace};
use unicode_normalization::UnicodeNormalization as _;

use crate::scene::HEAD;

/// Names that people give, and that want care in a configuration or as a resource's name.
const ODD: [&str; 18] = [
    "Zürich, Grüße",
    "say \"hi\" \\ there",
    "${terdut_team.a.id}",
    "$${x} $$${y} %%{z} $",
    "%{ if true }x%{ endif }",
    "a b",
    "a-b",
    "A.B",
    "a_b_2",
    "for",
    "null",
    "24x7 line",
    "監視",
    "🚨👩‍🚒 on call",
    "in\u{202e}visible\u{200b}",
    "decomposed e\u{301}",
    "# // /* not a comment",
    "<<EOT",
];

/// A server with every kind, every field set and unset, below ids that are no exact floats.
fn filled() -> (Simulator, String) {
    let first_id = (1 << 53) + 1;
    let simulator = Simulator::start(Options { first_id, ..Options::default() });
    simulator.assume(|assumed| assumed.page_size = Some(5));
    let key = simulator.seed_admin();
    let state = simulator.state();
    for (number, name) in ODD.into_iter().enumerate() {
        let user = state.add_user(name, &format!("Person.{number}@Example.org"));
        state.set_topic(user.id, number.is_multiple_of(2).then_some(name));
        fill_team(&simulator, name, number, user.id);
    }
    let (account, _) = state.add_account("instance-wide", None);
    state.add_key(Owner::Account(account.id), "initial");
    state.add_team("with nothing below it");
    (simulator, key)
}

fn fill_team(simulator: &Simulator, name: &str, number: usize, user: i64) {
    let state = simulator.state();
    let team_id = state.add_team(name).id;
    if number.is_multiple_of(2) {
        state.edit_team(team_id, |team| {
            team.oidc_member_group = Some(name.to_owned());
            team.oidc_owner_group = number.is_multiple_of(4).then(|| format!("owners of {name}"));
        });
    }
    let oncall = Target { kind: "oncall".to_owned(), user_id: None };
    let person = Target { kind: "user".to_owned(), user_id: Some(user) };
    let level = |timeout: &str, targets| Level { timeout: timeout.to_owned(), targets };
    state.set_policy(
        team_id,
        Some(Policy {
            team_id,
            repeat_count: i64::try_from(number % 3).unwrap_or_default(),
            fallback_topic: (number % 2 == 1).then(|| name.to_owned()),
            levels: vec![
                level("5m0s", vec![oncall.clone()]),
                level("1h30m0s", vec![person, oncall]),
            ],
        }),
    );
    for (place, severity) in ["critical", "page"].into_iter().enumerate() {
        state.add_switch(Switch {
            id: 0,
            team_id,
            name: format!("{name} {place}"),
            matcher: format!("b={place}, alertname=${{Watchdog}} %{{x}} ü"),
            timeout: "90m0s".to_owned(),
            severity: severity.to_owned(),
            last_seen_at: None,
        });
    }
    let source = state.add_integration(team_id, name);
    if number.is_multiple_of(3) {
        state.set_kind(team_id, source.id, "webhook");
    }
    state.add_account(&format!("{name} robot"), Some(team_id));
}

/// A folder for the configuration and the program's answer.
fn export(simulator: &Simulator, key: &str, arguments: &[&str]) -> (i32, String, String) {
    let binary = Binary::provider().with_env("TERDUT_URL", simulator.url());
    let mut command = binary.with_env("TERDUT_TOKEN", key).command();
    let output = command.arg("export").args(arguments).output().expect("the provider runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn workspace(program: &Program, key: &str) -> Workspace {
    let mut workspace = Workspace::new(program, &Binary::provider(), "terdut");
    workspace.set_env("TERDUT_TOKEN", key);
    workspace
}

/// What a plan would do: imports, and all else that is no no-op.
fn deeds(plan: &terdut_tests::harness::ShownPlan) -> (usize, Vec<String>) {
    let imports = plan.changes.values().filter(|change| change.importing.is_some()).count();
    let busy = plan.changes.iter().filter(|(_, change)| change.action() != "no-op");
    (imports, busy.map(|(address, change)| format!("{} {address}", change.action())).collect())
}

async fn taken_up_whole(program: &Program) {
    let (simulator, key) = filled();
    let workspace = workspace(program, &key);
    let folder = workspace.path().display().to_string();
    let (code, told, errors) = export(&simulator, &key, &["--with-keys", "--output", &folder]);
    assert_eq!((code, errors.as_str()), (0, ""), "{told}");
    workspace.init().await;
    workspace.run(&["fmt", "-check", "-diff", "-no-color"]).await.expect_ok();
    workspace.validate().await.expect_ok();
    let plan = workspace.plan().await;
    // Teams, people (with the admin), policies, two switches, sources, accounts and their keys.
    let objects = ODD.len() * 8 + 1 + 1 + 1 + 2;
    assert_eq!(deeds(&plan), (objects, Vec::new()), "{}", plan.text);
    assert!(told.starts_with(&format!("{objects} objects")), "{told}");
    simulator.clear_requests();
    workspace.apply_plan().await.expect_ok();
    assert!(simulator.requests().iter().all(|request| !request.writes()));
    workspace.plan().await.expect_empty();
    let files = ["teams.tf", "imports.tf", "service_account_keys.tf"].map(|it| workspace.file(it));
    assert!(files.iter().all(|text| !text.is_empty() && !text.contains(&key)));
    workspace.remove("imports.tf");
    workspace.plan().await.expect_empty();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exported_server_is_taken_up_whole_by_a_plan_that_only_imports() {
    for program in Program::all() {
        taken_up_whole(&program).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_team_goes_into_a_configuration_that_is_there() {
    for program in Program::current() {
        let (simulator, key) = filled();
        let mut workspace = workspace(&program, &key);
        workspace.set_env("TERDUT_URL", simulator.url());
        workspace.write("main.tf", HEAD);
        let (code, text, errors) =
            export(&simulator, &key, &["--team", "a b", "--team", "null", "--without-provider"]);
        assert_eq!((code, errors.as_str()), (0, ""));
        workspace.write("teams.tf", &text);
        workspace.init().await;
        let plan = workspace.plan().await;
        // Each with its policy, two switches, a source and an account.
        assert_eq!(deeds(&plan), (12, Vec::new()), "{}", plan.text);
        workspace.apply_plan().await.expect_ok();
        workspace.plan().await.expect_empty();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_over_an_earlier_one_makes_nothing_once_more() {
    let Some(program) = Program::terraform() else { return };
    let simulator = Simulator::start(Options::default());
    let key = simulator.seed_admin();
    let state = simulator.state();
    state.fill(1, 2);
    let workspace = workspace(&program, &key);
    let folder = workspace.path().display().to_string();
    let (code, _, errors) = export(&simulator, &key, &["--output", &folder]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let team = state.teams()[0].clone();
    for switch in &team.switches {
        state.delete_switch(team.team.id, switch.id).expect("it is there");
    }
    let (code, told, errors) = export(&simulator, &key, &["--output", &folder, "--force"]);
    assert_eq!((code, errors.as_str()), (0, ""), "{told}");
    workspace.init().await;
    let plan = workspace.plan().await;
    // The team, its policy and its source, and the admin.
    assert_eq!(deeds(&plan), (4, Vec::new()), "{}", plan.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_configuration_means_is_left_out_and_the_rest_is_taken_up() {
    let Some(program) = Program::terraform() else { return };
    let simulator = Simulator::start(Options::default());
    let key = simulator.seed_admin();
    let state = simulator.state();
    state.add_team("two\nlines\"\n}\nresource \"x\" \"y\" {");
    let team_id = state.add_team("good").id;
    let gone = Target { kind: "user".to_owned(), user_id: Some(4711) };
    let levels = vec![Level { timeout: "5m0s".to_owned(), targets: vec![gone] }];
    state.set_policy(
        team_id,
        Some(Policy { team_id, repeat_count: 0, fallback_topic: None, levels }),
    );
    let (code, text, errors) = export(&simulator, &key, &[]);
    assert_eq!(code, 1, "{errors}");
    assert!(errors.contains("two\\nlines") && errors.contains("in no list of people"), "{errors}");
    assert!(text.contains("# Left out: team \"two\\nlines"), "{text}");
    let workspace = workspace(&program, &key);
    workspace.write("main.tf", &text);
    workspace.init().await;
    let plan = workspace.plan().await;
    assert_eq!(deeds(&plan), (2, Vec::new()), "{}", plan.text);
}

/// Texts of the kinds of letters that mean something in HCL, always the same.
fn texts(count: usize) -> Vec<String> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let text = r#"([$%{}"\\ ~#<]|[a-z]|\PC|[\x{80}-\x{ffff}]){1,24}"#;
    let text = proptest::string::string_regex(text).expect("a pattern");
    let one = |_| text.new_tree(&mut runner).expect("a text").current();
    (0..count).map(one).collect()
}

/// What is written of any text is read back as that text, by the program itself.
#[tokio::test(flavor = "multi_thread")]
async fn any_text_is_read_back_as_it_was() {
    for program in Program::current() {
        let simulator = Simulator::start(Options::default());
        let key = simulator.seed_admin();
        let texts = texts(400);
        for (number, text) in texts.iter().enumerate() {
            let user =
                simulator.state().add_user(&format!("u{number:03}"), &format!("u{number}@h"));
            simulator.state().set_topic(user.id, Some(text));
        }
        let (_, exported, _) = export(&simulator, &key, &["--only", "user"]);
        // Values instead of resources: only the reading is tried here.
        let mut outputs = String::new();
        let mut name = "";
        for line in exported.lines() {
            if let Some(rest) = line.strip_prefix("  username   = ") {
                name = rest.trim_matches('"');
            } else if let Some(rest) = line.strip_prefix("  ntfy_topic = ") {
                outputs += &["output \"", name, "\" {\n  value = ", rest, "\n}\n"].concat();
            }
        }
        let workspace = workspace(&program, &key);
        workspace.write("main.tf", &outputs);
        workspace.run(&["fmt", "-check", "-no-color"]).await.expect_ok();
        workspace.init().await;
        workspace.apply().await;
        let shown = workspace.state().await;
        let mut seen = 0;
        for (number, text) in texts.iter().enumerate() {
            let Some(value) = shown.outputs.get(&format!("u{number:03}")) else { continue };
            // Every text of the language is in this form of Unicode.
            assert_eq!(*value, json!(text.nfc().collect::<String>()), "{text:?}");
            seen += 1;
        }
        assert!(seen > 350, "{seen} of {}: {}", texts.len(), Json::from(exported));
    }
}
