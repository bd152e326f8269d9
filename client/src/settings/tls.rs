//! The TLS side of a client: trusted roots, the client's own certificate, and the switch that
//! turns verification off.
//!
//! Called once by `Client::new`. The cryptography is named explicitly; no process-wide default is
//! installed or relied on.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};

use super::{Problems, Settings, pem_or_path};

/// The configuration for all TLS connections. `needed` says whether there will be any: reading the
/// system's certificates takes time, checking the settings does not.
pub(crate) fn build(settings: &Settings, needed: bool, problems: &mut Problems) -> ClientConfig {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let roots = roots(settings, needed, problems);
    let identity = identity(settings, problems);
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("aws-lc-rs supports the default protocol versions");
    let builder = if settings.insecure_skip_verify {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AcceptAny { provider }))
    } else {
        builder.with_root_certificates(roots)
    };
    let Some((chain, key)) = identity else { return builder.with_no_client_auth() };
    match builder.clone().with_client_auth_cert(chain, key) {
        Ok(config) => config,
        Err(error) => {
            problems.add("client_key", format!("does not fit client_certificate: {error}"));
            builder.with_no_client_auth()
        }
    }
}

fn roots(settings: &Settings, needed: bool, problems: &mut Problems) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    if needed && !settings.insecure_skip_verify {
        add_system_roots(&mut roots);
    }
    let Some(text) = &settings.ca_certificate else { return roots };
    for certificate in certificates("ca_certificate", text, problems) {
        if let Err(error) = roots.add(certificate) {
            problems.add("ca_certificate", format!("holds a certificate of no use: {error}"));
        }
    }
    roots
}

#[cfg(all(unix, not(target_vendor = "apple")))]
fn add_system_roots(roots: &mut RootCertStore) {
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        tracing::debug!("the system has no trusted certificates; Mozilla's list is used");
        add_bundled_roots(roots);
    }
}

// Elsewhere the system's store is behind frameworks that a cross-built binary cannot link.
#[cfg(not(all(unix, not(target_vendor = "apple"))))]
fn add_system_roots(roots: &mut RootCertStore) {
    add_bundled_roots(roots);
}

fn add_bundled_roots(roots: &mut RootCertStore) {
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
}

fn certificates(
    setting: &'static str,
    text: &str,
    problems: &mut Problems,
) -> Vec<CertificateDer<'static>> {
    let Some(pem) = pem_or_path(setting, text, problems) else { return Vec::new() };
    match CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>() {
        Ok(certificates) if certificates.is_empty() => {
            problems.add(setting, "holds no certificate");
            certificates
        }
        Ok(certificates) => certificates,
        Err(error) => {
            problems.add(setting, format!("is not valid PEM: {error}"));
            Vec::new()
        }
    }
}

type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn identity(settings: &Settings, problems: &mut Problems) -> Option<Identity> {
    match (&settings.client_certificate, &settings.client_key) {
        (None, None) => None,
        (Some(_), None) => {
            problems.add("client_key", "must be set together with client_certificate");
            None
        }
        (None, Some(_)) => {
            problems.add("client_certificate", "must be set together with client_key");
            None
        }
        (Some(chain), Some(key)) => {
            let chain = certificates("client_certificate", chain, problems);
            let key = private_key(key.expose(), problems)?;
            (!chain.is_empty()).then_some((chain, key))
        }
    }
}

fn private_key(text: &str, problems: &mut Problems) -> Option<PrivateKeyDer<'static>> {
    let pem = pem_or_path("client_key", text, problems)?;
    PrivateKeyDer::from_pem_slice(&pem)
        .map_err(|_| problems.add("client_key", "holds no private key in PEM"))
        .ok()
}

/// Accepts any certificate, but still proves that the peer holds its key.
#[derive(Debug)]
struct AcceptAny {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AcceptAny {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
