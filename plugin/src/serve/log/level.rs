//! Which events are worth a line.
//!
//! The host filters again, so this only saves the work of writing lines that nobody sees. Other
//! crates never get below warnings: their traces of connections hold headers and bodies.

use tracing::Metadata;
use tracing::level_filters::LevelFilter;

/// The framework's own crate.
const OWN: &str = env!("CARGO_CRATE_NAME");

/// What is logged when the host asks for nothing: what a person should see wherever standard error
/// ends up.
const UNASKED: LevelFilter = LevelFilter::ERROR;

/// How loud the plugin and the libraries in it may be.
#[derive(Debug, Clone)]
pub(super) struct Threshold {
    own: LevelFilter,
    targets: Vec<&'static str>,
}

impl Threshold {
    pub(super) fn new(own: LevelFilter, targets: &[&'static str]) -> Self {
        Self { own, targets: targets.iter().copied().chain([OWN]).collect() }
    }

    /// The loudest level that can pass at all.
    pub(super) fn most(&self) -> LevelFilter {
        self.own
    }

    pub(super) fn passes(&self, metadata: &Metadata<'_>) -> bool {
        let root = metadata.target().split("::").next().unwrap_or_default();
        let limit =
            if self.targets.contains(&root) { self.own } else { self.own.min(LevelFilter::WARN) };
        *metadata.level() <= limit
    }
}

/// The level that the host's variables ask for: the provider's own first, then that of all
/// providers, then the general one.
pub(super) fn asked(provider: &str, var: impl Fn(&str) -> Option<String>) -> LevelFilter {
    let own = format!("TF_LOG_PROVIDER_{}", provider.to_uppercase().replace('-', "_"));
    [own.as_str(), "TF_LOG_PROVIDER", "TF_LOG"]
        .into_iter()
        .filter_map(var)
        .find(|value| !value.trim().is_empty())
        .map_or(UNASKED, |value| level(value.trim()))
}

/// As Terraform does, takes a word it does not know (and `JSON`) for the loudest level.
fn level(word: &str) -> LevelFilter {
    match word.to_ascii_uppercase().as_str() {
        "OFF" => LevelFilter::OFF,
        "ERROR" => LevelFilter::ERROR,
        "WARN" => LevelFilter::WARN,
        "INFO" => LevelFilter::INFO,
        "DEBUG" => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked_by(vars: &[(&str, &str)]) -> LevelFilter {
        asked("my-cloud", |name| {
            vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_most_special_variable_decides() {
        let all = [
            ("TF_LOG", "trace"),
            ("TF_LOG_PROVIDER", "warn"),
            ("TF_LOG_PROVIDER_MY_CLOUD", "debug"),
        ];
        assert_eq!(asked_by(&all), LevelFilter::DEBUG);
        assert_eq!(asked_by(&all[..2]), LevelFilter::WARN);
        assert_eq!(asked_by(&all[..1]), LevelFilter::TRACE);
    }

    #[test]
    fn an_empty_variable_asks_for_nothing() {
        assert_eq!(asked_by(&[("TF_LOG_PROVIDER", ""), ("TF_LOG", "INFO")]), LevelFilter::INFO);
        assert_eq!(asked_by(&[]), LevelFilter::ERROR);
    }

    #[test]
    fn json_and_unknown_words_mean_everything() {
        assert_eq!(asked_by(&[("TF_LOG", "JSON")]), LevelFilter::TRACE);
        assert_eq!(asked_by(&[("TF_LOG", "1")]), LevelFilter::TRACE);
        assert_eq!(asked_by(&[("TF_LOG", "off")]), LevelFilter::OFF);
    }
}
