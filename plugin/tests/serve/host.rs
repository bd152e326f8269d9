//! The host's side: certificates as Go makes them, the handshake line, and a channel.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use hyper_util::rt::TokioIo;
use rcgen::{CertificateParams, DnType, IsCa, KeyPair, PKCS_ECDSA_P521_SHA512};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, SignatureScheme,
    SupportedProtocolVersion,
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio::net::UnixStream;
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint, Error};
use tower::service_fn;

/// The host's certificate, its own authority, with the curve that Terraform uses.
pub(crate) struct Identity {
    pub(crate) pem: String,
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    pub(crate) fn make() -> Self {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "localhost");
        params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = KeyPair::generate_for(&PKCS_ECDSA_P521_SHA512).unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self {
            pem: certificate.pem(),
            certificate: certificate.der().clone(),
            key: PrivateKeyDer::Pkcs8(key.serialize_der().into()),
        }
    }
}

/// What a host reads from the first line.
#[derive(Debug, Clone)]
pub(crate) struct Handshake {
    pub(crate) fields: Vec<String>,
}

impl Handshake {
    pub(crate) fn parse(line: &str) -> Self {
        let fields = line.strip_suffix('\n').unwrap().split('|').map(str::to_owned).collect();
        Self { fields }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.fields[3].clone().into()
    }

    fn certificate(&self) -> CertificateDer<'static> {
        STANDARD_NO_PAD.decode(&self.fields[5]).unwrap().into()
    }

    /// Connects without encryption.
    pub(crate) async fn plain(&self) -> Result<Channel, Error> {
        let socket = self.socket();
        let connector = service_fn(move |_| {
            let socket = socket.clone();
            async move { UnixStream::connect(socket).await.map(TokioIo::new) }
        });
        endpoint().connect_with_connector(connector).await
    }

    /// Connects with encryption, as the holder of `identity` or of nothing.
    pub(crate) async fn encrypted(
        &self,
        identity: Option<&Identity>,
        version: &'static SupportedProtocolVersion,
    ) -> Result<Channel, Error> {
        let connector = TlsConnector::from(Arc::new(self.config(identity, version)));
        let socket = self.socket();
        let connector = service_fn(move |_| {
            let (socket, connector) = (socket.clone(), connector.clone());
            async move {
                let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
                let stream = UnixStream::connect(socket).await?;
                connector.connect(name, stream).await.map(TokioIo::new)
            }
        });
        endpoint().connect_with_connector(connector).await
    }

    fn config(
        &self,
        identity: Option<&Identity>,
        version: &'static SupportedProtocolVersion,
    ) -> ClientConfig {
        let crypto = Arc::new(aws_lc_rs::default_provider());
        let verifier =
            ExpectedPlugin { certificate: self.certificate(), crypto: Arc::clone(&crypto) };
        let builder = ClientConfig::builder_with_provider(crypto)
            .with_protocol_versions(&[version])
            .unwrap()
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match identity {
            None => builder.with_no_client_auth(),
            Some(identity) => builder
                .with_client_auth_cert(vec![identity.certificate.clone()], identity.key.clone_key())
                .unwrap(),
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        config
    }
}

fn endpoint() -> Endpoint {
    Endpoint::from_static("http://localhost")
}

/// Accepts exactly the certificate of the handshake, as Go does with it as the only root.
#[derive(Debug)]
struct ExpectedPlugin {
    certificate: CertificateDer<'static>,
    crypto: Arc<CryptoProvider>,
}

impl ServerCertVerifier for ExpectedPlugin {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        if *end_entity == self.certificate {
            Ok(ServerCertVerified::assertion())
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
        verify_tls12_signature(message, cert, dss, &self.crypto.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(message, cert, dss, &self.crypto.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.crypto.signature_verification_algorithms.supported_schemes()
    }
}
