//! The provider: its block, its configuration and what it offers.

use terdut_client::{Claims, Client, Settings};
use terdut_core::value::ServerUrl;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::provider::{Provider, Registry};
use terdut_plugin::schema::{Attribute, Schema};
use terdut_plugin::serve::Mask;

use crate::context::ProviderData;
use crate::settings::{self, ProviderModel, Resolved};
use crate::{actions, data_sources, ephemeral, functions, list_resources, report, resources};

/// Namespace and type in registries.
pub const SOURCE: &str = "ryuvia/terdut";

type OwnedEnvironment = dyn Fn(&str) -> Option<String> + Send + Sync;

/// The provider for terdut.
pub struct Terdut {
    environment: Box<OwnedEnvironment>,
    claims: Claims,
    mask: Mask,
}

impl Terdut {
    /// A provider whose secrets the mask learns, and which reads this environment.
    pub fn new(
        mask: Mask,
        environment: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { environment: Box::new(environment), claims: Claims::default(), mask }
    }

    fn resolve(&self, config: &ProviderModel, diagnostics: &mut Diagnostics) -> Resolved {
        settings::resolve(config, &*self.environment, diagnostics)
    }
}

impl std::fmt::Debug for Terdut {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Terdut").finish_non_exhaustive()
    }
}

impl Provider for Terdut {
    type Config = ProviderModel;
    type Data = ProviderData;

    fn source(&self) -> &'static str {
        SOURCE
    }

    fn schema(&self) -> Schema {
        Schema::new(
            "Declares the set-up of a [terdut](https://git.ryuvia.com/niklas/terdut-server) \
             server. Every setting can also come from the environment variable that it names. \
             Nothing is required until the server is asked.",
        )
        .attributes(connection())
        .attributes(limits())
    }

    fn validate(&self, config: &ProviderModel, diagnostics: &mut Diagnostics) {
        let resolved = self.resolve(config, diagnostics);
        check(&resolved, diagnostics);
    }

    async fn configure(
        &self,
        config: ProviderModel,
        diagnostics: &mut Diagnostics,
    ) -> Option<ProviderData> {
        let resolved = self.resolve(&config, diagnostics);
        check(&resolved, diagnostics);
        warn_plain(&resolved.settings, diagnostics);
        if diagnostics.has_errors() {
            return None;
        }
        let (claims, mask) = (self.claims.clone(), self.mask.clone());
        Some(ProviderData::new(resolved, claims, mask, diagnostics))
    }

    fn register(&self, registry: &mut Registry<ProviderData>) {
        resources::register(registry);
        data_sources::register(registry);
        actions::register(registry);
        ephemeral::register(registry);
        list_resources::register(registry);
        functions::register(registry);
    }
}

/// What a client would refuse, but for what is missing or unknown.
fn check(resolved: &Resolved, diagnostics: &mut Diagnostics) {
    let Err(error) = Client::new(&resolved.settings) else { return };
    let open =
        |setting: &str| resolved.missing.contains(&setting) || resolved.unknown.contains(&setting);
    for problem in error.problems.iter().filter(|problem| !open(problem.setting)) {
        diagnostics.push(report::setting(problem.setting, &problem.message));
    }
}

fn warn_plain(settings: &Settings, diagnostics: &mut Diagnostics) {
    let plain = settings.url.parse().is_ok_and(|url: ServerUrl| url.is_plain());
    if plain && settings.token.is_some() {
        diagnostics.warning_at(
            "url",
            "The token can be read on the way",
            "The server's URL is plain http, so that the token is sent unencrypted. Use https, or \
             a tunnel to this machine.",
        );
    }
}

fn connection() -> Vec<Attribute> {
    vec![
        text("url", "The server's URL, http or https."),
        text("token", "The key: an instance key, an admin key or a team's.").sensitive(),
        text(
            "ca_certificate",
            "Certificates that are trusted beside the system's: PEM, or the path of a PEM file.",
        ),
        text(
            "client_certificate",
            "The client's certificate chain: PEM, or the path of a PEM file.",
        ),
        text("client_key", "The client certificate's key: PEM, or the path of a PEM file.")
            .sensitive(),
        named(
            Attribute::bool("insecure_skip_verify"),
            "Accept any certificate of the server. Only for tests.",
        ),
        named(
            Attribute::string_map("headers"),
            "Headers that are sent with every request; in the environment, a JSON object.",
        )
        .sensitive(),
        text(
            "proxy",
            "The proxy's URL. Without it, `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` count.",
        )
        .sensitive(),
    ]
}

fn limits() -> Vec<Attribute> {
    vec![
        text("request_timeout", "How long one attempt of a request may take. Default: `30s`."),
        named(
            Attribute::number("max_retries"),
            "How often a request that may be repeated is repeated, 0 to 20 times. Default: `4`. Five \
             times as often where the server asks to wait (`Retry-After`).",
        ),
        named(
            Attribute::number("requests_per_second"),
            "How many requests are sent a second. Default: unlimited.",
        ),
        named(
            Attribute::number("max_concurrency"),
            "How many requests may be under way at once, 1 to 100. Default: `10`.",
        ),
    ]
}

fn text(name: &'static str, description: &str) -> Attribute {
    named(Attribute::string(name), description)
}

fn named(attribute: Attribute, description: &str) -> Attribute {
    let variable = settings::variable(attribute.name());
    attribute.optional().describe(format!("{description} Environment variable: `{variable}`."))
}

#[cfg(test)]
mod tests {
    use terdut_plugin::attr::Attr;
    use terdut_plugin::engine::Engine;

    use super::*;

    fn provider() -> Terdut {
        Terdut::new(Mask::new(), |_| None)
    }

    #[test]
    fn no_schema_has_faults() {
        assert_eq!(Engine::new(provider()).schema_faults(), Vec::<String>::new());
    }

    #[test]
    fn nothing_is_required_to_validate() {
        let mut told = Diagnostics::new();
        provider().validate(&ProviderModel::default(), &mut told);
        assert!(told.is_empty(), "{told:?}");
    }

    #[test]
    fn every_bad_setting_is_told_in_one_run() {
        let config = ProviderModel {
            url: "ftp://h".into(),
            ca_certificate: "-----BEGIN CERTIFICATE-----".into(),
            request_timeout: "soon".into(),
            max_concurrency: Attr::Known(0),
            ..ProviderModel::default()
        };
        let mut told = Diagnostics::new();
        provider().validate(&config, &mut told);
        let paths: Vec<_> =
            told.iter().filter_map(|one| one.path.as_ref()).map(ToString::to_string).collect();
        for path in ["url", "ca_certificate", "request_timeout", "max_concurrency"] {
            assert!(paths.contains(&path.to_owned()), "{path}: {told:?}");
        }
    }

    #[tokio::test]
    async fn an_unknown_setting_does_not_keep_the_provider_from_being_configured() {
        let config = ProviderModel { url: Attr::Unknown, ..ProviderModel::default() };
        let mut told = Diagnostics::new();
        let data = provider().configure(config, &mut told).await.unwrap();
        assert!(told.is_empty() && data.is_unknown() && data.client().is_err());
    }
}
