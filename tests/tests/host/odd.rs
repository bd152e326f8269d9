//! Old and odd servers: long lists, strange names, lists that lead elsewhere, missing routes.

use serde_json::{Value as Json, json};
use terdut_simulator::{
    AccountAnswer, AccountLookup, Assumptions, Fault, FaultBody, NoPolicy, Options, Owner,
    Simulator, Switch,
};
use terdut_tests::host::{ImportBy, Profile};

use crate::kinds::{Kind, filled, number, with};
use crate::scene::{ADDRESS, Scene};

for_each_kind!(it_lives_among_ten_thousand: team, deadman_switch, alert_source, user,
    service_account, service_account_key);
for_each_kind!(any_name_is_its_own: team, deadman_switch, alert_source, user, service_account,
    service_account_key);
for_each_kind!(it_lives_with_all_that_is_odd_at_once);
for_each_kind!(an_empty_list_may_be_null: deadman_switch, alert_source, service_account_key);
for_each_kind!(a_list_that_goes_on_elsewhere_is_not_followed: team, deadman_switch, alert_source,
    user, service_account, service_account_key);
for_each_kind!(an_account_that_cannot_be_deleted_is_left_without_keys: service_account);

const MANY: usize = 10_000;

fn switch(team_id: i64, name: &str) -> Switch {
    Switch {
        id: 0,
        team_id,
        name: name.to_owned(),
        matcher: "a=b".into(),
        timeout: "1h0m0s".into(),
        severity: "info".into(),
        last_seen_at: None,
    }
}

/// One more object of the kind beside ours.
fn add(scene: &Scene, kind: &Kind, name: &str, count: usize) {
    let state = scene.simulator.state();
    let id = |text: &str| number(&json!({ "id": text }), "id");
    match kind.type_name {
        "terdut_team" => drop(state.add_team(name)),
        "terdut_deadman_switch" => drop(state.add_switch(switch(id(&scene.fixture.team), name))),
        "terdut_alert_source" => drop(state.add_integration(id(&scene.fixture.team), name)),
        "terdut_user" => drop(state.add_user(name, &format!("other-{count}@example.org"))),
        "terdut_service_account" => drop(state.add_account(name, None)),
        _ => drop(state.add_key(Owner::Account(id(&scene.fixture.account)), name)),
    }
}

/// The whole of an object's life.
async fn live(scene: &mut Scene, kind: &Kind, config: &Json) {
    let state = scene.settle(kind, config).await;
    for form in &kind.imports {
        scene.world.forget(ADDRESS);
        let id = import_id(form, &state);
        let imported = scene.world.import(ADDRESS, kind.type_name, ImportBy::Id(&id)).await;
        imported.unwrap_or_else(|failure| panic!("{id}: {failure}"));
        assert_eq!(scene.world.state(ADDRESS).expect("imported")["id"], state["id"], "{id}");
        scene.settle(kind, config).await;
    }
    scene.world.destroy(ADDRESS).await.unwrap_or_else(|failure| panic!("{config}: {failure}"));
}

/// In a name, `%` and `/` are written as in a URL.
fn import_id(form: &str, state: &Json) -> String {
    let mut state = state.clone();
    for name in ["name", "username"] {
        if let Some(text) = state[name].as_str() {
            state[name] = json!(text.replace('%', "%25").replace('/', "%2F"));
        }
    }
    filled(form, &state)
}

async fn it_lives_among_ten_thousand(first: Scene, kind: Kind) {
    first.world.close().await;
    for page_size in [None, Some(1000)] {
        let mut scene = Scene::start().await;
        let kind = scene.kind(kind.type_name);
        (0..MANY).for_each(|count| add(&scene, &kind, &format!("other-{count}"), count));
        scene.simulator.assume(|it| it.page_size = page_size);
        patient(&scene).await;
        live(&mut scene, &kind, &kind.full).await;
        scene.world.close().await;
    }
}

async fn patient(scene: &Scene) {
    let mut settings = scene.settings();
    settings["request_timeout"] = json!("30s");
    scene.world.configure(&settings).await.expect("the settings are good");
}

/// Names that look like another, read like something else, or are not of this alphabet.
const NAMES: [&str; 12] = [
    "Überwachung",
    "監視 チーム",
    "w\u{430}tchdog",
    "na\u{ef}ve",
    "\u{1f980} on call",
    "\u{202e}god",
    "a/b/c",
    "100%25",
    "name=x",
    "42",
    "a\u{a0}b",
    "\"quoted\" \\ <b>&amp;",
];

