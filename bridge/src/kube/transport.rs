//! What every request to the Kubernetes API passes through: the fence, a time limit, counting.
//!
//! Made once by [`Kube`](super::Kube). The limit is for the head of an answer; a body is limited
//! by the read timeout and by whoever waits for it. Watches have no limit here: the watcher has
//! its own. It retries nothing.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http::{Request, Response};
use kube::client::{Body, ClientBuilder};
use kube::{Client, Config};
use tower::{BoxError, Layer, Service};

use super::KubeError;
use crate::fence::Fence;
use crate::metrics::Metrics;

/// How long the API server may take to begin an answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);
/// How long a connection may be silent. Bookmarks come about once a minute on a quiet watch.
const SILENCE_LIMIT: Duration = Duration::from_secs(100);
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// A client whose requests pass the fence, if there is one.
pub(super) fn client(
    mut config: Config,
    fence: Option<Fence>,
    metrics: &Metrics,
) -> Result<Client, KubeError> {
    config.default_retry = false;
    config.connect_timeout = Some(CONNECT_LIMIT);
    config.read_timeout = Some(SILENCE_LIMIT);
    config.reset_reader_on_write = true;
    let host = config.cluster_url.authority().map(ToString::to_string).unwrap_or_default();
    let guard = Guard { fence, metrics: metrics.clone(), host };
    let builder = ClientBuilder::try_from(config)
        .map_err(KubeError::doing("connect to", "the Kubernetes API"))?;
    Ok(builder.with_layer(&guard).build())
}

#[derive(Debug, Clone)]
struct Guard {
    fence: Option<Fence>,
    metrics: Metrics,
    host: String,
}

impl<S> Layer<S> for Guard {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded { inner, guard: self.clone() }
    }
}

struct Guarded<S> {
    inner: S,
    guard: Guard,
}

/// A request that was never sent, or that was given up.
#[derive(Debug, thiserror::Error)]
enum NotAnswered {
    #[error("not sent: this replica is no longer the leader")]
    NotOurs,
    #[error("given up: this replica is no longer the leader")]
    Lost,
    #[error("no answer within {ANSWER_LIMIT:?}")]
    TooSlow,
}

impl<S, B> Service<Request<Body>> for Guarded<S>
where
    S: Service<Request<Body>, Response = Response<B>, Error = BoxError>,
    S::Future: Send + 'static,
    B: 'static,
{
    type Response = Response<B>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response<B>, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let guard = self.guard.clone();
        let term = guard.term();
        if guard.is_closed(term) {
            return Box::pin(async { Err(NotAnswered::NotOurs.into()) });
        }
        let method = request.method().clone();
        let limit = if is_watch(&request) { Duration::MAX } else { ANSWER_LIMIT };
        let answer = self.inner.call(request);
        Box::pin(async move {
            let started = Instant::now();
            let outcome = guard.wait(answer, term, limit).await;
            let code = match &outcome {
                Ok(response) => response.status().as_str().to_owned(),
                Err(_) => "<error>".to_owned(),
            };
            guard.metrics.kubernetes_request(
                method.as_str(),
                &guard.host,
                &code,
                started.elapsed(),
            );
            outcome
        })
    }
}

impl Guard {
    fn term(&self) -> u64 {
        self.fence.as_ref().map_or(0, Fence::term)
    }

    fn is_closed(&self, term: u64) -> bool {
        self.fence.as_ref().is_some_and(|fence| !fence.holds(term))
    }

    async fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, BoxError>>,
        term: u64,
        limit: Duration,
    ) -> Result<T, BoxError> {
        let lost = async {
            match &self.fence {
                Some(fence) => fence.lost(term).await,
                None => std::future::pending().await,
            }
        };
        let mut answer = std::pin::pin!(answer);
        // Asked at each step: while a connection is being made the request has not left yet, and
        // after a suspend the timer of `lost` is late.
        let fenced = std::future::poll_fn(|context| {
            if self.is_closed(term) {
                return Poll::Ready(Err(NotAnswered::Lost.into()));
            }
            answer.as_mut().poll(context)
        });
        tokio::select! {
            biased;
            () = lost => Err(NotAnswered::Lost.into()),
            outcome = fenced => outcome,
            () = tokio::time::sleep(limit) => Err(NotAnswered::TooSlow.into()),
        }
    }
}

fn is_watch<B>(request: &Request<B>) -> bool {
    let query = request.uri().query().unwrap_or_default();
    query.split('&').any(|pair| pair == "watch=true" || pair == "watch=1")
}

#[cfg(test)]
mod tests;
