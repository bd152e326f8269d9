//! The terdut servers that are spoken to: one [`Link`] each.
//!
//! A link is made from a TerdutServer's own namespace, name and port, never from anything that
//! another object says, so that a key goes only to the server whose key it is. It holds the
//! connections, the lists that its readers share, the claims and the breaker. Used by `access` and
//! the server's controller. It never chooses a key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kube::ResourceExt;
use terdut_client::{Claims, Client, Gate, Observer, Settings as ClientSettings};

use crate::clock::Clock;
use crate::crd::TerdutServer;
use crate::engine::{ObjectKey, Wake};
use crate::settings::{ServerUrl, Settings};

mod breaker;
mod link;
mod pulse;

#[cfg(test)]
mod tests;

pub use breaker::Breaker;
use link::Parts;
pub use link::{Admitted, Down, Link};
use pulse::Pulse;

/// What an absent `networking.servicePort` means.
const DEFAULT_PORT: u16 = 8080;
/// A pass ends after a minute; one request must end well before.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(15);
/// A list that is shared by many waits for nobody long: retries are the passes' own.
const RETRIES: u32 = 1;

/// All links; cheap to clone.
#[derive(Debug, Clone)]
pub struct Servers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    template: ServerUrl,
    concurrency: usize,
    gate: Gate,
    observer: Observer,
    clock: Clock,
    wake: Wake,
    claims: Claims,
    retry: (Duration, Duration),
    links: Mutex<HashMap<String, Link>>,
}

/// Why a server cannot be spoken to at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server's URL cannot be used")]
pub struct NoUrl;

impl Servers {
    /// No links yet.
    pub fn new(
        settings: &Settings,
        gate: Gate,
        observer: Observer,
        clock: Clock,
        wake: Wake,
    ) -> Self {
        Self(Arc::new(Inner {
            template: settings.server_url.clone(),
            concurrency: settings.concurrency,
            gate,
            observer,
            clock,
            wake,
            claims: Claims::default(),
            retry: (settings.retry_base, settings.retry_cap),
            links: Mutex::default(),
        }))
    }

    /// The address of a server.
    pub fn url(&self, server: &TerdutServer) -> String {
        let namespace = server.namespace().unwrap_or_default();
        self.0.template.of(&namespace, &server.name_any(), port(server))
    }

    /// The link to a server; another one when its address has changed.
    pub fn link(&self, server: &TerdutServer) -> Result<Link, NoUrl> {
        let (uid, url) = (server.uid().unwrap_or_default(), self.url(server));
        let mut links = self.0.links.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(link) = links.get(&uid).filter(|link| link.url() == url) {
            return Ok(link.clone());
        }
        let key = ObjectKey::of(server);
        // One that was of this name before is gone.
        links.retain(|_, link| *link.server() != key);
        let link = self.make(key, url)?;
        links.insert(uid, link.clone());
        Ok(link)
    }

    /// Forgets a server that is gone.
    pub fn forget(&self, server: &TerdutServer) {
        let uid = server.uid().unwrap_or_default();
        self.0.links.lock().unwrap_or_else(PoisonError::into_inner).remove(&uid);
    }

    fn make(&self, key: ObjectKey, url: String) -> Result<Link, NoUrl> {
        let inner = &self.0;
        let (base, cap) = inner.retry;
        let breaker = Breaker::new(base, cap);
        let (gate, clock, wake) = (inner.gate.clone(), inner.clock.clone(), inner.wake.clone());
        let pulse = Pulse::new(key.clone(), breaker, gate, clock, wake);
        let settings = ClientSettings {
            gate: Some(inner.gate.clone()),
            observer: Some(pulse.observer(inner.observer.clone())),
            max_retries: RETRIES,
            request_timeout: REQUEST_TIMEOUT,
            // Five kinds are worked on side by side.
            max_concurrency: (inner.concurrency * 4).clamp(1, 100),
            user_agent: concat!("terdut-bridge/", env!("CARGO_PKG_VERSION")).to_owned(),
            ..ClientSettings::new(url.clone())
        };
        let client = Client::new(&settings).map_err(|_| NoUrl)?;
        let claims = inner.claims.clone();
        Ok(Link::new(Parts { server: key, url, client, claims, pulse, clients: Mutex::default() }))
    }
}

fn port(server: &TerdutServer) -> u16 {
    let networking = server.spec.install.networking.as_ref();
    let port = networking.and_then(|networking| networking.service_port);
    let port = port.and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
    port.unwrap_or(DEFAULT_PORT)
}
