//! The store over a made-up cluster: what is known at once, what is refused, whose is what.

use kube::ResourceExt;
use serde_json::{Value, json};
use terdut_core::api::Team;
use terdut_core::ids::TeamId;
use terdut_core::record::Held;
use terdut_core::secret::SecretString;

use super::*;
use crate::crd::TerdutAlertSource;
use crate::crd::names::API_VERSION;
use crate::testing::{Fixture, OWN};

fn record(owner: &str, name: &str, team: Option<i64>) -> TeamRecord {
    TeamRecord {
        owner_uid: owner.to_owned(),
        server_uid: "server".to_owned(),
        server: ("oncall".to_owned(), "main".to_owned()),
        name: name.to_owned(),
        before: [3].into(),
        team: team.map(TeamId),
        held: Held { token: Some(SecretString::new("canary")), ..Held::default() },
    }
}

async fn started() -> (Fixture, SecretStore) {
    let fixture = Fixture::start().await;
    let secrets = fixture.context.secrets.clone();
    secrets.listed().await;
    (fixture, secrets)
}

#[tokio::test]
async fn a_write_is_known_at_once_and_only_the_seen_version_is_replaced() {
    let (fixture, secrets) = started().await;
    assert!(secrets.known::<TeamRecord>("a", "b").await.unwrap().is_none());
    let made = secrets.create("a", "b", &record("u", "x", None)).await.unwrap();
    let again = secrets.create("a", "b", &record("other", "x", None)).await.unwrap_err();
    assert_eq!(again.class, KubeClass::Conflict);
    let new = record("u", "x", Some(42));
    let replaced = secrets.replace("a", "b", &new, &made.version).await.unwrap();
    assert_eq!(secrets.kept::<TeamRecord>("a", "b").unwrap().record, new);
    let stale = secrets.replace("a", "b", &record("u", "y", None), &made.version).await;
    assert_eq!(stale.unwrap_err().class, KubeClass::Conflict);
    assert_eq!(secrets.live::<TeamRecord>("a", "b").await.unwrap().unwrap().record, new);

    let secret = fixture.cluster.get("Secret", OWN, "a.b-team-credentials").unwrap();
    assert_eq!(secret["type"], "Opaque");
    assert!(secrets.delete::<TeamRecord>("a", "b", Some(&made.version)).await.is_err());
    secrets.delete::<TeamRecord>("a", "b", Some(&replaced.version)).await.unwrap();
    secrets.delete::<TeamRecord>("a", "b", None).await.unwrap();
    assert!(secrets.live::<TeamRecord>("a", "b").await.unwrap().is_none());
}

#[tokio::test]
async fn what_others_write_is_learned_and_another_kind_of_record_is_none() {
    let (fixture, secrets) = started().await;
    let other = SecretStore::new(fixture.context.kube.clone(), OWN);
    other.create("a", "b", &record("u", "x", Some(42))).await.unwrap();
    let learned = async {
        while secrets.owner_of_team("server", TeamId(42)).is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(crate::testing::PATIENCE, learned).await.unwrap();
    assert!(secrets.known::<InstanceRecord>("a", "b").await.unwrap().is_none());
    assert!(secrets.known::<TeamRecord>("a", "c").await.unwrap().is_none());
}

#[tokio::test]
async fn a_team_is_its_owners_or_of_who_is_just_making_one_of_that_name() {
    let (_fixture, secrets) = started().await;
    secrets.create("a", "owner", &record("u-1", "Platform", Some(42))).await.unwrap();
    secrets.create("b", "maker", &record("u-2", " Payments ", None)).await.unwrap();
    let team = |id, name: &str| Team {
        id: TeamId(id),
        name: name.to_owned(),
        oidc_member_group: None,
        oidc_owner_group: None,
    };
    let place = |name: &str| ("a".to_owned(), name.to_owned());
    let claimant = |id, name, asking| {
        let found = secrets.claimant("server", &team(id, name), &place(asking));
        found.map(|owner| format!("{}/{} {}", owner.namespace, owner.name, owner.uid))
    };
    assert_eq!(claimant(42, "Renamed", "other").as_deref(), Some("a/owner u-1"));
    assert_eq!(claimant(7, "Payments", "other").as_deref(), Some("b/maker u-2"));
    assert_eq!(claimant(3, "Payments", "other"), None, "it was there before the maker asked");
    assert_eq!(claimant(42, "Platform", "owner"), None, "it is the asking one's own");
    assert_eq!(claimant(7, "Platform", "other"), None, "the owner of 42 makes no other");
    assert_eq!(secrets.claimant("other-server", &team(42, "Platform"), &place("other")), None);
    let owner = secrets.owner_of_team("server", TeamId(42)).unwrap();
    assert_eq!((owner.uid.as_str(), secrets.namespace()), ("u-1", OWN));
}

fn source(fixture: &Fixture) -> TerdutAlertSource {
    let source = fixture.cluster.put(&json!({
        "apiVersion": API_VERSION, "kind": "TerdutAlertSource",
        "metadata": { "namespace": "tenant", "name": "am" },
        "spec": { "teamRef": { "name": "a" }, "name": "am" },
    }));
    serde_json::from_value(source).unwrap()
}

fn webhook() -> Webhook {
    Webhook { url: SecretString::new("http://s/canary"), key: SecretString::new("canary") }
}

fn planted(owner: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "namespace": "tenant", "name": "am-terdut-webhook",
            "labels": { "app.kubernetes.io/managed-by": "terdut-bridge" },
            "ownerReferences": [{
                "apiVersion": API_VERSION, "kind": "TerdutAlertSource", "name": "am", "uid": owner,
            }],
        },
        "data": { "key": "bWluZQ==" },
    })
}

