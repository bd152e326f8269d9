//! All that the client asks, against the simulator, in every shape that the contract leaves open.

use std::time::Duration;

use terdut_client::execute::{carry_out_order, create};
use terdut_client::{Caller, Claims, Client};
use terdut_core::api::{AccountScope, Level, Me, NewSwitch, Policy, Target};
use terdut_core::create::{NewKey, NewSource, NewTeam, Outcome};
use terdut_core::credential::{Facts, FirstPerson, Machine, Order, Rotate};
use terdut_core::error::Class;
use terdut_core::secret::SecretString;
use terdut_simulator::{
    AccountAnswer, AccountLookup, Assumptions, Fault, NoPolicy, Options, Simulator,
};

use crate::settings;

/// Makes a fault of the rule that says where.
type Spoil = fn(Fault) -> Fault;

fn started(assumptions: Assumptions) -> (Simulator, Client) {
    // Beyond 2^53: an id that went through a float would come back as another.
    let options = Options { assumptions, first_id: (1 << 53) + 1, ..Options::default() };
    let simulator = Simulator::start(options);
    let mut settings = settings(simulator.url());
    settings.token = Some(simulator.seed_admin().into());
    let client = Client::new(&settings).unwrap();
    (simulator, client)
}

fn shapes() -> Vec<Assumptions> {
    vec![
        Assumptions::default(),
        Assumptions {
            account_answer: AccountAnswer::Nested,
            account_lookup: AccountLookup::Object,
            no_policy: NoPolicy::EmptyObject,
            page_size: Some(2),
            extra_fields: true,
            ..Assumptions::default()
        },
        Assumptions { no_policy: NoPolicy::NoLevels, page_size: Some(1), ..Assumptions::default() },
    ]
}

#[tokio::test]
async fn every_request_is_understood_in_every_shape() {
    for assumptions in shapes() {
        let (_simulator, client) = started(assumptions);
        client.health().await.unwrap();
        people(&client).await;
        teams(&client).await;
        accounts(&client).await;
    }
}

async fn people(client: &Client) {
    assert!(matches!(client.me().await.unwrap(), Me::User { .. }));
    let ann = client.create_user("ann".into(), "ann@example.org".into()).await.unwrap();
    let changed = client.set_topic(ann.id, "ann-pages".into()).await.unwrap();
    assert_eq!(changed.ntfy_topic.as_deref(), Some("ann-pages"));
    assert_eq!(client.set_topic(ann.id, String::new()).await.unwrap().ntfy_topic, None);
    client.set_password(ann.id, SecretString::new("correct horse battery")).await.unwrap();
    let key = client.mint_user_key(ann.id, "laptop".into()).await.unwrap();
    client.revoke_user_key(ann.id, key.id).await.unwrap();
    assert!(client.users().await.unwrap().iter().any(|user| user.id == ann.id));
    let again = client.create_user("ann".into(), "other@example.org".into()).await.unwrap_err();
    assert_eq!((again.class, again.own_word), (Class::Conflict, true));
    assert_eq!(client.on_call().await.unwrap(), None);
}

