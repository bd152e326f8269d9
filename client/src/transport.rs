//! One request → its answer: attempts, retry, rate limit, bounded concurrency, deadlines.
//!
//! Called only by `Client`. It knows HTTP and nothing of what is in a body. Redirects are never
//! followed, cookies never kept; a key goes to the one origin that the client was made for.
//! Dropping the future of a request cancels it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use terdut_core::error::{ApiError, Class, Effect};
use tokio::sync::Semaphore;
use url::Url;

use crate::settings::{Attempt, Gate, Observer, Problems, Settings, headers, proxy, tls};
use crate::wire::Context;
use connect::Connector;
use gated::Gated;
use limit::Limiter;
use lost::Lost;

mod connect;
mod gated;
mod limit;
mod lost;
pub(crate) mod page;
mod retry;

/// The longest body that is read: 10,000 objects are about 3 MB.
const LONGEST_BODY: usize = 64 * 1024 * 1024;

/// A request that is ready to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) url: Url,
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) body: Option<String>,
    pub(crate) departure: &'a Departure,
}

/// Whether a request has left, or may be about to. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Departure(Arc<AtomicBool>);

impl Departure {
    pub(crate) fn has_left(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn leave(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What came back, whatever its status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Whether an attempt before this one may have acted.
    pub(crate) repeated: bool,
}

/// The connections to one server.
#[derive(Debug)]
pub(crate) struct Transport {
    http: HyperClient<Gated<HttpsConnector<Connector>>, Full<Bytes>>,
    gate: Option<Gate>,
    observer: Option<Observer>,
    headers: HeaderMap,
    timeout: Duration,
    retry: retry::Policy,
    limiter: Limiter,
    permits: Semaphore,
}

impl Transport {
    /// Builds the transport; problems are collected, and with any of them it must not be used.
    pub(crate) fn build(
        settings: &Settings,
        server: Option<&Url>,
        problems: &mut Problems,
    ) -> Self {
        let proxy = server.and_then(|server| proxy::choose(settings, server, problems));
        let tunnel = server.is_none_or(|server| server.scheme() == "https");
        let secure =
            tunnel || proxy.as_ref().is_some_and(|proxy| proxy.uri.scheme_str() == Some("https"));
        let tls = tls::build(settings, secure, problems);
        let mut headers = headers::build(settings, problems);
        if let Some(auth) = proxy.as_ref().filter(|_| !tunnel).and_then(|proxy| proxy.auth.clone())
        {
            headers.insert(header::PROXY_AUTHORIZATION, auth);
        }
        let connector = Connector::new(proxy, tunnel, tls.clone(), settings.request_timeout);
        let (connector, gate) = (HttpsConnector::from((connector, tls)), settings.gate.clone());
        let concurrency = settings.max_concurrency.clamp(1, 100);
        let http = HyperClient::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_mins(1))
            .pool_max_idle_per_host(concurrency)
            .build(Gated { connector, gate: gate.clone() });
        Self {
            http,
            gate,
            observer: settings.observer.clone(),
            headers,
            timeout: settings.request_timeout,
            retry: retry::Policy { retries: settings.max_retries, base: settings.retry_base },
            limiter: Limiter::new(settings.requests_per_second),
            permits: Semaphore::new(concurrency),
        }
    }

    /// The pause that repetitions begin with.
    pub(crate) fn retry_base(&self) -> Duration {
        self.retry.base
    }

    /// Sends a request until there is an answer that is not worth another attempt.
    pub(crate) async fn send(&self, outgoing: &Outgoing<'_>) -> Result<Answer, ApiError> {
        // The semaphore is never closed. A request keeps its place until it is answered for good:
        // those behind it must not take the turns that a busy server has. And its turn comes after
        // its permit: whoever had it and then waited would be sent with others at once, or into a
        // pause that was asked for meanwhile.
        let _permit = self.permits.acquire().await;
        let mut attempt = 0;
        let mut may_have_acted = false;
        loop {
            let outcome = self.attempt(outgoing, attempt).await;
            let method = outgoing.context.method;
            let Some(pause) = self.retry.pause(method, &outcome, attempt) else {
                self.heed(&outcome);
                return finish(outgoing, outcome, may_have_acted);
            };
            may_have_acted |= leaves_doubt(&outcome);
            if pause.is_for_all {
                self.limiter.hold(pause.length);
            } else {
                tokio::time::sleep(pause.length).await;
            }
            attempt += 1;
        }
    }

    /// What follows an answer waits as long as it asks for, also where it is not this request
    /// that is sent again: a create is looked up and posted anew.
    fn heed(&self, outcome: &Result<Answer, Lost>) {
        match outcome.as_ref().ok().and_then(retry::asked) {
            Some(asked) if asked > retry::LONGEST_ASKED => self.limiter.shut(retry::LONGEST_ASKED),
            Some(asked) => self.limiter.hold(asked),
            None => {}
        }
    }

    async fn attempt(&self, outgoing: &Outgoing<'_>, attempt: u32) -> Result<Answer, Lost> {
        self.limiter.turn().await;
        if self.limiter.is_shut() {
            return Err(Lost::left_alone());
        }
        gated::pass(self.gate.as_ref()).map_err(Lost::held_back)?;
        outgoing.departure.leave();
        let start = Instant::now();
        let outcome = match tokio::time::timeout(self.timeout, self.exchange(outgoing)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Lost::timed_out(self.timeout)),
        };
        log(outgoing, &outcome, start, attempt);
        self.tell(outgoing, &outcome, start);
        outcome
    }

