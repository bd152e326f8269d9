//! The one text a plugin ever writes to standard output.
//!
//! A host that started the process reads the handshake line; a person who started it with
//! `--debug` reads how to attach a host. Pure: `run` does the writing.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustls_pki_types::CertificateDer;
use serde_json::{Map, Value, json};

use super::host::{Host, PROTOCOL};
use super::listen::Address;

/// The version of the handshake itself.
const HANDSHAKE: u32 = 1;

/// The handshake line. The protocol is always our own: a host that does not speak it complains in
/// better words than we could through this line.
pub(super) fn handshake(
    host: &Host,
    address: &Address,
    certificate: Option<&CertificateDer<'_>>,
) -> String {
    if !host.speaks_protocol() {
        tracing::warn!("the host does not name protocol {PROTOCOL} among those it speaks");
    }
    let certificate = certificate.map(|der| STANDARD_NO_PAD.encode(der)).unwrap_or_default();
    let (network, place) = (address.network(), address.text());
    let mut line = format!("{HANDSHAKE}|{PROTOCOL}|{network}|{place}|grpc|{certificate}");
    if host.asks_for_multiplexing() {
        line.push_str("|false");
    }
    line.push('\n');
    line
}

/// What a person needs to attach a host.
pub(super) fn reattach(addresses: &[String], address: &Address) -> String {
    let variable =
        reattach_variable(addresses, std::process::id(), address.network(), &address.text());
    let mut text = String::from("The provider waits for a host; Ctrl-C ends it.\n");
    let _ = writeln!(text, "To attach Terraform or OpenTofu, set this in their environment:\n");
    let _ = writeln!(text, "\tTF_REATTACH_PROVIDERS='{variable}'\n");
    text
}

/// The value of `TF_REATTACH_PROVIDERS` for a provider known under `addresses`, which process
/// `pid` serves at `place`.
pub fn reattach_variable(addresses: &[String], pid: u32, network: &str, place: &str) -> String {
    let entry = json!({
        "Protocol": "grpc",
        "ProtocolVersion": PROTOCOL,
        "Pid": pid,
        "Test": true,
        "Addr": { "Network": network, "String": place },
    });
    let entries: Map<String, Value> =
        addresses.iter().map(|address| (address.clone(), entry.clone())).collect();
    Value::Object(entries).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket() -> Address {
        Address::Unix("/run/plugin1/s".into())
    }

    fn multiplexing_host() -> Host {
        Host::from_vars(|name| (name == "PLUGIN_MULTIPLEX_GRPC").then(|| "true".into())).unwrap()
    }

    #[test]
    fn a_handshake_without_encryption_keeps_an_empty_sixth_field() {
        let line = handshake(&Host::default(), &socket(), None);
        assert_eq!(line, "1|6|unix|/run/plugin1/s|grpc|\n");
    }

    #[test]
    fn the_certificate_is_base64_without_padding() {
        let der = CertificateDer::from(vec![0xff; 4]);
        let line = handshake(&Host::default(), &socket(), Some(&der));
        assert_eq!(line, "1|6|unix|/run/plugin1/s|grpc|/////w\n");
    }

    #[test]
    fn a_host_that_asks_hears_that_nothing_is_multiplexed() {
        let line = handshake(&multiplexing_host(), &socket(), None);
        assert_eq!(line, "1|6|unix|/run/plugin1/s|grpc||false\n");
    }

    #[test]
    fn tcp_is_announced_by_address_and_port() {
        let address = Address::Tcp("127.0.0.1:4242".parse().unwrap());
        let line = handshake(&Host::default(), &address, None);
        assert_eq!(line, "1|6|tcp|127.0.0.1:4242|grpc|\n");
    }

    #[test]
    fn attaching_works_under_every_address() {
        let addresses = ["a.example/n/p".to_owned(), "b.example/n/p".to_owned()];
        let value = reattach_variable(&addresses, 7, "unix", "/s");
        let value: Value = serde_json::from_str(&value).unwrap();
        for address in &addresses {
            assert_eq!(
                value[address],
                json!({
                    "Protocol": "grpc", "ProtocolVersion": 6, "Pid": 7, "Test": true,
                    "Addr": { "Network": "unix", "String": "/s" },
                })
            );
        }
    }
}
