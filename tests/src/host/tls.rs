//! The TLS of go-plugin hosts: a certificate of the host's own, the provider's pinned.
//!
//! The host's key is P-521 like Terraform's. The server must show exactly the certificate of the
//! handshake line, for `localhost`, and speak h2.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};

/// A host's certificate and key.
pub(super) struct ClientIdentity {
    /// The certificate as the environment carries it.
    pub(super) pem: String,
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
}

impl ClientIdentity {
    /// A new one, as Terraform makes it.
    pub(super) fn generate() -> Self {
        use rcgen::{BasicConstraints, DnType, ExtendedKeyUsagePurpose, IsCa, KeyUsagePurpose};
        let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P521_SHA512).expect("a key");
        let names = vec!["localhost".to_owned()];
        let mut params = rcgen::CertificateParams::new(names).expect("a name");
        params.distinguished_name.push(DnType::CommonName, "localhost");
        params.distinguished_name.push(DnType::OrganizationName, "HashiCorp");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::DigitalSignature,
            KeyUsagePurpose::KeyEncipherment,
            KeyUsagePurpose::KeyAgreement,
            KeyUsagePurpose::KeyCertSign,
        ];
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = params.self_signed(&key).expect("a certificate");
        Self {
            pem: certificate.pem(),
            certificate: certificate.der().clone(),
            key: key.serialize_der(),
        }
    }
}

/// The TLS settings of a host; without an identity it shows no certificate.
pub(super) fn client_config(
    identity: Option<&ClientIdentity>,
    pinned: CertificateDer<'static>,
) -> ClientConfig {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = Arc::new(Pinned { certificate: pinned, provider: provider.clone() });
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider knows TLS 1.2 and 1.3")
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match identity {
        None => builder.with_no_client_auth(),
        Some(identity) => {
            let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(identity.key.clone()));
            builder
                .with_client_auth_cert(vec![identity.certificate.clone()], key)
                .expect("the key fits the certificate")
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    config
}

#[derive(Debug)]
struct Pinned {
    certificate: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if *end_entity != self.certificate {
            return Err(rustls::Error::General("not the certificate of field 6".to_owned()));
        }
        verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
