//! What means the same, what is not known yet, and what is only partly there.

use serde_json::{Value as Json, json};
use terdut_simulator::Logged;
use terdut_tests::host::Action;

use crate::fixture::{Fixture, MAIN, SERVER, bootstrap, unknown};

#[tokio::test]
async fn every_form_of_nothing_is_an_update_without_a_call() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    fixture.apply(&json!({ "admin_token_wo": admin.token() })).await;
    let (state, asked) = (fixture.state().clone(), fixture.simulator.requests().len());
    for (name, nothing) in [
        ("admin_token", json!("")),
        ("rotate_when_changed", json!({})),
        ("timeouts", json!({})),
        ("keep_bootstrap_token", json!(false)),
        ("adopt_existing", json!(false)),
        ("service_account_name", json!("")),
        ("service_account_name", json!(" terraform ")),
        ("admin_token_wo_version", json!(null)),
    ] {
        let mut config = json!({});
        config[name] = nothing;
        let applied = fixture.apply(&config).await;
        assert_ne!(applied.plan.action, Action::Replace, "{name}");
        fixture.plan(&config).await.expect_empty();
        fixture.apply(&json!({})).await;
        fixture.plan(&json!({})).await.expect_empty();
        assert_eq!(fixture.state()["token"], state["token"], "{name}");
    }
    let since = fixture.simulator.requests().split_off(asked);
    assert!(!since.iter().any(Logged::writes), "{since:?}");
}

#[tokio::test]
async fn a_trailing_slash_is_kept_as_it_was_written() {
    let mut fixture = Fixture::new().await;
    let slashed = json!({ "url": format!("{}/", fixture.base()), "bootstrap": bootstrap() });
    let created = fixture.apply(&slashed).await;
    assert_eq!(created.state["url"], slashed["url"]);
    assert_eq!(created.state["id"], json!(fixture.base()));
    assert_eq!(fixture.world.identity(MAIN), Some(&json!({ "url": fixture.base() })));
    fixture.plan(&slashed).await.expect_empty();
    fixture.plan(&json!({ "bootstrap": bootstrap() })).await.expect_empty();
}

#[tokio::test]
async fn every_attribute_may_be_unknown_while_planning() {
    let known = json!({
        "bootstrap": bootstrap(),
        "keep_bootstrap_token": true,
        "service_account_name": "ops",
        "rotate_when_changed": { "day": "1" },
        "adopt_existing": false,
        "timeouts": { "create": "1m" },
    });
    let mut names: Vec<_> = known.as_object().unwrap().keys().cloned().collect();
    names.push("url".to_owned());
    for name in names {
        let mut fixture = Fixture::new().await;
        let known = fixture.config(&known);
        let mut open = known.clone();
        open[&name] = unknown();
        let applied = fixture.world.apply_resolved(MAIN, SERVER, &open, &known).await;
        let applied = applied.unwrap_or_else(|failure| panic!("{name}: {failure}"));
        applied.plan.expect(Action::Create);
        fixture.world.plan(MAIN, SERVER, &known).await.unwrap().expect_empty();
        // An update that turns out to be none.
        let again = fixture.world.apply_resolved(MAIN, SERVER, &open, &known).await;
        again.unwrap_or_else(|failure| panic!("{name}, again: {failure}"));
        fixture.world.plan(MAIN, SERVER, &known).await.unwrap().expect_empty();
        assert!(fixture.takes(&fixture.text("token")).await, "{name}");
    }
}

#[tokio::test]
async fn a_partial_state_is_filled_from_the_server() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = json!({ "admin_token": admin.token() });
    let created = fixture.apply(&config).await.state;
    fixture.world.forget(MAIN);
    let partial = |attributes: Json| fixture.config(&attributes);
    let state = partial(json!({
        "id": created["id"],
        "admin_token": created["admin_token"],
        "token": created["token"],
    }));
    fixture.world.put_state(MAIN, SERVER, 0, state);
    let refreshed = fixture.world.refresh(MAIN).await.unwrap().unwrap();
    assert_eq!(refreshed["service_account_id"], created["service_account_id"]);
    assert_eq!(refreshed["service_account_name"], json!("terraform"));
    fixture.plan(&config).await.expect_empty();

    fixture.world.forget(MAIN);
    let bare = json!({ "id": created["id"] });
    fixture.world.put_state(MAIN, SERVER, 0, bare);
    let refreshed = fixture.world.refresh(MAIN).await.unwrap().unwrap();
    assert_eq!(refreshed["url"], created["id"]);
}

#[tokio::test]
async fn two_of_one_name_fail_clearly() {
    let mut fixture = Fixture::new().await;
    let admin = fixture.admin().await;
    let config = json!({ "admin_token_wo": admin.token() });
    fixture.apply(&config).await;
    let config = fixture.config(&config);
    let second = fixture.world.apply("terdut_server.second", SERVER, &config).await;
    assert!(second.unwrap_err().says("exists already"));
    fixture.plan(&json!({ "admin_token_wo": admin.token() })).await.expect_empty();
}
