//! `terdut_server`: the one bootstrap, its password, the admin's key and the account's.

use serde_json::json;
use terdut_simulator::{Fault, FaultBody};
use terdut_tests::harness::Binary;
use terdut_tests::host::{Host, Profile, Session};

use super::{STATUSES, keys, said, secret_settings, secrets_of, watch};
use crate::faults::hit::Asked;
use crate::faults::server::{Cell, Deed, PASSWORD};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answer_brings_a_secret_of_a_server_into_a_diagnostic() {
    let walks = Deed::ALL.into_iter().map(|deed| tokio::spawn(walk(deed)));
    for walk in futures::future::join_all(walks).await {
        walk.expect("a walk ends");
    }
}

/// One deed, with every request answered by what was sent.
async fn walk(deed: Deed) {
    let binary = Binary::provider().with_env("TERDUT_RETRY_BASE", "1ms");
    let host = Host::start(&binary.with_env("TF_LOG", "TRACE"), Profile::modern()).await;
    let session = host.session().clone();
    session.may_forget();
    let mut talks = 0;
    for asked in undisturbed(&session, deed).await {
        for (status, always) in
            STATUSES.map(|status| (status, false)).into_iter().chain([(500, true)])
        {
            talks += cell(&session, deed, &asked, status, always).await;
        }
    }
    assert!(talks > 0, "nothing is said of {deed:?}");
    host.shutdown().await;
}

async fn undisturbed(session: &Session, deed: Deed) -> Vec<Asked> {
    let mut cell = Cell::set(session, deed).await;
    cell.simulator.clear_requests();
    cell.act().await.unwrap_or_else(|failure| panic!("without a fault: {failure}"));
    Asked::all(&cell.simulator.requests())
}

async fn cell(session: &Session, deed: Deed, asked: &Asked, status: u16, always: bool) -> usize {
    let mut cell = Cell::set(session, deed).await;
    let mut settings = secret_settings(cell.simulator.url());
    let mut secrets = secrets_of(&settings);
    secrets.push(PASSWORD.to_owned());
    settings["max_retries"] = json!(0);
    session.configure(&settings).await.expect("the settings are good");
    secrets.extend(keys(&cell.simulator));
    let at = Fault::on(&asked.method, &asked.route);
    let at = if always { at.always() } else { at };
    cell.simulator.fault(at.answer(status, FaultBody::Echo));
    let ended = cell.act().await;
    assert!(cell.simulator.faults()[0].struck > 0, "{} was not met", asked.name());
    secrets.extend(keys(&cell.simulator));
    watch(session, &secrets);
    let all = said(&ended);
    for secret in &secrets {
        let shown: Vec<&String> = all.iter().filter(|text| text.contains(secret)).collect();
        assert!(shown.is_empty(), "{deed:?}, {} {status}: {shown:?}", asked.name());
    }
    all.len()
}
