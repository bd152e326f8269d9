//! A redirect would hand the key to whoever is named: none is followed, whatever was asked.

use terdut_simulator::{Action, Fault, FaultBody, Options, Simulator};

use crate::kinds::with;
use crate::scene::{ADDRESS, Scene};

#[tokio::test(flavor = "multi_thread")]
async fn no_redirect_is_followed_with_a_key() {
    let other = Simulator::start(Options::default());
    for status in [301, 302, 303, 307, 308] {
        let mut scene = Scene::start().await;
        let kind = scene.kind("terdut_team");
        scene.settle(&kind, &kind.full).await;
        for method in ["GET", "PUT", "DELETE", "POST"] {
            let there = format!("{}/api/teams?key={}", other.url(), scene.api.token());
            let headers = [("Location".to_owned(), there)].into();
            let action = Action::Answer { status, headers, body: FaultBody::Empty };
            scene.simulator.fault(Fault::on(method, "*").always().action(action));
            // What was listed before is forgotten.
            scene.world.configure(&scene.settings()).await.expect("the settings are good");
            let renamed = with(&kind.full, "name", &serde_json::json!("Renamed"));
            let ended = match method {
                "GET" => scene.world.refresh(ADDRESS).await.map(drop),
                "PUT" => scene.world.apply(ADDRESS, kind.type_name, &renamed).await.map(drop),
                "DELETE" => scene.world.destroy(ADDRESS).await.map(drop),
                _ => scene.world.apply("thing.new", kind.type_name, &renamed).await.map(drop),
            };
            let failure = ended.expect_err("it is not followed");
            assert!(failure.says("redirect") && failure.says(other.url()), "{method}: {failure}");
            assert!(!failure.to_string().contains(scene.api.token()), "{method}: {failure}");
            assert!(scene.simulator.faults()[0].struck > 0, "{method} was asked for");
            scene.simulator.clear_faults();
        }
        scene.world.close().await;
    }
    assert!(other.requests().is_empty(), "{:?}", other.requests());
}