/// The same name as others would write it: each is another name.
fn similar(name: &str) -> Vec<String> {
    let all = [
        name.to_uppercase(),
        name.to_lowercase(),
        name.replace('\u{430}', "a"),
        name.replace('\u{ef}', "i\u{308}"),
        name.replace('\u{a0}', " "),
        name.replace("%25", "%"),
        format!("{name}\u{200b}"),
    ];
    let mut all: Vec<_> = all.into_iter().filter(|other| other != name).collect();
    all.sort();
    all.dedup();
    all
}

async fn any_name_is_its_own(mut scene: Scene, kind: Kind) {
    let attribute = if kind.type_name == "terdut_user" { "username" } else { "name" };
    let mut count = 0;
    for name in NAMES {
        for other in similar(name) {
            count += 1;
            add(&scene, &kind, &other, count);
        }
        let before = listed(&scene, &kind).await;
        // Other names came past the provider.
        scene.world.configure(&scene.settings()).await.expect("the settings are good");
        live(&mut scene, &kind, &with(&kind.full, attribute, &json!(name))).await;
        assert_eq!(listed(&scene, &kind).await, before, "{name:?}: others were touched");
    }
    scene.world.close().await;
}

async fn listed(scene: &Scene, kind: &Kind) -> Json {
    scene.api.get(&filled(kind.list, &kind.small)).await
}

fn oddest() -> Assumptions {
    Assumptions {
        integration_names_unique: false,
        account_answer: AccountAnswer::Nested,
        account_lookup: AccountLookup::Object,
        no_policy: NoPolicy::EmptyObject,
        me_route: false,
        page_size: Some(1),
        extra_fields: true,
        canonical_matchers: true,
        team_lists_own_team: true,
        ..Assumptions::default()
    }
}

async fn it_lives_with_all_that_is_odd_at_once(first: Scene, kind: Kind) {
    first.world.close().await;
    let options = Options { assumptions: oddest(), first_id: (1 << 53) + 1, ..Options::default() };
    let mut scene = Scene::against(Simulator::start(options), Profile::modern()).await;
    let kind = scene.kind(kind.type_name);
    live(&mut scene, &kind, &kind.small).await;
    live(&mut scene, &kind, &kind.full).await;
    scene.world.close().await;
}

/// Go writes an empty list as null.
async fn an_empty_list_may_be_null(mut scene: Scene, kind: Kind) {
    let route = kind.list.replace("{service_account_id}", "{id}").replace("{team_id}", "{id}");
    let null = || Fault::on("GET", &route).answer(200, FaultBody::Json(Json::Null));
    scene.simulator.fault(null());
    scene.settle(&kind, &kind.full).await;
    assert_eq!(scene.simulator.faults()[0].struck, 1, "the list was read");
    scene.simulator.clear_faults();
    scene.world.destroy(ADDRESS).await.expect("a destroy");
    scene.world.close().await;
}

async fn a_list_that_goes_on_elsewhere_is_not_followed(mut scene: Scene, kind: Kind) {
    let state = scene.settle(&kind, &kind.full).await;
    (0..3).for_each(|count| add(&scene, &kind, &format!("more-{count}"), count));
    let elsewhere = Simulator::start(Options::default());
    let origin = elsewhere.url().to_owned();
    scene.simulator.assume(|it| {
        it.page_size = Some(1);
        it.page_origin = Some(origin);
    });
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    let failure = scene.world.refresh(ADDRESS).await.expect_err("the list is not complete");
    assert!(failure.errors().all(|error| !error.detail.is_empty()), "{failure}");
    assert_eq!(scene.world.state(ADDRESS), Some(&state));
    assert!(elsewhere.requests().is_empty(), "the key went elsewhere");
    scene.world.close().await;
}

async fn an_account_that_cannot_be_deleted_is_left_without_keys(mut scene: Scene, kind: Kind) {
    scene.simulator.assume(|it| it.account_delete_route = false);
    let state = scene.settle(&kind, &kind.full).await;
    let account = number(&state, "id");
    scene.simulator.state().add_key(Owner::Account(account), "by-hand");
    let destroyed = scene.world.destroy(ADDRESS).await.expect("a destroy");
    assert!(destroyed.warns("stays"), "{:?}", destroyed.diagnostics);
    assert_eq!(scene.simulator.state().keys_of(Owner::Account(account)), []);
    let again = scene.world.apply(ADDRESS, kind.type_name, &kind.full).await;
    assert!(again.expect_err("its name is taken").says("adopt_existing"));
    let config = with(&kind.full, "adopt_existing", &json!(true));
    scene.world.configure(&scene.settings()).await.expect("the settings are good");
    assert_eq!(scene.settle(&kind, &config).await["id"], state["id"]);
    scene.world.close().await;
}