    fn tell(&self, outgoing: &Outgoing<'_>, outcome: &Result<Answer, Lost>, start: Instant) {
        let Some(observer) = &self.observer else { return };
        let status = match outcome {
            Ok(answer) => Some(answer.status),
            Err(lost) => lost.status,
        };
        observer.tell(&Attempt {
            method: outgoing.context.method.as_str(),
            route: outgoing.context.route,
            status: status.map(|status| status.as_u16()),
            took: start.elapsed(),
        });
    }

    async fn exchange(&self, outgoing: &Outgoing<'_>) -> Result<Answer, Lost> {
        let response =
            self.http.request(self.request(outgoing)?).await.map_err(|e| Lost::request(&e))?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, LONGEST_BODY).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() {
                Lost::too_long(head.status, LONGEST_BODY)
            } else {
                Lost::cut_off(head.status)
            }
        })?;
        Ok(Answer {
            status: head.status,
            headers: head.headers,
            body: body.to_bytes(),
            repeated: false,
        })
    }

    fn request(&self, outgoing: &Outgoing<'_>) -> Result<http::Request<Full<Bytes>>, Lost> {
        let body = Bytes::from(outgoing.body.clone().unwrap_or_default());
        let mut request = http::Request::builder()
            .method(outgoing.context.method.clone())
            .uri(outgoing.url.as_str())
            .body(Full::new(body))
            .map_err(|error| Lost::unsendable(&error))?;
        *request.headers_mut() = self.headers.clone();
        let headers = request.headers_mut();
        if let Some(value) = &outgoing.authorization {
            headers.insert(header::AUTHORIZATION, value.clone());
        }
        if outgoing.body.is_some() {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        Ok(request)
    }
}

impl Answer {
    /// How long the server asks to be left alone, where that is longer than it is waited for.
    pub(crate) fn asks_too_much(&self) -> Option<Duration> {
        retry::asked(self).filter(|asked| *asked > retry::LONGEST_ASKED)
    }
}

/// Whether the server may have acted on an attempt that is repeated.
fn leaves_doubt(outcome: &Result<Answer, Lost>) -> bool {
    match outcome {
        Ok(answer) => answer.status != StatusCode::TOO_MANY_REQUESTS,
        Err(lost) => !lost.is_unsent(),
    }
}

/// An earlier attempt whose answer was lost makes the effect of the whole unknown.
fn finish(
    outgoing: &Outgoing<'_>,
    outcome: Result<Answer, Lost>,
    may_have_acted: bool,
) -> Result<Answer, ApiError> {
    match outcome {
        Ok(answer) => Ok(Answer { repeated: may_have_acted, ..answer }),
        Err(lost) => {
            let doubt = may_have_acted || !lost.is_unsent();
            let effect = if doubt { Effect::Unknown } else { Effect::None };
            Err(outgoing.context.error(lost.class, effect, lost.status, &lost.why))
        }
    }
}

fn log(outgoing: &Outgoing<'_>, outcome: &Result<Answer, Lost>, start: Instant, attempt: u32) {
    let milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (method, route) = (outgoing.context.method, outgoing.context.route);
    match outcome {
        Ok(answer) => tracing::debug!(
            %method, route, status = answer.status.as_u16(), milliseconds, attempt, "answer"
        ),
        Err(lost) => tracing::debug!(
            %method, route, status = lost.status.map(|status| status.as_u16()), milliseconds,
            attempt, why = outgoing.context.secrets.clean(&lost.why), "no answer"
        ),
    }
}

/// Whether a method may be repeated although the server may have acted on it.
fn is_repeatable(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::PUT | Method::DELETE)
}

/// The class of a request that got no usable answer.
fn class_without_answer(status: Option<StatusCode>) -> Class {
    if status.is_some() { Class::Retryable } else { Class::Unreachable }
}
