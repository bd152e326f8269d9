//! The one line with which a plugin introduces itself.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustls_pki_types::CertificateDer;

/// What the line says.
#[derive(Debug, Clone)]
pub(super) struct Handshake {
    pub(super) socket: PathBuf,
    pub(super) certificate: Option<CertificateDer<'static>>,
}

impl Handshake {
    /// Reads the line; the error says what is wrong.
    pub(super) fn read(line: &str, wants_certificate: bool) -> Result<Self, String> {
        let line = line.strip_suffix('\n').ok_or("the line does not end")?;
        let fields: Vec<_> = line.split('|').collect();
        let [core, protocol, network, address, kind, rest @ ..] = fields.as_slice() else {
            return Err(format!("{} fields", fields.len()));
        };
        match (*core, *protocol, *network, *kind) {
            ("1", "6", "unix", "grpc") => {}
            other => return Err(format!("the first fields are {other:?}")),
        }
        let field = match rest {
            [] => "",
            [field] => field,
            _ => return Err("a seventh field nobody asked for".to_owned()),
        };
        let certificate = certificate(field, wants_certificate)?;
        Ok(Self { socket: PathBuf::from(address), certificate })
    }
}

fn certificate(field: &str, wanted: bool) -> Result<Option<CertificateDer<'static>>, String> {
    match (wanted, field.is_empty()) {
        (false, true) => Ok(None),
        (false, false) => Err("a certificate nobody asked for".to_owned()),
        (true, _) if field.len() <= 50 => Err("no certificate in field 6".to_owned()),
        (true, _) => STANDARD_NO_PAD
            .decode(field)
            .map(|der| Some(CertificateDer::from(der)))
            .map_err(|error| format!("field 6: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB";

    #[test]
    fn a_good_line_passes() {
        let line = format!("1|6|unix|/tmp/s|grpc|{CERTIFICATE}\n");
        assert!(Handshake::read(&line, true).unwrap().certificate.is_some());
        assert!(Handshake::read("1|6|unix|/tmp/s|grpc\n", false).is_ok());
        assert!(Handshake::read("1|6|unix|/tmp/s|grpc|\n", false).is_ok());
    }

    #[test]
    fn bad_lines_are_refused() {
        for line in [
            "1|6|unix\n",
            "2|6|unix|/tmp/s|grpc|\n",
            "1|5|unix|/tmp/s|grpc|\n",
            "1|6|tcp|127.0.0.1:1|grpc|\n",
            "1|6|unix|/tmp/s|netrpc|\n",
            "1|6|unix|/tmp/s|grpc|",
            "1|6|unix|/tmp/s|grpc||true\n",
            "1|6|unix|/tmp/s|grpc|QUFB\n",
        ] {
            assert!(Handshake::read(line, false).is_err(), "{line}");
        }
    }

    #[test]
    fn a_missing_or_padded_certificate_is_refused() {
        assert!(Handshake::read("1|6|unix|/tmp/s|grpc|\n", true).is_err());
        let padded = format!("1|6|unix|/tmp/s|grpc|{CERTIFICATE}QQ==\n");
        assert!(Handshake::read(&padded, true).is_err());
    }
}
