//! Private authorities, client certificates, and the switch that turns verification off.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::aws_lc_rs;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use terdut_client::{Client, Settings};
use terdut_core::error::{Class, Effect};
use terdut_core::secret::SecretString;
use tokio_rustls::TlsAcceptor;

use crate::peer::{Act, Peer, json};
use crate::settings;

/// An authority and certificates of it, all in PEM.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate and its key, in PEM.
struct Leaf {
    certificate: String,
    key: String,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(vec![]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { issuer }
    }

    pub(crate) fn pem(&self) -> String {
        self.issuer.as_ref().pem()
    }

    fn leaf(&self, name: &str) -> Leaf {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Leaf { certificate, key: key.serialize_pem() }
    }

    /// Accepts connections as `name`, from clients of this authority only if `mutual`.
    pub(crate) fn acceptor(&self, name: &str, mutual: bool) -> TlsAcceptor {
        let leaf = self.leaf(name);
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = if mutual {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(self.pem().as_bytes()).unwrap()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let chain = vec![CertificateDer::from_pem_slice(leaf.certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(leaf.key.as_bytes()).unwrap();
        TlsAcceptor::from(Arc::new(builder.with_single_cert(chain, key).unwrap()))
    }
}

async fn https_peer(authority: &Authority, mutual: bool) -> (Peer, Settings) {
    let acceptor = authority.acceptor("localhost", mutual);
    let peer = Peer::start_tls([json(200, "[]")] as [Act; 1], acceptor).await;
    let settings = settings(&format!("https://localhost:{}", peer.port));
    (peer, settings)
}

#[tokio::test]
async fn a_private_authority_is_trusted_only_when_it_is_named() {
    let authority = Authority::new();
    let (peer, mut settings) = https_peer(&authority, false).await;
    let error = Client::new(&settings).unwrap().teams().await.unwrap_err();
    assert_eq!((error.class, error.effect), (Class::Unreachable, Effect::None));
    assert!(error.said.contains("set ca_certificate"), "{error}");
    assert_eq!(peer.log(), Vec::<String>::new());

    settings.ca_certificate = Some(authority.pem());
    Client::new(&settings).unwrap().teams().await.unwrap();

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ca.pem");
    std::fs::write(&path, authority.pem()).unwrap();
    settings.ca_certificate = Some(path.display().to_string());
    Client::new(&settings).unwrap().teams().await.unwrap();
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let authority = Authority::new();
    let acceptor = authority.acceptor("other.example", false);
    let peer = Peer::start_tls([json(200, "[]")] as [Act; 1], acceptor).await;
    let mut settings = settings(&format!("https://localhost:{}", peer.port));
    settings.ca_certificate = Some(authority.pem());
    let error = Client::new(&settings).unwrap().teams().await.unwrap_err();
    assert_eq!(error.class, Class::Unreachable, "{error}");

    settings.insecure_skip_verify = true;
    Client::new(&settings).unwrap().teams().await.unwrap();
}

#[tokio::test]
async fn a_client_certificate_is_shown() {
    let authority = Authority::new();
    let (_peer, mut settings) = https_peer(&authority, true).await;
    settings.ca_certificate = Some(authority.pem());
    settings.max_retries = 0;
    assert!(Client::new(&settings).unwrap().teams().await.is_err());

    let leaf = authority.leaf("someone");
    settings.client_certificate = Some(leaf.certificate);
    settings.client_key = Some(SecretString::new(leaf.key));
    Client::new(&settings).unwrap().teams().await.unwrap();

    settings.client_key = Some(SecretString::new(authority.leaf("another").key));
    let error = Client::new(&settings).unwrap_err();
    assert_eq!(error.problems[0].setting, "client_key", "{error}");
    assert_eq!(error.problems.len(), 1, "{error}");
}
