//! What a plan shows, and what survives in the private data.

use terdut_core::credential::{AdminKey, Facts, HeldAccount, HeldKey};
use terdut_core::ids::{AccountId, KeyId, UserId};
use terdut_core::secret::SecretString;
use terdut_plugin::attr::Attr;

use super::model::{self, BootstrapModel, ServerModel};
use super::record::Record;

fn facts() -> Facts {
    let account = |id, name: &str, token: &str| HeldAccount {
        id: AccountId(id),
        name: Some(name.to_owned()),
        made: true,
        key: Some(HeldKey { id: Some(KeyId(id + 10)), token: SecretString::new(token) }),
        previous: Some(KeyId(id + 20)),
        spare: vec![KeyId(id + 30)],
    };
    Facts {
        current: Some(account(1, "terraform", "token")),
        retired: vec![account(2, "old", "old token")],
        admin: Some(AdminKey {
            user: UserId(3),
            key: KeyId(4),
            token: SecretString::new("admin"),
            done: true,
        }),
        intent: Some("next".to_owned()),
        unfinished: true,
    }
}

fn bootstrapping() -> ServerModel {
    ServerModel {
        url: "https://t.example.org/".into(),
        bootstrap: Attr::Known(BootstrapModel {
            username: "root".into(),
            email: "root@example.org".into(),
            password: Attr::Known("pass".into()),
            ..BootstrapModel::default()
        }),
        ..ServerModel::default()
    }
}

fn created() -> (ServerModel, Record) {
    let mut state = bootstrapping();
    super::plan::plan(&bootstrapping(), None, &mut state);
    let facts =
        Facts { retired: Vec::new(), admin: None, intent: None, unfinished: false, ..facts() };
    model::settle(&mut state, &facts);
    (state, Record::of(&facts))
}

#[test]
fn what_is_held_survives_in_state_and_private_data() {
    let record = Record::of(&facts());
    let text = serde_json::to_string(&record).unwrap();
    let again: Record = serde_json::from_str(&text).unwrap();
    let mut state = ServerModel { service_account_name: "terraform".into(), ..bootstrapping() };
    model::settle(&mut state, &facts());
    assert_eq!(model::facts(&state, &again), facts());
}

#[test]
fn a_create_knows_what_it_can_and_leaves_the_rest_open() {
    let mut planned = bootstrapping();
    let decided = super::plan::plan(&bootstrapping(), None, &mut planned);
    assert!(decided.findings.is_valid() && decided.findings.warnings.is_empty());
    assert_eq!(planned.id, "https://t.example.org".into());
    assert_eq!(planned.service_account_name, "terraform".into());
    assert_eq!(planned.bootstrapped, Attr::Known(true));
    assert!(planned.token.is_unknown() && planned.service_account_id.is_unknown());
    assert!(planned.bootstrap_token.is_null());
}

#[test]
fn a_second_plan_changes_nothing() {
    let (state, record) = created();
    let mut planned = state.clone();
    let decided = super::plan::plan(&bootstrapping(), Some((&state, &record)), &mut planned);
    assert!(!decided.calls);
    assert_eq!(planned, state);
}

#[test]
fn after_an_import_a_plan_leaves_null_what_only_a_mint_can_tell() {
    let imported = ServerModel {
        id: "https://t.example.org".into(),
        url: "https://t.example.org".into(),
        ..ServerModel::default()
    };
    let config = ServerModel { url: imported.url.clone(), ..ServerModel::default() };
    let mut planned = imported.clone();
    super::plan::plan(&config, Some((&imported, &Record::default())), &mut planned);
    assert_eq!(planned, imported);
}

#[test]
fn a_refused_token_without_a_key_to_mint_with_is_an_error() {
    let (state, record) = created();
    let refused = record.refused_if(true);
    let mut planned = state.clone();
    let decided = super::plan::plan(&bootstrapping(), Some((&state, &refused)), &mut planned);
    assert_eq!(decided.findings.errors.len(), 1);
    assert!(planned.token.is_unknown());
}
