//! The credential machine carried out: each request with its own key, each fact stored in time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use terdut_client::execute::{carry_out_order, carry_out_order_durably};
use terdut_client::{Caller, Client};
use terdut_core::api::AccountScope;
use terdut_core::credential::{Facts, Failure, FirstPerson, Machine, Order};
use terdut_core::ids::TeamId;
use terdut_core::secret::SecretString;

use crate::peer::{Peer, json};
use crate::{client, settings};

#[tokio::test]
async fn a_key_is_made_with_the_one_handed_in_and_proved_with_itself() {
    let made = r#"{"service_account":{"id":5,"name":"terraform","scope":"instance"},
                   "key":{"id":7,"name":"terraform","key":"new-key"}}"#;
    let me = r#"{"service_account":{"id":5,"name":"terraform","scope":"instance"}}"#;
    let peer = Peer::start([json(200, "[]"), json(201, made), json(200, me)]).await;
    let handed = vec![SecretString::new("admin-key")];
    let order = Order { handed, ..Order::shared("terraform", false) };
    let mut machine = Machine::converge(Facts::default(), order);
    let stored: Arc<Mutex<Vec<(usize, bool)>>> = Arc::default();
    let caller = Caller::unstoppable(client(&peer.url()));
    let outcome = carry_out_order(&caller, &mut machine, |facts| {
        stored.lock().unwrap().push((peer.log().len(), facts.token().is_some()));
        std::future::ready(())
    })
    .await;
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    assert_eq!(outcome.facts.token(), Some(&SecretString::new("new-key")));
    let keys: Vec<bool> = peer.log().iter().map(|sent| sent.contains("Bearer admin-key")).collect();
    assert_eq!(keys, [true, true, false], "{:?}", peer.log());
    assert!(peer.log()[2].contains("Bearer new-key"));
    let stored = stored.lock().unwrap().clone();
    assert!(stored.contains(&(1, false)) && stored.contains(&(2, true)), "{stored:?}");
}

#[tokio::test]
async fn a_record_that_fails_ends_it_before_anything_relies_on_it() {
    let made = r#"{"service_account":{"id":5,"name":"ours","scope":"team","team_id":4},
                   "key":{"id":7,"name":"ours","key":"new-key"}}"#;
    let me = r#"{"service_account":{"id":5,"name":"ours","scope":"team","team_id":4}}"#;
    let peer = Peer::start([json(201, made), json(200, me), json(500, "")]).await;
    let handed = vec![SecretString::new("instance-key")];
    let order = Order { handed, ..Order::sole("ours", AccountScope::Team(TeamId(4))) };
    let mut machine = Machine::converge(Facts::default(), order);
    let caller = Caller::unstoppable(client(&peer.url()));
    let refuse = |facts: Facts| {
        assert_eq!(facts.token(), Some(&SecretString::new("new-key")));
        std::future::ready(Err("conflict"))
    };
    let ended = carry_out_order_durably(&caller, &mut machine, refuse).await;
    assert_eq!(ended.unwrap_err(), "conflict");
    assert_eq!(peer.lines().len(), 2, "made and proved before it is recorded: {:?}", peer.lines());
}

fn bootstrapping() -> Machine {
    let (username, email) = ("root".to_owned(), "root@example.org".to_owned());
    let bootstrap = Some(FirstPerson { username, email, password: None });
    Machine::converge(Facts::default(), Order { bootstrap, ..Order::shared("terraform", false) })
}

#[tokio::test]
async fn a_post_that_failed_is_made_again_only_after_a_pause() {
    let peer = Peer::start([json(502, "")]).await;
    let mut slow = settings(&peer.url());
    slow.retry_base = Duration::from_hours(1);
    let stop = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    let caller = Caller::new(Client::new(&slow).unwrap(), stop);
    let outcome = carry_out_order(&caller, &mut bootstrapping(), |_| std::future::ready(())).await;
    let failure = outcome.failure.expect("no answer");
    assert!(matches!(failure, Failure::BootstrapUnanswered(_)), "{failure}");
    assert_eq!(peer.lines(), ["POST /api/bootstrap HTTP/1.1"], "it waited when it was stopped");
}

#[tokio::test]
async fn a_gateway_that_is_gone_for_a_moment_does_not_cost_the_bootstrap() {
    let made = r#"{"user":{"id":1,"username":"root","email":"root@example.org"},
                   "api_key":{"id":2,"name":"bootstrap","key":"admin-key"}}"#;
    let peer = Peer::start([json(503, ""), json(502, ""), json(201, made), json(500, "")]).await;
    let caller = Caller::unstoppable(client(&peer.url()));
    let outcome = carry_out_order(&caller, &mut bootstrapping(), |_| std::future::ready(())).await;
    assert!(outcome.facts.admin.is_some(), "{:?}", outcome.failure);
}
