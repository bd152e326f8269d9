//! Imports by identity, as a host that stores identities has them.

use serde_json::{Value as Json, json};
use terdut_tests::harness::Program;

use crate::scene::Scene;

/// What somebody has made by hand, imported by identities with and without the server's URL.
fn configuration(url: &str, team: &str, source: &str) -> String {
    format!(
        r#"
provider "terdut" {{}}
provider "terdut" {{
  alias = "setup"
}}
import {{
  to       = terdut_team.main
  identity = {{ url = "{url}/", id = "{team}" }}
}}
import {{
  to       = terdut_alert_source.main
  identity = {{ team_id = "{team}", id = "{source}" }}
}}
import {{
  to       = terdut_server.main
  provider = terdut.setup
  identity = {{ url = "{url}" }}
}}
resource "terdut_team" "main" {{
  name = "Platform"
}}
resource "terdut_alert_source" "main" {{
  team_id = terdut_team.main.id
  name    = "prod"
}}
resource "terdut_server" "main" {{
  provider = terdut.setup
  url      = "{url}"
}}
"#
    )
}

/// The identity that the state file holds of a resource.
fn stored(state: &Json, kind: &str) -> Json {
    let resources = state["resources"].as_array().expect("resources");
    let found = resources.iter().find(|one| one["type"] == kind);
    found.unwrap_or_else(|| panic!("no {kind}"))["instances"][0]["identity"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_there_is_imported_by_its_identity() {
    for program in Program::all().iter().filter(|it| it.has_identity()) {
        let scene = Scene::start(program).await;
        let team = scene.api.team("Platform").await;
        let body = json!({ "kind": "alertmanager", "name": "prod" });
        let source = scene.api.post(&format!("/api/teams/{team}/integrations"), &body).await;
        let (team, source) = (team.to_string(), source["id"].to_string());
        let url = scene.api.base().to_owned();
        scene.configure(&configuration(&url, &team, &source));
        scene.workspace.init().await;
        let applied = scene.workspace.apply().await.text();
        assert!(applied.contains("3 imported, 0 added"), "{}: {applied}", program.label());
        scene.workspace.plan().await.expect_empty();
        let state: Json =
            serde_json::from_str(&scene.workspace.file("terraform.tfstate")).expect("a state");
        assert_eq!(stored(&state, "terdut_team"), json!({ "url": url, "id": team }));
        let of_source = json!({ "url": url, "team_id": team, "id": source });
        assert_eq!(stored(&state, "terdut_alert_source"), of_source);
        assert_eq!(stored(&state, "terdut_server"), json!({ "url": url }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_identity_that_names_nothing_here_says_why() {
    for program in Program::all().iter().filter(|it| it.has_identity()) {
        let scene = Scene::start(program).await;
        let resource = "resource \"terdut_team\" \"main\" {\n  name = \"Platform\"\n}\n";
        let import = |identity: &str| {
            format!("import {{\n  to = terdut_team.main\n  identity = {identity}\n}}\n{resource}")
        };
        for (identity, told) in [
            (
                "{ url = \"https://other.example.org\", id = \"1\" }",
                "The identity is of another server",
            ),
            ("{ id = \"seven\" }", "Invalid import id"),
            ("{ id = \"999999\" }", "Cannot import non-existent remote object"),
        ] {
            scene.configure(&import(identity));
            scene.workspace.init().await;
            let error = scene.workspace.try_plan(&[]).await.expect_error();
            assert!(error.contains(told), "{}: {identity}: {error}", program.label());
        }
    }
}