#[tokio::test]
async fn a_webhook_secret_is_opaque_owned_and_goes_with_its_source() {
    let (fixture, secrets) = started().await;
    let source = source(&fixture);
    assert_eq!(secrets.webhook(&source).await.unwrap(), WebhookSecret::Absent);
    secrets.create_webhook(&source, &webhook()).await.unwrap();
    let secret = fixture.cluster.get("Secret", "tenant", "am-terdut-webhook").unwrap();
    assert_eq!(secret["type"], "Opaque");
    assert_eq!(secret["data"], json!({ "key": "Y2FuYXJ5", "url": "aHR0cDovL3MvY2FuYXJ5" }));
    assert_eq!(secret["metadata"]["ownerReferences"][0]["uid"], json!(source.uid()));

    let mut bare = secret.clone();
    bare["metadata"]["labels"]["app.kubernetes.io/managed-by"] = Value::Null;
    fixture.cluster.put(&bare);
    let found = secrets.webhook(&source).await.unwrap();
    assert_eq!(found, WebhookSecret::Ours { labelled: false });
    secrets.label_webhook(&source).await.unwrap();
    let found = secrets.webhook(&source).await.unwrap();
    assert_eq!(found, WebhookSecret::Ours { labelled: true });
    fixture.cluster.delete("TerdutAlertSource", "tenant", "am");
    assert_eq!(fixture.cluster.get("Secret", "tenant", "am-terdut-webhook"), None);
}

#[tokio::test]
async fn a_foreign_secret_of_that_name_is_left_alone_whatever_it_says() {
    let (fixture, secrets) = started().await;
    let source = source(&fixture);
    let before = fixture.cluster.put(&planted("of-another-source"));
    assert_eq!(secrets.webhook(&source).await.unwrap(), WebhookSecret::Foreign);
    let made = secrets.create_webhook(&source, &webhook()).await;
    assert_eq!(made.unwrap_err().class, KubeClass::Conflict);
    secrets.delete_webhook(&source).await.unwrap();
    let after = fixture.cluster.get("Secret", "tenant", "am-terdut-webhook");
    assert_eq!(after, Some(before));
    secrets.delete_webhook(&source).await.unwrap();
}

#[tokio::test]
async fn of_a_persons_secret_one_value_is_read_or_none_of_it() {
    let (fixture, secrets) = started().await;
    let secret = fixture.cluster.put(&json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": { "namespace": "tenant", "name": "db" }, "data": { "password": "Y2FuYXJ5" },
    }));
    let look = secrets.foreign("tenant", "db").await.unwrap().unwrap();
    assert_eq!(json!(look.version), secret["metadata"]["resourceVersion"]);
    let value = secrets.foreign_value("tenant", "db", "password").await.unwrap();
    assert_eq!(value, Some(SecretString::new("canary")));
    assert_eq!(secrets.foreign_value("tenant", "db", "other").await.unwrap(), None);
    assert_eq!(secrets.foreign("tenant", "none").await.unwrap(), None);
    assert!(!format!("{secrets:?} {:?}", webhook()).contains("canary"));
}
