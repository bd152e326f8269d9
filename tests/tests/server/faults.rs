//! Lost answers, proxies, and servers that lack what the contract only assumes.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use terdut_simulator::{AccountAnswer, AccountLookup, Assumptions, Fault, FaultBody, Owner};
use terdut_tests::harness::{Api, wait_for};

use crate::fixture::{Fixture, MAIN, SERVER, accounts, bootstrap, keys};

const ACCOUNTS: &str = "/api/service-accounts";
const KEYS: &str = "/api/service-accounts/{id}/keys";

/// One account, a key that works, and no other key of ours.
async fn assert_one_of_each(fixture: &Fixture, admin: &Api, context: &str) {
    assert_eq!(accounts(admin, "terraform").await.len(), 1, "{context}");
    assert!(fixture.takes(&fixture.text("token")).await, "{context}");
    let account = fixture.text("service_account_id");
    assert_eq!(keys(admin, &account).await, [fixture.text("token_key_id")], "{context}");
}

#[tokio::test]
async fn a_lost_answer_leaves_one_account_with_one_key() {
    for fault in [
        Fault::on("POST", ACCOUNTS).drop_after(),
        Fault::on("POST", ACCOUNTS).drop_before(),
        Fault::on("POST", ACCOUNTS).times(3).drop_after(),
        Fault::on("POST", ACCOUNTS).times(3).drop_before(),
        Fault::on("POST", ACCOUNTS).cut_off(10),
        Fault::on("POST", ACCOUNTS).after_acting().error(502, "gateway"),
    ] {
        let mut fixture = Fixture::new().await;
        let admin = fixture.admin().await;
        let context = format!("{fault:?}");
        fixture.simulator.fault(fault);
        fixture.apply(&json!({ "admin_token_wo": admin.token() })).await;
        assert_one_of_each(&fixture, &admin, &context).await;
        fixture.plan(&json!({ "admin_token_wo": admin.token() })).await.expect_empty();
    }
}

#[tokio::test]
async fn a_lost_answer_of_a_mint_leaves_no_key_that_nobody_holds() {
    for fault in [
        Fault::on("POST", KEYS).drop_after(),
        Fault::on("POST", KEYS).drop_before(),
        Fault::on("POST", KEYS).times(3).drop_after(),
        Fault::on("POST", KEYS).times(3).drop_before(),
    ] {
        let mut fixture = Fixture::new().await;
        let admin = fixture.admin().await;
        let config = |day: &str| json!({ "admin_token_wo": admin.token(), "rotate_when_changed": { "day": day } });
        fixture.apply(&config("1")).await;
        let first = fixture.text("token_key_id");
        fixture.simulator.fault(fault);
        fixture.apply(&config("2")).await;
        let account = fixture.text("service_account_id");
        assert_eq!(keys(&admin, &account).await, [first, fixture.text("token_key_id")]);
        fixture.plan(&config("2")).await.expect_empty();
    }
}

#[tokio::test]
async fn a_lost_bootstrap_says_what_to_do() {
    for times in [1, 3] {
        let lost = Fault::on("POST", "/api/bootstrap").times(times);
        let mut fixture = Fixture::new().await;
        fixture.simulator.fault(lost.clone().drop_after());
        let failure = fixture.try_apply(&json!({ "bootstrap": bootstrap() })).await.unwrap_err();
        assert!(failure.says("BootstrapStateLost") && failure.says("empty database"), "{failure}");
        assert!(fixture.world.addresses().is_empty());

        let mut fixture = Fixture::new().await;
        fixture.simulator.fault(lost.drop_before());
        fixture.apply(&json!({ "bootstrap": bootstrap() })).await;
        assert!(fixture.takes(&fixture.text("token")).await);
        fixture.plan(&json!({ "bootstrap": bootstrap() })).await.expect_empty();
        assert_eq!(fixture.simulator.state().users().len(), 1);
    }
}

