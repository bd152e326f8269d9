//! What `schema` prints is what a host shows of the provider, as far as the host knows of it.

use serde_json::Value as Json;
use terdut_tests::harness::{Binary, Program};

use crate::scene::Scene;

fn printed() -> Json {
    let output = Binary::provider().command().arg("schema").output().expect("the provider runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_shows_the_schemas_that_the_subcommand_prints() {
    let ours = printed();
    for program in Program::all() {
        let scene = Scene::start(&program).await;
        scene.configure("");
        scene.workspace.init().await;
        let run = scene.workspace.run(&["providers", "schema", "-json"]).await.expect_ok();
        let shown: Json = serde_json::from_str(&run.stdout).expect("JSON");
        let address = format!("{}/ryuvia/terdut", program.registry());
        let shown = shown["provider_schemas"][&address].as_object().expect("the provider").clone();
        assert!(shown.len() >= 3, "{}: {:?}", program.label(), shown.keys());
        for (part, schemas) in &shown {
            // What a host knows of an attribute grows: an older one leaves write_only out.
            let whole = program.has_query_and_actions();
            let same = *schemas == ours[part];
            assert!(same || !whole, "{}: {part} is {schemas}", program.label());
            let names =
                |json: &Json| json.as_object().map(|all| all.keys().cloned().collect::<Vec<_>>());
            assert_eq!(names(schemas), names(&ours[part]), "{}: {part}", program.label());
        }
        if program.has_query_and_actions() {
            let all: Vec<_> = ours.as_object().expect("an object").keys().collect();
            assert_eq!(shown.keys().collect::<Vec<_>>(), all, "{}", program.label());
        }
    }
}
