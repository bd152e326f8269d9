//! A state that moves from one registry's provider to the other's: nothing is read anew from
//! nothing, no key is lost, nothing is made again.

use terdut_plugin::registries::{HOSTS, OPENTOFU, TERRAFORM};
use terdut_tests::harness::{Binary, Program};

use crate::scene::Scene;

const OBJECTS: &str = r#"
resource "terdut_team" "NAME" {
  provider = PROVIDER
  name     = "Platform"
}
resource "terdut_alert_source" "NAME" {
  provider = PROVIDER
  team_id  = terdut_team.NAME.id
  name     = "prod"
}
"#;

const MOVED: &str = r"
moved {
  from = terdut_team.before
  to   = terdut_team.after
}
moved {
  from = terdut_alert_source.before
  to   = terdut_alert_source.after
}
";

fn providers() -> String {
    format!(
        "terraform {{\n  required_providers {{\n    terdut = {{ source = \"{TERRAFORM}/ryuvia/terdut\" \
         }}\n    other  = {{ source = \"{OPENTOFU}/ryuvia/terdut\" }}\n  }}\n}}\n"
    )
}

fn objects(name: &str, provider: &str) -> String {
    OBJECTS.replace("NAME", name).replace("PROVIDER", provider)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_moves_from_one_registry_to_the_other_and_keeps_its_key() {
    for program in Program::all().iter().filter(|it| it.moves_between_providers()) {
        for (from, to) in [("terdut", "other"), ("other", "terdut")] {
            let scene = Scene::start(program).await;
            for registry in HOSTS {
                scene.workspace.install_from(registry, &Binary::provider(), "terdut");
            }
            scene.workspace.write("main.tf", &(providers() + &objects("before", from)));
            scene.workspace.init().await;
            scene.workspace.apply().await;
            let key = scene.workspace.state().await;
            let key = key.value("terdut_alert_source.before", "key").clone();
            scene.workspace.write("main.tf", &(providers() + &objects("after", to) + MOVED));
            let applied = scene.workspace.apply().await.text();
            assert!(applied.contains("0 added, 0 changed, 0 destroyed"), "{applied}");
            let state = scene.workspace.state().await;
            assert_eq!(*state.value("terdut_alert_source.after", "key"), key);
            scene.workspace.plan().await.expect_empty();
            assert_eq!(scene.simulator.count("POST", "/api/teams/{id}/integrations"), 1);
        }
    }
}
