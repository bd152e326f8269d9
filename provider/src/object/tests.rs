//! Tests of what kinds have in common, on teams and users.

use std::sync::Arc;

use terdut_client::{Claims, Settings};
use terdut_plugin::attr::Attr;
use terdut_plugin::resource::{HasIdentity, Import, ImportBy, Private};
use terdut_plugin::serve::Mask;
use terdut_plugin::value::Value;

use super::*;
use crate::resources::team::{OidcModel, TeamModel, TeamObject};
use crate::resources::user::{UserModel, UserObject};
use crate::settings::Resolved;
use crate::timeouts::TimeoutsModel;

fn context(unknown: &[&'static str]) -> Context<ProviderData> {
    // Nobody listens there: a test that asks the server fails.
    let settings = Settings::new("http://127.0.0.1:9/").with_token("t-0123".to_owned());
    let resolved = Resolved { settings, unknown: unknown.to_vec(), missing: Vec::new() };
    let mut diagnostics = Diagnostics::new();
    let data = ProviderData::new(resolved, Claims::default(), Mask::new(), &mut diagnostics);
    Context::new(Arc::new(data), tokio_util::sync::CancellationToken::new())
}

fn team() -> TeamModel {
    TeamModel { id: "42".into(), name: "Platform".into(), ..TeamModel::default() }
}

fn user() -> UserModel {
    UserModel {
        id: "7".into(),
        username: "ada".into(),
        email: "ada@example.org".into(),
        ..UserModel::default()
    }
}

#[tokio::test]
async fn a_read_with_unknown_settings_leaves_everything_as_it_is() {
    let mut private = Private::default();
    private.set("pending", &true);
    let request = Read { state: team(), private: private.clone() };
    let outcome = read::read::<TeamObject>(&context(&["url"]), request).await;
    assert_eq!(outcome.state, Some(team()));
    assert!(outcome.private == private && outcome.diagnostics.is_empty());
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_an_error_and_never_gone() {
    let context = context(&[]);
    context.stop().cancel();
    let request = Read { state: team(), private: Private::default() };
    let outcome = read::read::<TeamObject>(&context, request).await;
    assert!(outcome.diagnostics.has_errors());
}

#[tokio::test]
async fn what_the_api_does_not_hold_is_changed_without_a_call() {
    let planned = TeamModel {
        name: " Platform".into(),
        oidc: Attr::Known(OidcModel::default()),
        adopt_existing: Attr::Known(true),
        timeouts: Attr::Known(TimeoutsModel::default()),
        ..team()
    };
    let private = Private::default();
    let request =
        Update { config: planned.clone(), prior: team(), planned: planned.clone(), private };
    let outcome = apply::update::<TeamObject>(&context(&["url"]), request).await;
    assert_eq!(outcome.state, Some(planned));
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.diagnostics);
}

#[tokio::test]
async fn what_became_invalid_when_it_was_known_is_told_before_anything_is_made() {
    let planned = TeamModel { name: "a\nb".into(), id: Attr::Unknown, ..team() };
    let request = Create { config: planned.clone(), planned, private: Private::default() };
    let outcome = apply::create::<TeamObject>(&context(&[]), request).await;
    assert!(outcome.state.is_none());
    assert!(outcome.diagnostics.iter().any(|one| one.path == Some("name".into())));
}

#[test]
fn a_replacement_says_what_is_lost_and_why() {
    let decided = planning::decide::<UserObject>(
        &UserModel { email: "ada@example.com".into(), ..user() },
        &UserObject::stored(&user()).unwrap(),
        terdut_core::plan::Policy::default(),
    );
    let told = planning::replaced::<UserObject>(&decided.unwrap());
    assert!(told.summary.contains("schedule"), "{told:?}");
    assert!(told.detail.contains("because of email ("), "{told:?}");
}

#[tokio::test]
async fn an_import_by_ids_asks_nobody() {
    let managed = Managed::<TeamObject>(PhantomData);
    let context = context(&[]);
    let stub = managed.import(&context, ImportBy::Id("42".into())).await.unwrap();
    assert_eq!(stub, TeamModel { id: "42".into(), ..TeamModel::default() });
    assert!(read::is_stub::<TeamObject>(&stub) && !read::is_stub::<TeamObject>(&team()));
    let identity = Value::object([("url", "http://127.0.0.1:9".into()), ("id", "42".into())]);
    assert_eq!(managed.identity(context.data(), &stub), Some(identity.clone()));
    assert_eq!(managed.import(&context, ImportBy::Identity(identity)).await.unwrap(), stub);
}

#[tokio::test]
async fn an_import_is_refused_with_unknown_settings_bad_ids_or_another_server() {
    let managed = Managed::<TeamObject>(PhantomData);
    let told = managed.import(&context(&["token"]), ImportBy::Id("42".into())).await.unwrap_err();
    assert!(told.iter().any(|one| one.detail.contains("TERDUT_TOKEN")), "{told:?}");
    let told = managed.import(&context(&[]), ImportBy::Id("Platform".into())).await.unwrap_err();
    assert!(told.iter().any(|one| one.summary == "Invalid import id"), "{told:?}");
    let identity = Value::object([("url", "https://other".into()), ("id", "42".into())]);
    assert!(managed.import(&context(&[]), ImportBy::Identity(identity)).await.is_err());
}
