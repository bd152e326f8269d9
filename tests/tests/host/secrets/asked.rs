//! What is asked beside managed objects: keys for one run, data sources, a test alert.

use serde_json::{Value as Json, json};
use terdut_simulator::Fault;
use terdut_tests::host::{Opened, Profile, to_json};

use super::{answers, echoes, said, secret_settings, secrets, watch};
use crate::kinds::Kind;
use crate::scene::{ADDRESS, Scene};

for_each_kind!(no_answer_brings_a_secret_into_what_a_data_source_says: team, deadman_switch,
    alert_source, user, service_account);

const RUN_KEY: &str = "terdut_service_account_key";
const TEST_ALERT: &str = "terdut_send_test_alert";

/// Both looks, each with every answer.
async fn no_answer_brings_a_secret_into_what_a_data_source_says(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    scene.more = secret_settings(scene.api.base());
    scene.restart(Profile::modern()).await;
    let secrets = secrets(&scene, Some(&state));
    watch(scene.world.session(), &secrets);
    let ending = if kind.type_name.ends_with("ch") { "es" } else { "s" };
    let plural = format!("{}{ending}", kind.type_name);
    let place = if kind.list.contains("{team_id}") {
        json!({ "team_id": state["team_id"] })
    } else {
        json!({})
    };
    let mut one = place.clone();
    one["id"] = state["id"].clone();
    for (status, body) in answers(&secrets.join(" and ")).into_iter().chain(echoes()) {
        scene.simulator.fault(Fault::on("*", "*").always().answer(status, body));
        for (source, config) in [(kind.type_name, &one), (&plural, &place)] {
            let read = scene.world.session().read_data(source, config).await;
            let all = said(&read.map(|(_, warnings)| warnings)).join("\n");
            let shown = secrets.iter().find(|secret| all.contains(secret.as_str()));
            assert!(!all.is_empty() && shown.is_none(), "{source} after {status}: {all}");
        }
        scene.simulator.clear_faults();
    }
    scene.world.close().await;
}

/// What is said of a key for one run that is opened, and of one that is closed.
async fn told_of_a_run(scene: &Scene, open: &Opened) -> Vec<String> {
    let session = scene.world.session();
    let config = json!({ "service_account_id": scene.fixture.account });
    let opened = session.open_ephemeral(RUN_KEY, &config).await;
    let closed = session.close_ephemeral(RUN_KEY, open).await;
    let mut all = said(&opened.map(|opened| opened.warnings));
    all.extend(said(&closed));
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_brings_a_runs_key_into_a_diagnostic() {
    let mut scene = Scene::start().await;
    let config = json!({ "service_account_id": scene.fixture.account });
    let open = scene.world.session().open_ephemeral(RUN_KEY, &config).await.expect("it opens");
    scene.more = secret_settings(scene.api.base());
    let mut secrets = secrets(&scene, None);
    secrets.extend(to_json(&open.result)["token"].as_str().map(str::to_owned));
    // With the process that made the key, and with one that closes what another one opened.
    for again in [false, true] {
        if again {
            scene.restart(Profile::modern()).await;
        }
        watch(scene.world.session(), &secrets);
        scene.world.configure(&scene.settings()).await.expect("the settings are good");
        // All that is asked, and only what changes something.
        for method in ["*", "POST", "DELETE"] {
            for (status, body) in answers(&secrets.join(" and ")).into_iter().chain(echoes()) {
                scene.simulator.fault(Fault::on(method, "*").always().answer(status, body));
                for said in told_of_a_run(&scene, &open).await {
                    for secret in &secrets {
                        assert!(!said.contains(secret), "after {status}: {said}");
                    }
                }
                scene.simulator.clear_faults();
            }
        }
    }
    scene.world.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_brings_a_secret_into_what_a_test_alert_says() {
    let mut scene = Scene::start().await;
    let kind = scene.kind("terdut_alert_source");
    let state = scene.settle(&kind, &kind.full).await;
    assert!(scene.world.state(ADDRESS).is_some());
    scene.more = secret_settings(scene.api.base());
    // A process that has seen the URL in no answer.
    scene.restart(Profile::modern()).await;
    let mut secrets = secrets(&scene, Some(&state));
    secrets.extend(state["webhook_url"].as_str().map(str::to_owned));
    watch(scene.world.session(), &secrets);
    let config: Json =
        json!({ "webhook_url": state["webhook_url"], "timeout": "1s", "resolve": true });
    for method in ["POST", "GET"] {
        for (status, body) in echoes() {
            scene.simulator.fault(Fault::on(method, "*").always().answer(status, body));
            let invoked = scene.world.session().invoke(TEST_ALERT, &config).await;
            let all = format!("{:?} {}", invoked.messages, said(&invoked.outcome).join("\n"));
            for secret in &secrets {
                assert!(!all.contains(secret), "{method} {status}: {all}");
            }
            assert!(scene.simulator.faults()[0].struck > 0, "no {method} was asked for: {all}");
            scene.simulator.clear_faults();
        }
    }
    scene.world.close().await;
}