async fn teams(client: &Client) {
    for name in ["a", "b", "c"] {
        client.create_team(name.into()).await.unwrap();
    }
    let teams = client.teams().await.unwrap();
    assert_eq!(teams.len(), 3);
    let team = teams[0].id;
    assert_eq!(client.rename_team(team, "z".into()).await.unwrap().name, "z");
    let grouped = client.set_groups(team, "m".into(), String::new()).await.unwrap();
    assert_eq!((grouped.oidc_member_group.as_deref(), grouped.oidc_owner_group), (Some("m"), None));

    assert_eq!(client.policy(team).await.unwrap(), None);
    let ann = client.users().await.unwrap().iter().find(|user| user.username == "ann").unwrap().id;
    let targets = vec![Target::OnCall, Target::User(ann)];
    let policy = Policy {
        repeat_count: 2,
        fallback_topic: Some("all".into()),
        levels: vec![Level { timeout: "5m0s".into(), targets }],
    };
    client.put_policy(team, policy.clone()).await.unwrap();
    assert_eq!(client.policy(team).await.unwrap(), Some(policy.clone()));
    client.put_policy(team, Policy { levels: vec![], ..policy }).await.unwrap();
    assert_eq!(client.policy(team).await.unwrap(), None);

    let switch = NewSwitch {
        name: "watchdog".into(),
        matcher: "alertname=Watchdog".into(),
        timeout: "90m".into(),
        severity: "critical".into(),
    };
    let made = client.create_switch(team, switch).await.unwrap();
    assert_eq!(*client.switches(team).await.unwrap(), *std::slice::from_ref(&made));
    client.delete_switch(team, made.id).await.unwrap();
    assert!(client.switches(team).await.unwrap().is_empty());

    let source = client.create_integration(team, "alertmanager".into(), "prod".into());
    let source = source.await.unwrap();
    assert!(source.url.expose().contains(source.key.expose()));
    let id = source.integration.id;
    assert_eq!(client.rename_integration(team, id, "stage".into()).await.unwrap().name, "stage");
    assert_eq!(client.integrations(team).await.unwrap()[0].name, "stage");
    client.delete_integration(team, id).await.unwrap();
    client.delete_team(team).await.unwrap();
    assert_eq!(client.switches(team).await.unwrap_err().class, Class::NotFound);
    assert_eq!(client.teams().await.unwrap().len(), 2);
}

async fn accounts(client: &Client) {
    assert!(client.accounts(Some("ops".into())).await.unwrap().is_empty());
    let made = client.create_account("ops".into(), AccountScope::Instance).await.unwrap();
    let found = client.accounts(Some("ops".into())).await.unwrap();
    assert_eq!(*found, *std::slice::from_ref(&made.account));
    let team = client.teams().await.unwrap()[0].id;
    client.create_account("ops-team".into(), AccountScope::Team(team)).await.unwrap();
    assert_eq!(client.accounts(None).await.unwrap().len(), 2);

    let key = client.mint_key(made.account.id, "second".into()).await.unwrap();
    assert_eq!(client.keys(made.account.id).await.unwrap().len(), 2);
    let own = client.with_token(&key.key.unwrap());
    assert!(
        matches!(own.me().await.unwrap(), Me::Account(account) if account.id == made.account.id)
    );
    client.revoke_key(made.account.id, key.id).await.unwrap();
    let refused = own.me().await.unwrap_err();
    assert_eq!((refused.class, refused.status), (Class::Denied, Some(401)));
    client.delete_account(made.account.id).await.unwrap();
}

#[tokio::test]
async fn creates_survive_answers_lost_before_and_after_the_server_acted() {
    let faults: [(&str, Spoil); 5] = [
        ("dropped before", |fault| fault.drop_before().times(1)),
        ("dropped after", |fault| fault.drop_after().times(1)),
        ("reset after", |fault| fault.after_acting().reset().times(1)),
        ("cut off", |fault| fault.cut_off(10).times(1)),
        ("too many", |fault| fault.rate_limit(1).times(1)),
    ];
    for (what, fault) in faults {
        let (simulator, client) = started(Assumptions::default());
        let (caller, claims) = (Caller::unstoppable(client.clone()), Claims::default());
        simulator.fault(fault(Fault::on("POST", "/api/teams")));
        let outcome = create(&caller, &claims, NewTeam { name: "a".into() }, false).await;
        let Outcome::Made { made: team, .. } = outcome else { panic!("{what}: {outcome:?}") };
        assert_eq!(*client.teams().await.unwrap(), *std::slice::from_ref(&team), "{what}");

        simulator.fault(fault(Fault::on("POST", "/api/teams/{id}/integrations")));
        let source = NewSource { team: team.id, kind: "alertmanager".into(), name: "prod".into() };
        let outcome = create(&caller, &claims, source, false).await;
        let Outcome::Made { made, .. } = outcome else { panic!("{what}: {outcome:?}") };
        let listed = client.integrations(team.id).await.unwrap();
        assert_eq!(listed.to_vec(), [made.integration], "{what}");

        let account = client.create_account("ops".into(), AccountScope::Instance).await.unwrap();
        let account = account.account.id;
        simulator.fault(fault(Fault::on("POST", "/api/service-accounts/{id}/keys")));
        let outcome = create(&caller, &claims, NewKey { account, name: "k".into() }, false).await;
        assert!(matches!(outcome, Outcome::Made { .. }), "{what}: {outcome:?}");
        assert_eq!(client.keys(account).await.unwrap().len(), 2, "{what}");
    }
}

