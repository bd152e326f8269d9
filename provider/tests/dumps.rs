//! No debug dump of anything that holds a secret shows it: a dump may end up in a log or a panic.

use std::collections::BTreeMap;

use terdut_client::{Claims, Client, ProxyEnvironment, Settings};
use terdut_core::api::{ApiKey, Integration, NewIntegration, Reply, Request};
use terdut_core::ids::{IntegrationId, KeyId, UserId};
use terdut_core::secret::SecretString;
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::engine::Engine;
use terdut_plugin::model::Sensitive;
use terdut_plugin::serve::Mask;
use terdut_provider::context::ProviderData;
use terdut_provider::provider::Terdut;
use terdut_provider::resources::alert_source::AlertSourceModel;
use terdut_provider::resources::server::{BootstrapModel, ServerModel};
use terdut_provider::resources::service_account_key::ServiceAccountKeyModel;
use terdut_provider::settings::{ProviderModel, resolve};

const CANARY: &str = "dump-canary-4711";

fn secret() -> SecretString {
    SecretString::new(CANARY)
}

/// Fails if the dump of a value, in either form, shows the canary; gives it for a look.
#[track_caller]
fn hides(value: &dyn std::fmt::Debug) -> String {
    let dump = format!("{value:?}\n{value:#?}");
    assert!(!dump.contains(CANARY), "{dump}");
    dump
}

fn settings() -> Settings {
    let mut settings = Settings::new("http://127.0.0.1:1").with_token(CANARY.to_owned());
    settings.client_key = Some(secret());
    settings.headers = BTreeMap::from([("x-gate".to_owned(), secret())]);
    settings.proxy = Some(SecretString::new(format!("http://user:{CANARY}@127.0.0.1:2")));
    settings.environment = ProxyEnvironment {
        http_proxy: Some(secret()),
        https_proxy: Some(secret()),
        no_proxy: None,
    };
    settings
}

fn block() -> ProviderModel {
    let secret = || Attr::Known(Sensitive::new(CANARY));
    ProviderModel {
        url: Attr::Known("http://127.0.0.1:1".to_owned()),
        token: secret(),
        headers: Attr::Known(BTreeMap::from([("x-gate".to_owned(), Sensitive::new(CANARY))])),
        proxy: Attr::Known(Sensitive::new(format!("http://user:{CANARY}@127.0.0.1:2"))),
        ..ProviderModel::default()
    }
}

/// The variables that hold secrets.
fn environment(name: &str) -> Option<String> {
    let secret = ["TERDUT_TOKEN", "TERDUT_CLIENT_KEY", "TERDUT_PROXY", "HTTPS_PROXY"];
    secret.contains(&name).then(|| CANARY.to_owned())
}

#[test]
fn settings_and_clients_hide_what_they_hold() {
    let dump = hides(&settings());
    assert!(dump.contains("x-gate"), "{dump}");
    let mut client_settings = settings();
    client_settings.client_key = None;
    hides(&Client::new(&client_settings).expect("good settings"));
    hides(&Client::new(&settings()).map(|_| ()));
}

#[test]
fn the_provider_hides_what_it_was_configured_with() {
    let mut diagnostics = Diagnostics::new();
    hides(&block());
    let resolved = resolve(&ProviderModel::default(), &environment, &mut diagnostics);
    assert!(resolved.settings.token.is_some() && resolved.settings.proxy.is_some());
    hides(&resolved);
    let mut diagnostics = Diagnostics::new();
    let resolved = resolve(&block(), &|_| None, &mut diagnostics);
    let mask = Mask::new();
    let data = ProviderData::new(resolved, Claims::default(), mask.clone(), &mut diagnostics);
    hides(&data);
    let webhook = format!("https://h/api/integrations/{CANARY}/alertmanager");
    let dump = hides(&data.webhook(&webhook.parse().expect("a URL")).expect("a webhook"));
    assert!(dump.contains("https://h"), "{dump}");
    hides(&diagnostics);
    hides(&mask);
    hides(&Terdut::new(mask.clone(), environment));
    hides(&Engine::new(Terdut::new(mask, environment)));
}

#[test]
fn requests_and_replies_hide_keys_and_passwords() {
    let key = ApiKey { id: KeyId(1), name: "n".to_owned(), key: Some(secret()), created_at: None };
    hides(&Request::SetPassword { user: UserId(1), password: secret() });
    hides(&Reply::Key(key));
    let integration =
        Integration { id: IntegrationId(1), kind: "alertmanager".into(), name: "n".into() };
    hides(&Reply::NewIntegration(NewIntegration { integration, key: secret(), url: secret() }));
}

#[test]
fn states_and_configurations_hide_their_sensitive_attributes() {
    let secret = || Attr::Known(Sensitive::new(CANARY));
    let person =
        BootstrapModel { password: secret(), password_wo: secret(), ..BootstrapModel::default() };
    hides(&ServerModel {
        admin_token: secret(),
        admin_token_wo: secret(),
        token: secret(),
        bootstrap_token: secret(),
        bootstrap: Attr::Known(person),
        ..ServerModel::default()
    });
    let (webhook_url, key) = (secret(), secret());
    hides(&AlertSourceModel { webhook_url, key, ..AlertSourceModel::default() });
    hides(&ServiceAccountKeyModel { token: secret(), ..ServiceAccountKeyModel::default() });
}
