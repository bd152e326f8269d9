//! What configuring the provider came to, and what each call makes of it.
//!
//! Made in `provider.rs`, read by every resource and data source. A setting that is missing or not
//! known yet is an error here, at first use, and never a silent default.

use terdut_client::{Caller, Claims, Client, Settings, Webhook};
use terdut_core::value::ServerUrl;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::resource::Context;
use terdut_plugin::serve::Mask;

use crate::object::looks::Looks;
use crate::object::names::Names;
use crate::object::outlook::Outlook;
use crate::report;
use crate::settings::{Resolved, variable};
use crate::timeouts::Limit;

/// What configuring the provider made.
#[derive(Debug)]
pub struct ProviderData {
    settings: Settings,
    unknown: Vec<&'static str>,
    missing: Vec<&'static str>,
    client: Option<Client>,
    claims: Claims,
    names: Names,
    outlook: Outlook,
    looks: Looks,
    mask: Mask,
}

impl ProviderData {
    /// Takes settings that were found to be good. Their secrets are masked in the log from here on.
    pub fn new(
        resolved: Resolved,
        claims: Claims,
        mask: Mask,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let Resolved { settings, unknown, missing } = resolved;
        hide(&settings, &mask);
        let complete = unknown.is_empty() && missing.is_empty();
        let client =
            complete.then(|| Client::new(&settings).map_err(|error| report::settings(&error)));
        let client = client.and_then(|made| diagnostics.take(made));
        let (names, outlook, looks) = (Names::default(), Outlook::default(), Looks::default());
        Self { settings, unknown, missing, client, claims, names, outlook, looks, mask }
    }

    /// The client of the configured server.
    pub fn client(&self) -> Result<&Client, Diagnostic> {
        if let Some(setting) = self.unknown.first() {
            return Err(unknown(setting));
        }
        self.client.as_ref().ok_or_else(|| missing(&self.missing))
    }

    /// Whether the server cannot be asked because a setting is only known after apply.
    pub fn is_unknown(&self) -> bool {
        !self.unknown.is_empty()
    }

    /// A client of another server than the configured one, which gets none of its keys: for
    /// `terdut_server`. What else is set (certificates, proxy, limits) holds for it too.
    pub fn client_of(&self, server: &ServerUrl) -> Result<Client, Diagnostics> {
        Client::new(&self.keyless(server)?).map_err(|error| report::settings(&error))
    }

    /// The webhook of that URL. Headers may hold keys too, so only the configured server gets them.
    pub fn webhook(&self, url: &ServerUrl) -> Result<Webhook, Diagnostics> {
        let mut settings = self.keyless(url)?;
        let ours = self.settings.url.parse::<ServerUrl>().ok();
        if ours.is_none_or(|ours| ours.origin() != url.origin()) {
            settings.headers.clear();
        }
        Webhook::new(&settings, url.clone()).map_err(|error| report::settings(&error))
    }

    /// The settings but for url and token.
    fn keyless(&self, server: &ServerUrl) -> Result<Settings, Diagnostics> {
        let transport = |setting: &&&str| !matches!(**setting, "url" | "token");
        if let Some(setting) = self.unknown.iter().find(transport) {
            return Err(unknown(setting).into());
        }
        Ok(Settings { url: server.to_string(), token: None, ..self.settings.clone() })
    }

    /// The configured server's URL without trailing slash, as identities hold it.
    pub fn server(&self) -> Option<String> {
        self.client.as_ref().map(|client| client.server().to_string())
    }

    /// The names that somebody is just making.
    pub fn claims(&self) -> &Claims {
        &self.claims
    }

    /// The names that resources of this configuration have.
    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    /// What the plan of this run is going to do.
    pub(crate) fn outlook(&self) -> &Outlook {
        &self.outlook
    }

    /// What a plan of deletes has asked the server.
    pub(crate) fn looks(&self) -> &Looks {
        &self.looks
    }

    /// Keeps a secret out of the log.
    pub fn hide(&self, secret: &str) {
        self.mask.add(secret);
    }
}

/// A caller of the configured server that ends with the host's stop or at its limit.
pub fn caller(context: &Context<ProviderData>, limit: Limit) -> Result<Caller, Diagnostic> {
    Ok(caller_with(context, context.data().client()?.clone(), limit))
}

/// The same for any client.
pub fn caller_with(context: &Context<ProviderData>, client: Client, limit: Limit) -> Caller {
    let stop = context.stop().clone();
    let deadline = tokio::time::sleep(limit.span());
    Caller::new(client, async move {
        tokio::select! {
            () = stop.cancelled() => {}
            () = deadline => {}
        }
    })
}

fn hide(settings: &Settings, mask: &Mask) {
    let secrets = [&settings.token, &settings.client_key, &settings.proxy];
    let secrets = secrets.into_iter().flatten().chain(settings.headers.values());
    for secret in secrets {
        mask.add(secret.expose());
    }
}

fn unknown(setting: &'static str) -> Diagnostic {
    Diagnostic::error(
        "The provider's settings are not known yet",
        format!(
            "{setting} of the provider \"terdut\" is only known after apply, so the server cannot \
             be asked now. Let this depend on what sets it (depends_on), apply that first \
             (-target), or give {setting} a value that is known ({}).",
            variable(setting)
        ),
    )
}

fn missing(settings: &[&'static str]) -> Diagnostic {
    let named: Vec<_> =
        settings.iter().map(|setting| format!("{setting} ({})", variable(setting))).collect();
    Diagnostic::error(
        "The provider is not configured",
        format!(
            "This needs {}, which no provider \"terdut\" block and no environment variable sets.",
            named.join(" and ")
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(unknown: &[&'static str], missing: &[&'static str]) -> ProviderData {
        let settings = Settings::new("http://localhost:1/").with_token("canary".to_owned());
        let (unknown, missing) = (unknown.to_vec(), missing.to_vec());
        let resolved = Resolved { settings, unknown, missing };
        let mut diagnostics = Diagnostics::new();
        let data = ProviderData::new(resolved, Claims::default(), Mask::new(), &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        data
    }

    #[test]
    fn what_is_unknown_or_missing_is_told_at_first_use_with_its_variable() {
        let told = data(&["token"], &["url"]).client().unwrap_err();
        assert!(told.detail.contains("TERDUT_TOKEN") && told.detail.contains("depends_on"));
        let told = data(&[], &["url", "token"]).client().unwrap_err();
        assert!(told.detail.contains("url (TERDUT_URL) and token (TERDUT_TOKEN)"), "{told:?}");
    }

    #[test]
    fn a_complete_configuration_has_a_client_and_hides_its_secrets() {
        let data = data(&[], &[]);
        assert_eq!(data.client().unwrap().server().to_string(), "http://localhost:1");
        assert_eq!(data.server().as_deref(), Some("http://localhost:1"));
        assert_eq!(data.mask.apply("the canary"), "the ***");
    }

    #[test]
    fn another_server_is_reached_without_url_and_token() {
        let url: ServerUrl = "http://localhost:2".parse().unwrap();
        assert!(data(&["url"], &["token"]).client_of(&url).is_ok());
        let told = data(&["proxy"], &[]).client_of(&url).unwrap_err();
        assert!(told.iter().any(|one| one.detail.contains("TERDUT_PROXY")));
    }
}
