//! Through a proxy: forwarded for http, tunnelled for https, with its user and password.

use std::sync::{Arc, Mutex};

use terdut_client::{Client, ProxyEnvironment};
use terdut_core::secret::SecretString;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::peer::{Act, Peer, json, read_request};
use crate::settings;
use crate::tls::Authority;

/// A proxy that connects whoever asks to `target`; gives its port and what it was asked.
async fn tunnel_to(target: u16) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let log: Arc<Mutex<Vec<String>>> = Arc::default();
    let asked = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let asked = Arc::clone(&asked);
            tokio::spawn(async move {
                let Some(request) = read_request(&mut stream).await else { return };
                asked.lock().unwrap().push(request);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
                let mut server = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut stream, &mut server).await;
            });
        }
    });
    (port, log)
}

#[tokio::test]
async fn http_is_forwarded_with_its_absolute_address() {
    let proxy = Peer::start([json(200, "[]")]).await;
    let mut settings = settings("http://terdut.invalid/base");
    settings.proxy =
        Some(SecretString::new(format!("http://user:pass-canary@127.0.0.1:{}", proxy.port)));
    Client::new(&settings).unwrap().teams().await.unwrap();
    assert_eq!(proxy.lines(), ["GET http://terdut.invalid/base/api/teams HTTP/1.1"]);
    assert!(proxy.log()[0].contains("proxy-authorization: Basic dXNlcjpwYXNzLWNhbmFyeQ=="));
}

#[tokio::test]
async fn https_is_tunnelled_and_the_proxy_sees_no_key() {
    let authority = Authority::new();
    let acceptor = authority.acceptor("terdut.invalid", false);
    let server = Peer::start_tls([json(200, "[]")] as [Act; 1], acceptor).await;
    let (port, asked) = tunnel_to(server.port).await;
    let mut settings = settings("https://terdut.invalid");
    settings.ca_certificate = Some(authority.pem());
    settings.environment = ProxyEnvironment {
        https_proxy: Some(SecretString::new(format!("http://user:pass@127.0.0.1:{port}"))),
        ..ProxyEnvironment::default()
    };
    Client::new(&settings).unwrap().teams().await.unwrap();
    assert_eq!(server.lines(), ["GET /api/teams HTTP/1.1"]);
    assert!(!server.log()[0].to_lowercase().contains("proxy-authorization"));
    let asked = asked.lock().unwrap()[0].clone();
    assert!(asked.starts_with("CONNECT terdut.invalid:443 HTTP/1.1\n"), "{asked}");
    assert!(asked.to_lowercase().contains("proxy-authorization: basic dxnlcjpwyxnz"), "{asked}");
    assert!(!asked.contains("token-canary"), "{asked}");
}

#[tokio::test]
async fn a_proxy_that_refuses_is_an_error_without_effect() {
    let proxy = Peer::start([Act::Raw(b"HTTP/1.1 407 Denied\r\n\r\n".to_vec())]).await;
    let mut settings = settings("https://terdut.invalid");
    settings.max_retries = 0;
    settings.proxy = Some(SecretString::new(format!("127.0.0.1:{}", proxy.port)));
    let error = Client::new(&settings).unwrap().create_team("a".into()).await.unwrap_err();
    assert_eq!(error.effect, terdut_core::error::Effect::None, "{error}");
    assert!(error.said.contains("proxy"), "{error}");
}
