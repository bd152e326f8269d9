//! A key that is rotated with `create_before_destroy` and keeps its name: its predecessor is no
//! leftover, and one that is a leftover is told.

use terdut_simulator::Owner;
use terdut_tests::harness::Program;

use crate::scene::Scene;

const KEY: &str = "terdut_service_account_key.ci";
const WARNING: &str = "Others have the same name";

fn config(day: &str) -> String {
    format!(
        r#"
resource "terdut_service_account" "ci" {{
  name  = "ci"
  scope = "instance"
}}
resource "terdut_service_account_key" "ci" {{
  service_account_id  = terdut_service_account.ci.id
  name                = "deploy"
  rotate_when_changed = {{ day = "{day}" }}
  lifecycle {{
    create_before_destroy = true
  }}
}}
"#
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_predecessor_of_the_same_name_is_no_leftover() {
    for program in Program::current() {
        let scene = Scene::start(&program).await;
        scene.configure(&config("1"));
        scene.workspace.init().await;
        scene.workspace.apply().await.expect_ok();
        let first = scene.workspace.state().await.value(KEY, "id").clone();

        scene.configure(&config("2"));
        let text = scene.workspace.apply().await.expect_ok().text();
        assert!(!text.contains(WARNING), "{text}");
        let second = scene.workspace.state().await.value(KEY, "id").clone();
        assert_ne!(first, second);
        let plan = scene.workspace.plan().await;
        assert!(!plan.text.contains(WARNING), "{}", plan.text);
        plan.expect_empty();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leftover_of_the_same_name_is_told_by_the_next_plan_until_an_apply() {
    for program in Program::current() {
        let scene = Scene::start(&program).await;
        scene.configure(&config("1"));
        scene.workspace.init().await;
        scene.workspace.apply().await.expect_ok();
        let accounts = scene.simulator.state().accounts();
        let account = accounts.iter().find(|account| account.name == "ci").expect("it is there");
        let left = scene.simulator.state().add_key(Owner::Account(account.id), "deploy").id;

        scene.configure(&config("2"));
        scene.workspace.apply().await.expect_ok();
        let plan = scene.workspace.plan().await;
        let told = format!("ids {left}. Remove by");
        assert!(plan.text.contains(WARNING) && plan.text.contains(&told), "{}", plan.text);
        scene.workspace.apply().await.expect_ok();
        let plan = scene.workspace.plan().await;
        assert!(!plan.text.contains(WARNING), "{}", plan.text);
    }
}
