//! Tests of how block and environment are joined.

use super::*;

fn resolved(
    model: &ProviderModel,
    environment: &[(&str, &str)],
) -> (Resolved, Vec<(String, String)>) {
    let get = |name: &str| {
        let found = environment.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let mut diagnostics = Diagnostics::new();
    let resolved = resolve(model, &get, &mut diagnostics);
    let told = diagnostics.iter().map(|one| {
        let path = one.path.as_ref().map(ToString::to_string).unwrap_or_default();
        (path, one.detail.clone())
    });
    (resolved, told.collect())
}

#[test]
fn the_block_comes_before_the_environment_and_empty_means_unset() {
    let model = ProviderModel {
        url: "https://a".into(),
        token: Attr::Known("".into()),
        ..Default::default()
    };
    let environment = [("TERDUT_URL", "https://b"), ("TERDUT_TOKEN", "secret")];
    let (resolved, told) = resolved(&model, &environment);
    assert_eq!(resolved.settings.url, "https://a");
    assert_eq!(resolved.settings.token, Some(SecretString::new("secret")));
    assert!(told.is_empty() && resolved.missing.is_empty() && resolved.unknown.is_empty());
}

#[test]
fn every_setting_has_a_variable() {
    let environment = [
        ("TERDUT_CA_CERTIFICATE", "/ca.pem"),
        ("TERDUT_CLIENT_CERTIFICATE", "/c.pem"),
        ("TERDUT_CLIENT_KEY", "/k.pem"),
        ("TERDUT_INSECURE_SKIP_VERIFY", "true"),
        ("TERDUT_HEADERS", r#"{"X-Team": "a"}"#),
        ("TERDUT_PROXY", "http://proxy"),
        ("TERDUT_REQUEST_TIMEOUT", "1m30s"),
        ("TERDUT_MAX_RETRIES", "0"),
        ("TERDUT_RETRY_BASE", "3ms"),
        ("TERDUT_REQUESTS_PER_SECOND", "2.5"),
        ("TERDUT_MAX_CONCURRENCY", "7"),
        ("https_proxy", "http://other"),
    ];
    let (resolved, told) = resolved(&ProviderModel::default(), &environment);
    let settings = resolved.settings;
    assert!(told.is_empty(), "{told:?}");
    assert_eq!(settings.ca_certificate.as_deref(), Some("/ca.pem"));
    assert_eq!(settings.client_certificate.as_deref(), Some("/c.pem"));
    assert!(settings.client_key.is_some() && settings.insecure_skip_verify);
    assert_eq!(settings.headers.keys().collect::<Vec<_>>(), ["X-Team"]);
    assert!(settings.proxy.is_some() && settings.environment.https_proxy.is_some());
    assert_eq!(settings.request_timeout, Duration::from_secs(90));
    assert_eq!(settings.retry_base, Duration::from_millis(3));
    assert_eq!((settings.max_retries, settings.max_concurrency), (0, 7));
    assert_eq!(settings.requests_per_second, Some(2.5));
    assert_eq!(resolved.missing, ["url", "token"]);
}

#[test]
fn what_is_unknown_is_not_missing_and_takes_nothing_from_the_environment() {
    let model =
        ProviderModel { url: Attr::Unknown, headers: Attr::Unknown, ..ProviderModel::default() };
    let (resolved, _) = resolved(&model, &[("TERDUT_URL", "https://b")]);
    assert_eq!(resolved.unknown, ["url", "headers"]);
    assert_eq!(resolved.missing, ["token"]);
    assert_eq!(resolved.settings.url, "");
}

#[test]
fn every_bad_value_is_told_at_its_attribute_with_its_variable_and_without_secrets() {
    let model = ProviderModel {
        request_timeout: "soon".into(),
        max_retries: Attr::Known(-1),
        ..ProviderModel::default()
    };
    let environment = [
        ("TERDUT_HEADERS", "canary"),
        ("TERDUT_MAX_CONCURRENCY", "many"),
        ("TERDUT_INSECURE_SKIP_VERIFY", "maybe"),
    ];
    let (_, told) = resolved(&model, &environment);
    let paths: Vec<_> = told.iter().map(|(path, _)| path.as_str()).collect();
    let bad =
        ["insecure_skip_verify", "headers", "request_timeout", "max_retries", "max_concurrency"];
    assert_eq!(paths, bad);
    for (path, detail) in &told {
        assert!(detail.contains(&variable(path)), "{detail}");
        assert!(!detail.contains("canary"), "{detail}");
    }
}
