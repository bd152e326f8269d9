//! State files that an older provider wrote: without identities, with empty ones, without
//! attributes that came later, with one that is no more.

use serde_json::{Value as Json, json};
use terdut_tests::harness::{Program, Workspace};

use crate::scene::Scene;

const CONFIG: &str = r#"
resource "terdut_team" "main" {
  name = "Platform"
}
resource "terdut_alert_source" "main" {
  team_id = terdut_team.main.id
  name    = "prod"
}
resource "terdut_escalation_rule" "main" {
  team_id = terdut_team.main.id
  levels  = [{ timeout = "5m", targets = [{ kind = "oncall" }] }]
}
"#;

/// Changes every instance of the state file.
fn edit(workspace: &Workspace, change: impl Fn(&mut Json)) {
    let mut state: Json =
        serde_json::from_str(&workspace.file("terraform.tfstate")).expect("a state file");
    let resources = state["resources"].as_array_mut().expect("resources");
    for instance in resources.iter_mut().filter_map(|one| one["instances"].as_array_mut()) {
        instance.iter_mut().for_each(&change);
    }
    workspace.write("terraform.tfstate", &state.to_string());
}

fn without(instance: &mut Json, fields: &[&str]) {
    let instance = instance.as_object_mut().expect("an instance");
    instance.retain(|name, _| !fields.contains(&name.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_file_of_an_older_provider_is_read_as_it_is() {
    for program in Program::all() {
        let scene = Scene::start(&program).await;
        scene.configure(CONFIG);
        scene.workspace.init().await;
        scene.workspace.apply().await;
        let whole = scene.workspace.file("terraform.tfstate");
        let changes: [fn(&mut Json); 3] = [
            |instance| without(instance, &["identity", "identity_schema_version", "private"]),
            |instance| {
                let empty = instance.get("identity").cloned().unwrap_or_default();
                let nulls = empty.as_object().into_iter().flatten();
                let nulls: serde_json::Map<_, _> =
                    nulls.map(|(name, _)| (name.clone(), Json::Null)).collect();
                if !nulls.is_empty() {
                    instance["identity"] = nulls.into();
                }
            },
            |instance| {
                without(&mut instance["attributes"], &["timeouts", "adopt_existing"]);
                instance["attributes"]["of_long_ago"] = json!("x");
            },
        ];
        for change in changes {
            scene.workspace.write("terraform.tfstate", &whole);
            edit(&scene.workspace, change);
            scene.workspace.plan().await.expect_empty();
        }
        scene.workspace.destroy().await;
        assert!(scene.simulator.state().teams().is_empty(), "{}", program.label());
    }
}
