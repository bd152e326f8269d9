//! Who may connect: the holder of exactly the certificate that the host sent, and nobody else.
//!
//! Hosts use a certificate that is its own authority, which the usual path building refuses as an
//! end entity; comparing it byte by byte is both stricter and simpler. The handshake's signature
//! proves that the other side holds the key. Built by `tls`; never looks at names or dates.

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error as TlsError, SignatureScheme,
};
use rustls_pki_types::{CertificateDer, UnixTime};

/// Accepts one certificate.
#[derive(Debug)]
pub(super) struct PinnedHost {
    certificate: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl PinnedHost {
    pub(super) fn new(
        certificate: CertificateDer<'static>,
        algorithms: WebPkiSupportedAlgorithms,
    ) -> Self {
        Self { certificate, algorithms }
    }
}

impl ClientCertVerifier for PinnedHost {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, TlsError> {
        if *end_entity == self.certificate {
            Ok(ClientCertVerified::assertion())
        } else {
            Err(CertificateError::UnknownIssuer.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
