//! A webhook: what it sends along is in nothing that it says.

use std::collections::BTreeMap;

use terdut_client::{Settings, Webhook};
use terdut_core::secret::SecretString;
use terdut_core::test_alert::TestAlert;

use crate::peer::{Peer, json};
use crate::settings;

/// Sends a test alert to a URL; gives what is said of the refusal.
async fn refusal(settings: &Settings, url: &str) -> String {
    let webhook = Webhook::new(settings, url.parse().unwrap()).unwrap();
    let alert = TestAlert::new(1, 0, BTreeMap::new(), BTreeMap::new());
    webhook.send(&alert, None).await.unwrap_err().said
}

#[tokio::test]
async fn an_answer_that_repeats_the_headers_brings_none_into_a_message() {
    let said = "X-Access: Bearer header-canary-1, X-Other: header-canary-2 of token-canary";
    let peer = Peer::start([json(400, &format!("{{\"error\":\"{said}\"}}"))]).await;
    let mut settings = settings(&peer.url());
    for (name, value) in [("X-Access", "Bearer header-canary-1"), ("X-Other", "header-canary-2")] {
        settings.headers.insert(name.to_owned(), SecretString::new(value));
    }
    let said = refusal(&settings, &format!("{}/api/integrations/k/alertmanager", peer.url())).await;
    assert_eq!(said, "X-Access: ***, X-Other: *** of ***");
    assert!(peer.log()[0].contains("header-canary-2"), "it is sent");
}

#[tokio::test]
async fn a_proxy_that_repeats_its_password_brings_it_into_no_message() {
    let body = "{\"error\":\"no: Basic bWU6cEBzcyt3b3Jk p@ss+word p%40ss%2Bword\"}";
    let proxy = Peer::start([json(403, body)]).await;
    let mut settings = settings("http://terdut.invalid");
    let url = format!("http://me:p%40ss%2Bword@127.0.0.1:{}", proxy.port);
    settings.proxy = Some(SecretString::new(url));
    let said = refusal(&settings, "http://terdut.invalid/api/integrations/k/alertmanager").await;
    assert_eq!(said, "no: Basic *** *** ***");
    assert!(proxy.log()[0].contains("Basic bWU6cEBzcyt3b3Jk"), "it is sent");
}
