//! Encryption between host and plugin: both sides show a self-signed certificate made for one run.
//!
//! Used by `run` when the host sent its certificate. The plugin's own goes back in the handshake
//! line, and is a P-256 one because that takes a fraction of the time which Go's P-521 takes.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::ServeError;
use super::host::Host;
use super::pin::PinnedHost;

/// The name in both certificates, which a host checks.
const NAME: &str = "localhost";

/// The plugin's side of an encrypted connection.
pub(super) struct Tls {
    /// What the host has to expect.
    pub(super) certificate: CertificateDer<'static>,
    pub(super) acceptor: TlsAcceptor,
}

/// Sets encryption up if the host asks for it.
pub(super) fn for_host(host: &Host) -> Result<Option<Tls>, ServeError> {
    host.certificate().map(mutual).transpose()
}

fn mutual(host_certificate: &str) -> Result<Tls, ServeError> {
    let host = CertificateDer::from_pem_slice(host_certificate.as_bytes())
        .map_err(ServeError::HostCertificate)?;
    let (certificate, key) = own_certificate().map_err(ServeError::OwnCertificate)?;
    let config = config(host, certificate.clone(), key).map_err(ServeError::Encryption)?;
    Ok(Tls { certificate, acceptor: TlsAcceptor::from(Arc::new(config)) })
}

fn config(
    host: CertificateDer<'static>,
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
) -> Result<ServerConfig, rustls::Error> {
    let crypto = Arc::new(aws_lc_rs::default_provider());
    let pinned = Arc::new(PinnedHost::new(host, crypto.signature_verification_algorithms));
    let mut config = ServerConfig::builder_with_provider(crypto)
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(pinned)
        .with_single_cert(vec![certificate], key)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    // A host connects once; tickets for coming back would only cost it time.
    config.send_tls13_tickets = 0;
    Ok(config)
}

fn own_certificate() -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>), rcgen::Error> {
    let mut params = CertificateParams::new(vec![NAME.to_owned()])?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, NAME);
    // As Go's plugins do: the host makes this certificate its only root.
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![
        KeyUsagePurpose::DigitalSignature,
        KeyUsagePurpose::KeyEncipherment,
        KeyUsagePurpose::KeyAgreement,
        KeyUsagePurpose::KeyCertSign,
    ];
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?.der().clone();
    Ok((certificate, PrivateKeyDer::Pkcs8(key.serialize_der().into())))
}
