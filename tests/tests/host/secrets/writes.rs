//! Each request that changes something, answered with all that was sent: what is created, changed,
//! replaced and removed up to there is done by a server that answers well.

use serde_json::Value as Json;
use terdut_simulator::{Fault, FaultBody};
use terdut_tests::harness::Binary;

use super::{answers, echoes, keys, said, secret_settings, secrets_of, watch};
use crate::faults::deed::Deed;
use crate::faults::hit::Asked;
use crate::faults::stage::Stage;
use crate::kinds::Kind;
use crate::scene::Scene;

for_each_kind!(no_answer_to_a_write_brings_a_secret_into_a_diagnostic);

async fn no_answer_to_a_write_brings_a_secret_into_a_diagnostic(scene: Scene, kind: Kind) {
    scene.world.close().await;
    for deed in Deed::of(&kind).into_iter().filter(|deed| !deed.only_reads()) {
        let mut stage = staged(kind.type_name, deed).await;
        let asked = undisturbed(&mut stage).await;
        // Whatever is adopted may be as it is wanted.
        assert!(!asked.is_empty() || deed == Deed::Adopt, "{deed:?} changes nothing");
        for asked in asked {
            let mut talks = 0;
            for (status, body) in forms(&stage) {
                talks += cell(&mut stage, &asked, status, body).await;
            }
            assert!(talks > 0, "nothing is said after {}", asked.name());
        }
        // What came into being meanwhile is looked for in the log.
        watch(stage.scene.world.session(), &secrets(&stage));
        stage.scene.world.close().await;
    }
}

async fn staged(type_name: &str, deed: Deed) -> Stage {
    let binary = Binary::provider().with_env("TERDUT_RETRY_BASE", "1ms");
    let mut stage = Stage::of(&binary.with_env("TF_LOG", "TRACE"), type_name, deed).await;
    stage.scene.more = secret_settings(stage.scene.api.base());
    stage
}

/// The writes of the deed when all is well.
async fn undisturbed(stage: &mut Stage) -> Vec<Asked> {
    stage.begin().await;
    stage.configure(false).await;
    stage.scene.simulator.clear_requests();
    stage.act().await.unwrap_or_else(|failure| panic!("without a fault: {failure}"));
    let asked = Asked::all(&stage.scene.simulator.requests()).into_iter();
    asked.filter(Asked::writes).collect()
}

/// The request itself with every status, and the keys in the forms that are no JSON error.
fn forms(stage: &Stage) -> Vec<(u16, FaultBody)> {
    let text = secrets(stage).join(" and ");
    let others = answers(&text).into_iter();
    let others = others.filter(|(status, _)| [200, 500, 502].contains(status));
    echoes().chain(others).collect()
}

fn secrets(stage: &Stage) -> Vec<String> {
    let mut all = keys(&stage.scene.simulator);
    all.extend(secrets_of(&stage.scene.more));
    let stored = |name: &str| stage.prior.as_ref()?[name].as_str().map(ToOwned::to_owned);
    all.extend(["token", "key"].into_iter().filter_map(stored));
    all
}

/// How much is said of one answer; none of it shows a secret.
async fn cell(stage: &mut Stage, asked: &Asked, status: u16, body: FaultBody) -> usize {
    stage.begin().await;
    stage.configure(false).await;
    let before = secrets(stage);
    watch(stage.scene.world.session(), &before);
    let echo = body == FaultBody::Echo;
    let at = Fault::on(&asked.method, &asked.route).always();
    stage.scene.simulator.fault(at.answer(status, body));
    let ended = stage.act().await;
    let met = stage.scene.simulator.faults()[0].struck > 0;
    assert!(met, "{} was not met", asked.name());
    stage.scene.simulator.clear_faults();
    let all = said(&ended);
    for secret in before.iter().chain(&secrets(stage)) {
        let shown: Vec<&String> = all.iter().filter(|text| text.contains(secret)).collect();
        assert!(shown.is_empty(), "{} {status} (echo: {echo}): {shown:?}", asked.name());
    }
    expect_own_keys_only(stage, &before);
    all.len()
}

/// No answer brings a setting's secret, or another's key, into the state.
fn expect_own_keys_only(stage: &Stage, secrets: &[String]) {
    for address in stage.scene.world.addresses() {
        let mut stored = stage.scene.world.state(address).cloned().unwrap_or_default();
        for own in ["token", "key", "webhook_url"] {
            stored.as_object_mut().and_then(|stored| stored.remove(own));
        }
        let text = Json::to_string(&stored);
        for secret in secrets {
            assert!(!text.contains(secret), "{address} holds {secret}: {text}");
        }
    }
}
