//! What the logs show at their most talkative, the HTTP and TLS libraries' lines included.
//!
//! A process of its own: whether a line is logged is remembered for the whole process, and tests
//! beside this one that log to nobody would have it remembered as not wanted.

#![expect(clippy::unwrap_used, reason = "a test may fail by panicking")]

#[path = "client/peer.rs"]
#[expect(dead_code, reason = "this test needs little of the peer")]
mod peer;

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use terdut_client::{Client, Settings};
use terdut_core::ids::{TeamId, UserId};
use terdut_core::secret::SecretString;
use tracing_subscriber::fmt::MakeWriter;

use peer::{Peer, json};

#[derive(Debug, Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn logs_show_route_status_and_attempt_but_no_secret() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(lines.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);

    let made =
        r#"{"id":1,"kind":"alertmanager","name":"n","key":"key-canary","url":"/key-canary"}"#;
    let peer = Peer::start([json(503, ""), json(204, ""), json(201, made)]).await;
    let mut settings = Settings::new(peer.url()).with_token("token-canary".to_owned());
    settings.retry_base = Duration::from_millis(1);
    settings.headers.insert("x-secret".into(), SecretString::new("header-canary"));
    let client = Client::new(&settings).unwrap();
    client.set_password(UserId(3), SecretString::new("password-canary")).await.unwrap();
    client.create_integration(TeamId(9), "alertmanager".into(), "n".into()).await.unwrap();

    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(!text.contains("canary"), "{text}");
    let answers: Vec<&str> = text.lines().filter(|line| line.contains("answer")).collect();
    assert_eq!(answers.len(), 3, "{text}");
    assert!(answers[0].contains("method=PUT route=\"/api/users/{id}/password\" status=503"));
    assert!(answers[1].contains("attempt=1") && answers[2].contains("status=201"), "{answers:?}");
}