#[tokio::test]
async fn two_new_keys_after_a_lost_answer_are_an_error_and_stay() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config =
        |day: &str| json!({ "admin_token": admin.token(), "rotate_when_changed": { "day": day } });
    fixture.apply(&config("1")).await;
    let account = fixture.text("service_account_id");
    let first = keys(&admin, &account).await;
    let delay = Duration::from_millis(500);
    fixture.simulator.fault(Fault::on("POST", KEYS).drop_after().delay(delay));
    let wanted = fixture.config(&config("2"));
    let simulator = &fixture.simulator;
    let other = async {
        let acted = || async { simulator.faults()[0].acted > 0 };
        wait_for("the server acts", Duration::from_secs(20), acted).await;
        let owner = Owner::Account(account.parse().expect("a number"));
        simulator.state().add_key(owner, "terraform");
    };
    let (applied, ()) = tokio::join!(fixture.world.apply(MAIN, SERVER, &wanted), other);
    let failure = applied.unwrap_err();
    let new = keys(&admin, &account).await.split_off(first.len());
    assert_eq!(new.len(), 2);
    assert!(new.iter().all(|key| failure.says(key)), "{new:?}: {failure}");
    assert!(failure.says("Nothing was revoked"), "{failure}");
}

#[tokio::test]
async fn a_stop_while_the_account_is_made_keeps_it_in_the_state() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = json!({ "admin_token": admin.token() });
    let slow = Fault::on("POST", ACCOUNTS).after_acting().delay(Duration::from_secs(8));
    fixture.simulator.fault(slow);
    let (session, wanted) = (fixture.world.session().clone(), fixture.config(&config));
    let simulator = &fixture.simulator;
    let stop = async {
        let acted = || async { simulator.faults()[0].acted > 0 };
        wait_for("the server acts", Duration::from_secs(20), acted).await;
        session.stop().await;
        Instant::now()
    };
    let (applied, stopped) = tokio::join!(fixture.world.apply(MAIN, SERVER, &wanted), stop);
    assert!(stopped.elapsed() < Duration::from_secs(5), "it took {:?}", stopped.elapsed());
    let applied = applied.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(applied.warns("the next apply finishes it"), "{:?}", applied.diagnostics);
    let account = accounts(&admin, "terraform").await.remove(0);
    assert_eq!(fixture.text("service_account_id"), account["id"].to_string());

    fixture.simulator.clear_faults();
    fixture.apply(&config).await;
    assert_one_of_each(&fixture, &admin, "after the stop").await;
}

#[tokio::test]
async fn the_refusal_of_a_proxy_is_an_error_and_changes_nothing() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = json!({ "admin_token_wo": admin.token() });
    fixture.apply(&config).await;
    let before = fixture.state().clone();
    let html = || FaultBody::Html("<html><title>Blocked</title></html>".to_owned());
    let text = || FaultBody::Text("Unauthorized".to_owned());
    for (status, body) in [
        (401, html()),
        (401, text()),
        (401, FaultBody::Empty),
        (403, html()),
        (403, FaultBody::Json(json!({ "error": "scope" }))),
        (502, html()),
    ] {
        let context = format!("{status} {body:?}");
        fixture.simulator.fault(Fault::on("GET", "*").always().answer(status, body));
        let failure = fixture.try_plan(&config).await.unwrap_err();
        assert!(failure.says("cannot be read"), "{context}: {failure}");
        fixture.simulator.clear_faults();
        assert_eq!(fixture.state(), &before, "{context}");
    }
    fixture.plan(&config).await.expect_empty();
}

