//! What the host says about itself through environment variables.
//!
//! [`Host::from_vars`] is the only reader of the host's variables, and reads them through a
//! function: nothing here touches the process's environment.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::ServeError;

/// The variable by which a host shows that it knows what it starts.
pub const MAGIC_COOKIE_KEY: &str = "TF_PLUGIN_MAGIC_COOKIE";

/// The value of [`MAGIC_COOKIE_KEY`] for Terraform providers. No secret: it only tells a host
/// from a person.
pub const MAGIC_COOKIE: &str = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/// The only protocol version served.
pub(super) const PROTOCOL: u32 = 6;

/// What the host says about itself.
#[derive(Debug, Clone, Default)]
pub struct Host {
    cookie: Option<String>,
    versions: Option<Vec<u32>>,
    ports: Option<(u16, u16)>,
    certificate: Option<String>,
    multiplexes: bool,
    socket_folder: Option<PathBuf>,
    socket_group: Option<String>,
}

impl Host {
    /// Reads the host's variables through `var`.
    pub fn from_vars(var: impl Fn(&str) -> Option<OsString>) -> Result<Self, ServeError> {
        let text = |name: &str| {
            var(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
        };
        Ok(Self {
            cookie: text(MAGIC_COOKIE_KEY),
            versions: text("PLUGIN_PROTOCOL_VERSIONS").as_deref().map(versions),
            ports: ports(text("PLUGIN_MIN_PORT").as_deref(), text("PLUGIN_MAX_PORT").as_deref())?,
            certificate: text("PLUGIN_CLIENT_CERT"),
            multiplexes: text("PLUGIN_MULTIPLEX_GRPC").is_some(),
            socket_folder: var("PLUGIN_UNIX_SOCKET_DIR")
                .filter(|value| !value.is_empty())
                .map(PathBuf::from),
            socket_group: text("PLUGIN_UNIX_SOCKET_GROUP"),
        })
    }

    /// Whether the process was started by a host of plugins, not by hand.
    pub fn knows_plugins(&self) -> bool {
        self.cookie.as_deref() == Some(MAGIC_COOKIE)
    }

    /// Whether the host speaks the protocol served here; one that names none is taken to.
    pub(super) fn speaks_protocol(&self) -> bool {
        self.versions.as_ref().is_none_or(|versions| versions.contains(&PROTOCOL))
    }

    /// The TCP ports to choose from; 0 leaves the choice to the system.
    #[cfg_attr(not(any(windows, test)), expect(dead_code, reason = "for Windows"))]
    pub(super) fn ports(&self) -> RangeInclusive<u16> {
        self.ports.map_or(0..=0, |(low, high)| low..=high)
    }

    /// The host's certificate in PEM form; without one the connection is not encrypted.
    pub(super) fn certificate(&self) -> Option<&str> {
        self.certificate.as_deref()
    }

    /// Whether the host wants to hear about multiplexing in the handshake.
    pub(super) fn asks_for_multiplexing(&self) -> bool {
        self.multiplexes
    }

    #[cfg_attr(windows, expect(dead_code, reason = "for Unix sockets"))]
    pub(super) fn socket_folder(&self) -> PathBuf {
        self.socket_folder.clone().unwrap_or_else(std::env::temp_dir)
    }

    #[cfg_attr(windows, expect(dead_code, reason = "for Unix sockets"))]
    pub(super) fn socket_group(&self) -> Option<&str> {
        self.socket_group.as_deref()
    }
}

/// Go's own plugins skip what is no number, too.
fn versions(text: &str) -> Vec<u32> {
    text.split(',').filter_map(|version| version.trim().parse().ok()).collect()
}

fn ports(low: Option<&str>, high: Option<&str>) -> Result<Option<(u16, u16)>, ServeError> {
    let low = port("PLUGIN_MIN_PORT", low)?;
    let high = port("PLUGIN_MAX_PORT", high)?;
    match (low, high) {
        (None, None) => Ok(None),
        (low, high) if low.unwrap_or(0) <= high.unwrap_or(0) => {
            Ok(Some((low.unwrap_or(0), high.unwrap_or(0))))
        }
        _ => Err(ServeError::Variable {
            name: "PLUGIN_MAX_PORT",
            expected: "a port not below PLUGIN_MIN_PORT",
        }),
    }
}

fn port(name: &'static str, text: Option<&str>) -> Result<Option<u16>, ServeError> {
    text.map(str::parse)
        .transpose()
        .map_err(|_| ServeError::Variable { name, expected: "a port number from 0 to 65535" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(vars: &[(&str, &str)]) -> Result<Host, ServeError> {
        Host::from_vars(|name| {
            vars.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn only_the_right_cookie_makes_a_host() {
        assert!(!host(&[]).unwrap().knows_plugins());
        assert!(!host(&[(MAGIC_COOKIE_KEY, "other")]).unwrap().knows_plugins());
        assert!(host(&[(MAGIC_COOKIE_KEY, MAGIC_COOKIE)]).unwrap().knows_plugins());
    }

    #[test]
    fn a_host_that_names_no_versions_is_taken_to_speak_six() {
        assert!(host(&[]).unwrap().speaks_protocol());
        assert!(host(&[("PLUGIN_PROTOCOL_VERSIONS", "6,5")]).unwrap().speaks_protocol());
        assert!(host(&[("PLUGIN_PROTOCOL_VERSIONS", "x, 6")]).unwrap().speaks_protocol());
        assert!(!host(&[("PLUGIN_PROTOCOL_VERSIONS", "5")]).unwrap().speaks_protocol());
    }

    #[test]
    fn ports_are_any_unless_the_host_bounds_them() {
        assert_eq!(host(&[]).unwrap().ports(), 0..=0);
        let bounded = [("PLUGIN_MIN_PORT", "10000"), ("PLUGIN_MAX_PORT", "25000")];
        assert_eq!(host(&bounded).unwrap().ports(), 10000..=25000);
    }

    #[test]
    fn ports_that_make_no_sense_are_refused_by_name() {
        let turned = host(&[("PLUGIN_MIN_PORT", "9"), ("PLUGIN_MAX_PORT", "8")]).unwrap_err();
        assert!(turned.to_string().contains("PLUGIN_MAX_PORT"));
        let word = host(&[("PLUGIN_MIN_PORT", "many")]).unwrap_err();
        assert!(word.to_string().contains("PLUGIN_MIN_PORT"));
    }
}
