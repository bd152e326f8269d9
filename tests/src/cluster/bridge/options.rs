//! With which flags a bridge is started.

use std::collections::BTreeMap;

/// Flags and variables; what is not said is what suits tests: short times, random port.
#[derive(Debug, Clone)]
pub struct Options {
    flags: BTreeMap<String, String>,
    variables: BTreeMap<String, String>,
}

impl Options {
    /// Those of a bridge of this identity.
    pub fn new(identity: &str) -> Self {
        let flags = [
            ("identity", identity),
            ("listen", "127.0.0.1:0"),
            ("log-format", "json"),
            ("log-level", "debug"),
            ("resync-interval", "5s"),
            ("lease-duration", "4s"),
            ("lease-deadline", "3s"),
            ("lease-retry", "500ms"),
            ("retry-base", "200ms"),
            ("retry-cap", "2s"),
        ];
        let flags = flags.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { flags: flags.into(), variables: BTreeMap::new() }
    }

    /// Sets a flag, named without its dashes.
    #[must_use]
    pub fn flag(mut self, name: &str, value: &str) -> Self {
        self.flags.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Sets a flag that was not set.
    pub(crate) fn default_flag(mut self, name: &str, value: &str) -> Self {
        self.flags.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        self
    }

    /// Takes a flag away: the program's own default holds.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.flags.remove(name);
        self
    }

    /// Watches the whole cluster, for which the site must hold the rights.
    #[must_use]
    pub fn cluster_wide(self) -> Self {
        self.without("watch-namespaces")
    }

    /// Sets a variable.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The identity.
    pub(crate) fn identity(&self) -> &str {
        self.flags.get("identity").map(String::as_str).unwrap_or_default()
    }

    pub(super) fn arguments(&self) -> impl Iterator<Item = String> {
        self.flags.iter().map(|(name, value)| format!("--{name}={value}"))
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = (&String, &String)> {
        self.variables.iter()
    }
}