#[tokio::test]
async fn a_restart_of_the_server_is_waited_for() {
    let (simulator, client) = started(Assumptions::default());
    client.create_team("a".into()).await.unwrap();
    let mut patient = settings(simulator.url());
    patient.token = Some(simulator.seed_admin().into());
    patient.retry_base = Duration::from_millis(400);
    let patient = Client::new(&patient).unwrap();
    patient.teams().await.unwrap();
    patient.forget();
    simulator.restart_after(Duration::from_millis(300));
    assert_eq!(patient.teams().await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_empty_server_is_bootstrapped_and_left_with_one_key_of_ours() {
    let simulator = Simulator::start(Options::default());
    let client = Client::new(&settings(simulator.url())).unwrap();
    let order = Order {
        bootstrap: Some(FirstPerson {
            username: "root".into(),
            email: "root@example.org".into(),
            password: Some(SecretString::new("correct horse battery")),
        }),
        ..Order::shared("terraform", false)
    };
    let caller = Caller::unstoppable(client);
    let mut machine = Machine::converge(Facts::default(), order);
    let outcome = carry_out_order(&caller, &mut machine, |_| std::future::ready(())).await;
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let token = outcome.facts.token().unwrap().clone();
    assert!(matches!(caller.with_key(Some(&token)).client().me().await, Ok(Me::Account(_))));
    assert!(outcome.facts.admin.is_none());
}

#[tokio::test]
async fn accounts_in_sole_custody_are_made_renewed_and_given_up() {
    let simulator = Simulator::start(Options::default());
    let caller = Caller::unstoppable(Client::new(&settings(simulator.url())).unwrap());
    let (username, email) = ("root".into(), "root@example.org".into());
    let bootstrap = Some(FirstPerson { username, email, password: None });
    let instance = Order::sole("terdut-operator-1", AccountScope::Instance);
    let instance = ordered(&caller, Facts::default(), Order { bootstrap, ..instance }).await;
    let token = instance.token().unwrap().clone();

    let own = caller.with_key(Some(&token));
    let team = own.client().create_team("Platform".into()).await.unwrap().id;
    let team_order = Order::sole("terdut-operator-1-team", AccountScope::Team(team));
    let team_order = Order { handed: vec![token.clone()], ..team_order };
    let first = ordered(&caller, Facts::default(), team_order.clone()).await;
    // A crash before the record: the account is found by its name, and its first key goes.
    let again = ordered(&caller, Facts::default(), team_order.clone()).await;
    assert_eq!(key_of(&caller, &first).await, None);
    let by_held = Order { rotate: Rotate::ByHeld, ..team_order.clone() };
    let rotated = ordered(&caller, again.clone(), by_held).await;
    assert_eq!(key_of(&caller, &again).await, None);
    assert_eq!(key_of(&caller, &rotated).await.as_deref(), Some("terdut-operator-1-team"));

    let mut machine = Machine::release_sole(rotated, team_order.account, vec![token]);
    let outcome = carry_out_order(&caller, &mut machine, |_| std::future::ready(())).await;
    assert!(outcome.failure.is_none() && outcome.warnings.is_empty(), "{outcome:?}");
    let left = own.client().accounts(None).await.unwrap();
    let names: Vec<_> = left.iter().map(|account| account.name.as_str()).collect();
    assert_eq!(names, ["terdut-operator-1"]);
}

async fn ordered(caller: &Caller, facts: Facts, order: Order) -> Facts {
    let mut machine = Machine::converge(facts, order);
    let outcome = carry_out_order(caller, &mut machine, |_| std::future::ready(())).await;
    assert!(outcome.failure.is_none() && outcome.warnings.is_empty(), "{outcome:?}");
    outcome.facts
}

/// The name of the account whose key works, if it does.
async fn key_of(caller: &Caller, facts: &Facts) -> Option<String> {
    match caller.with_key(facts.token()).client().me().await {
        Ok(Me::Account(account)) => Some(account.name),
        _ => None,
    }
}