#[tokio::test]
async fn what_the_contract_only_assumes_may_be_otherwise() {
    type Change = (&'static str, fn(&mut Assumptions));
    let changes: [Change; 6] = [
        ("nested answer", |it| it.account_answer = AccountAnswer::Nested),
        ("one object", |it| it.account_lookup = AccountLookup::Object),
        ("no me", |it| it.me_route = false),
        ("no me for accounts", |it| it.me_for_accounts = false),
        ("no list of keys", |it| it.account_keys_route = false),
        ("pages", |it| it.page_size = Some(1)),
    ];
    for (name, change) in changes {
        let mut fixture = Fixture::new().await;
        let admin = fixture.admin().await;
        fixture.simulator.assume(change);
        let config = |day: &str| -> Json {
            json!({ "admin_token": admin.token(), "rotate_when_changed": { "day": day } })
        };
        fixture.apply(&config("1")).await;
        fixture.plan(&config("1")).await.expect_empty();
        let first = fixture.text("token");
        fixture.apply(&config("2")).await;
        assert!(fixture.takes(&fixture.text("token")).await, "{name}");
        fixture.plan(&config("2")).await.expect_empty();
        fixture.world.destroy(MAIN).await.unwrap();
        assert!(!fixture.takes(&first).await, "{name}");
    }
}

#[tokio::test]
async fn a_server_without_the_delete_route_is_left_without_keys() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    fixture.apply(&json!({ "admin_token": admin.token() })).await;
    let account = fixture.text("service_account_id");
    fixture.simulator.assume(|it| it.account_delete_route = false);
    let destroyed = fixture.world.destroy(MAIN).await.unwrap();
    assert!(destroyed.warns(&account), "{:?}", destroyed.diagnostics);
    assert!(keys(&admin, &account).await.is_empty());
}

#[tokio::test]
async fn a_rotation_that_the_server_does_not_allow_uses_a_key_that_is_handed_in() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    fixture.simulator.assume(|it| it.instance_manages_own_keys = false);
    let config =
        |day: &str| json!({ "admin_token": admin.token(), "rotate_when_changed": { "day": day } });
    fixture.apply(&config("1")).await;
    let first = fixture.text("token");
    fixture.apply(&config("2")).await;
    assert_ne!(fixture.text("token"), first);

    let without = json!({ "rotate_when_changed": { "day": "3" } });
    let failure = fixture.try_apply(&without).await.unwrap_err();
    assert!(failure.says("RotationDenied"), "{failure}");
}

#[tokio::test]
async fn a_stop_or_a_limit_in_the_middle_is_finished_by_the_next_apply() {
    let password = "/api/users/{id}/password";
    tokio::join!(
        interrupted("GET", ACCOUNTS, false),
        interrupted("POST", ACCOUNTS, false),
        interrupted("POST", ACCOUNTS, true),
        interrupted("PUT", password, false),
        interrupted("PUT", password, true),
        interrupted("GET", "/api/me", true),
    );
}

/// A create that is ended while one request waits for its answer, and the apply after it.
async fn interrupted(method: &str, route: &str, limited: bool) {
    let mut fixture = Fixture::new().await;
    let config = json!({ "bootstrap": bootstrap() });
    let mut hurried = config.clone();
    if limited {
        hurried["timeouts"] = json!({ "create": "1s" });
    }
    let delay = Duration::from_secs(8);
    fixture.simulator.fault(Fault::on(method, route).after_acting().delay(delay));
    let session = fixture.world.session().clone();
    let stop = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        if !limited {
            session.stop().await;
        }
    };
    let (applied, ()) = tokio::join!(fixture.apply(&hurried), stop);
    let context = format!("{method} {route}, limited: {limited}");
    assert!(applied.warns("the next apply finishes it"), "{context}");
    assert_eq!(applied.warns("timeouts.create"), limited, "{context}");
    assert!(!fixture.world.is_tainted(MAIN), "{context}");

    fixture.simulator.clear_faults();
    fixture.apply(&config).await;
    fixture.plan(&config).await.expect_empty();
    let state = fixture.simulator.state();
    assert_eq!(state.accounts().len(), 1, "{context}");
    assert_eq!(state.keys().len(), 1, "{context}: {:?}", state.keys());
    let user = state.user("root").map(|user| user.id).unwrap_or_default();
    assert_eq!(state.password(user).as_deref(), Some("s3cret-password"), "{context}");
    assert!(fixture.takes(&fixture.text("token")).await, "{context}");
}
