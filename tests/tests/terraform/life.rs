//! Living a case: create, nothing more to do, change after change, import, destroy, nothing left.

use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Binary, Program, ShownState, Workspace};

use crate::case::{Case, Change, Expected};

const REQUIRED: &str = r#"
terraform {
  required_providers {
    terdut = { source = "ryuvia/terdut" }
  }
}
"#;

/// Lives a case with a program.
pub(crate) async fn live(program: &Program, case: &Case) {
    let simulator = Simulator::start(Options::default());
    let api = Api::bootstrap(simulator.url()).await;
    let mut workspace = Workspace::new(program, &Binary::provider(), "terdut");
    workspace.set_env("TERDUT_URL", api.base());
    workspace.set_env("TERDUT_TOKEN", api.token());
    workspace.write("versions.tf", REQUIRED);
    workspace.write("main.tf", &case.config);
    workspace.init().await;
    workspace.apply().await;
    workspace.plan().await.expect_empty();
    for change in &case.changes {
        make(&workspace, case, change).await;
    }
    workspace.write("main.tf", &case.config);
    workspace.apply().await;
    let before = workspace.state().await;
    for form in case.imports {
        import(&workspace, case, &before, form).await;
    }
    workspace.destroy().await;
    expect_nothing_left(&api).await;
}

async fn make(workspace: &Workspace, case: &Case, change: &Change) {
    let label = format!("{} {}: {}", workspace.program().label(), case.address, change.name);
    workspace.write("main.tf", &change.config);
    let plan = workspace.plan().await;
    let planned = plan.change(case.address);
    match change.expected {
        Expected::Update => {
            assert_eq!(planned.action(), "update", "{label}\n{}", plan.text);
            assert!(!plan.text.contains("Warning"), "{label} breaks nothing\n{}", plan.text);
        }
        Expected::Replace(paths) => {
            assert!(planned.is_replace(), "{label}: {}\n{}", planned.action(), plan.text);
            assert_eq!(planned.replace_paths, paths, "{label}");
        }
    }
    assert!(
        plan.text.contains(change.says),
        "{label} does not say {:?}:\n{}",
        change.says,
        plan.text
    );
    workspace.apply_plan().await.expect_ok();
    workspace.plan().await.expect_empty();
}

/// Takes everything into an empty state again, this object by one form.
async fn import(workspace: &Workspace, case: &Case, before: &ShownState, form: &str) {
    workspace.forget_state();
    for (address, form) in case.beside {
        workspace.import(address, &filled(form, before, address)).await.expect_ok();
    }
    let id = filled(form, before, case.address);
    workspace.import(case.address, &id).await.expect_ok();
    workspace.plan().await.expect_empty();
}

/// `{attribute}` as the state has it.
fn filled(form: &str, state: &ShownState, address: &str) -> String {
    let mut id = form.to_owned();
    for attribute in ["id", "team_id", "service_account_id"] {
        let mark = format!("{{{attribute}}}");
        if id.contains(&mark) {
            let value = state.value(address, attribute).as_str().unwrap_or_default();
            id = id.replace(&mark, value);
        }
    }
    id
}

async fn expect_nothing_left(api: &Api) {
    for path in ["/api/teams", "/api/service-accounts"] {
        let left = api.get(path).await;
        assert_eq!(left.as_array().map(Vec::len), Some(0), "{path} still has {left}");
    }
    let people = api.get("/api/users").await;
    assert_eq!(people.as_array().map(Vec::len), Some(1), "only the first person stays: {people}");
}
