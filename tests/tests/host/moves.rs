//! States that move from one registry's provider to the other's: each kind with its private data
//! and its identity, and from no other provider.

use serde_json::json;
use terdut_plugin::registries;
use terdut_tests::host::to_json;

use crate::kinds::Kind;
use crate::scene::{ADDRESS, Scene};

const SOURCE: &str = "ryuvia/terdut";

for_each_kind!(a_state_moves_between_the_registries_with_all_that_is_stored_beside_it);

async fn a_state_moves_between_the_registries_with_all_that_is_stored_beside_it(
    mut scene: Scene,
    kind: Kind,
) {
    let state = scene.settle(&kind, &kind.full).await;
    let identity = scene.world.identity(ADDRESS).cloned().expect("an identity");
    let session = scene.world.session().clone();
    let schemas = session.schemas();
    let version = schemas.resource(kind.type_name).version;
    let of_identity = schemas.identities[kind.type_name].version;
    let private: &[u8] = br#"{"kept":true}"#;
    let asked = scene.simulator.requests().len();
    let from = async |address: &str, type_name: &str, version: i64| {
        let beside = (private, Some((of_identity, &identity)));
        session.move_held((address, type_name), version, &state, beside, kind.type_name).await
    };
    let private_registry = format!("registry.example.com/{SOURCE}");
    for address in registries::addresses(SOURCE).into_iter().chain([private_registry]) {
        let moved = from(&address, kind.type_name, version).await;
        let moved = moved.unwrap_or_else(|failure| panic!("{address}: {failure}"));
        assert_eq!(to_json(&moved.state), state, "{address}");
        assert_eq!(to_json(&moved.identity), identity, "{address}");
        assert_eq!(moved.private, private, "{address}");
        // What was written by a newer provider is not read as if it were known.
        from(&address, kind.type_name, version + 1).await.expect_err("it is newer");
        from(&address, "terdut_other", version).await.expect_err("it is of another type");
    }
    for address in ["registry.terraform.io/other/terdut", "ryuvia/terdut", ""] {
        let failure = from(address, kind.type_name, version).await.expect_err("it is foreign");
        assert!(failure.says("of ryuvia/terdut, from any registry"), "{address}: {failure}");
    }
    let [address, _] = registries::addresses(SOURCE);
    let part = json!({ "id": state["id"] });
    let bare = session.move_state((&address, kind.type_name), version, &part, kind.type_name).await;
    assert_eq!(to_json(&bare.expect("a part of a state"))["id"], state["id"]);
    assert_eq!(scene.simulator.requests().len(), asked, "nothing is asked of the server");
    scene.world.close().await;
}
