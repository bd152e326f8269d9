//! `/healthz`, `/readyz` and `/metrics`.
//!
//! They are answered by a thread with a runtime of its own, so that busy passes cannot starve a
//! probe. Alive is what the other runtime's heartbeat says; it says nothing of passes, leadership or
//! terdut. Ready is who knows its objects: a standby is ready too.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, StatusCode};
use axum::routing::get;
use tokio::net::TcpListener;

use crate::clock::{Clock, Moment};
use crate::engine::Stores;
use crate::metrics::Metrics;

const BEAT: Duration = Duration::from_secs(1);
/// A runtime that is silent for so long does not come back.
const SILENCE: Duration = Duration::from_secs(20);
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What the three answers are made of; cheap to clone.
#[derive(Debug, Clone)]
pub struct Health {
    clock: Clock,
    last_beat: Arc<AtomicU64>,
    stores: Stores,
    metrics: Metrics,
}

/// The address cannot be served.
#[derive(Debug, thiserror::Error)]
#[error("{address} cannot be listened on")]
pub struct ListenError {
    address: SocketAddr,
    #[source]
    source: std::io::Error,
}

impl Health {
    /// A runtime that has just been alive.
    pub fn new(clock: Clock, stores: Stores, metrics: Metrics) -> Self {
        let health = Self { clock, last_beat: Arc::default(), stores, metrics };
        health.beat();
        health
    }

    /// Beats for ever, on the runtime that is watched.
    pub async fn keep_beating(self) {
        loop {
            self.beat();
            tokio::time::sleep(BEAT).await;
        }
    }

    /// Listens and answers from a thread of its own, for as long as the process runs. Returns the
    /// address that was bound.
    pub fn serve(self, address: SocketAddr) -> Result<SocketAddr, ListenError> {
        let wrong = |source| ListenError { address, source };
        let listener = std::net::TcpListener::bind(address).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        let bound = listener.local_addr().map_err(wrong)?;
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(wrong)?;
        let serve = move || {
            let served = runtime.block_on(async {
                axum::serve(TcpListener::from_std(listener)?, self.routes()).await
            });
            if let Err(error) = served {
                tracing::error!(%error, "health and metrics are no longer served");
            }
        };
        std::thread::Builder::new().name("health".to_owned()).spawn(serve).map_err(wrong)?;
        Ok(bound)
    }

    fn routes(self) -> Router {
        Router::new()
            .route("/healthz", get(alive))
            .route("/readyz", get(ready))
            .route("/metrics", get(metrics))
            .with_state(self)
    }

    fn beat(&self) {
        let nanos = u64::try_from(self.clock.now().after_boot().as_nanos()).unwrap_or(u64::MAX);
        self.last_beat.store(nanos, Ordering::Relaxed);
    }

    fn is_alive(&self) -> bool {
        let nanos = self.last_beat.load(Ordering::Relaxed);
        let beat = Moment::since_boot(Duration::from_nanos(nanos));
        self.clock.now().since(beat) < SILENCE
    }
}

async fn alive(State(health): State<Health>) -> (StatusCode, &'static str) {
    if health.is_alive() {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the runtime is silent\n")
    }
}

async fn ready(State(health): State<Health>) -> (StatusCode, &'static str) {
    if health.stores.are_listed() {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "the custom resources are not listed yet\n")
    }
}

async fn metrics(State(health): State<Health>) -> ([(HeaderName, &'static str); 1], String) {
    health.stores.count(&health.metrics);
    ([(CONTENT_TYPE, OPEN_METRICS)], health.metrics.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_that_falls_silent_is_not_alive() {
        let clock = Clock::manual();
        let health = Health::new(clock.clone(), Stores::new(None), Metrics::new());
        clock.advance(Duration::from_secs(19));
        assert!(health.is_alive());
        clock.advance(Duration::from_secs(1));
        assert!(!health.is_alive());
        health.beat();
        assert!(health.is_alive());
    }

    #[tokio::test]
    async fn ready_and_alive_differ() {
        let health = Health::new(Clock::boot(), Stores::new(None), Metrics::new());
        assert_eq!(alive(State(health.clone())).await.0, StatusCode::OK);
        assert_eq!(ready(State(health.clone())).await.0, StatusCode::SERVICE_UNAVAILABLE);
        let text = metrics(State(health)).await.1;
        assert!(text.contains("terdut_bridge_objects{kind=\"TerdutTeam\",ready=\"True\"} 0"));
    }
}
