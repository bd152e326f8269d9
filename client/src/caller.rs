//! A client whose waits end when the work is stopped.
//!
//! The executors call the server through it. A stop (Terraform's first interrupt) ends reads and
//! pauses at once; a write that has left gets a moment to be answered, because what its answer
//! says is worth more than the moment: without it an object could be left that nobody knows of.
//! After a stop nothing new is sent.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Either, Shared, select};
use http::Method;
use terdut_core::api::{Reply, Request};
use terdut_core::error::{ApiError, Class, Effect};
use terdut_core::secret::SecretString;
use tokio::time::{Instant, timeout_at};

use crate::client::Client;
use crate::wire;

/// How long a write that has left may still be answered after a stop. What is needed to know what
/// came of it has as long again: whoever has interrupted the work does not wait for much more.
const GRACE: Duration = Duration::from_secs(2);

/// A client that heeds a stop.
#[derive(Clone)]
pub struct Caller {
    client: Client,
    /// Ready, with the moment, when the work is stopped.
    stop: Shared<BoxFuture<'static, Instant>>,
    grace: Duration,
}

impl fmt::Debug for Caller {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Caller").field("client", &self.client).finish_non_exhaustive()
    }
}

impl Caller {
    /// A caller that stops when `stop` is ready.
    pub fn new(client: Client, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        let stop = stop.map(|()| Instant::now()).boxed().shared();
        Self { client, stop, grace: GRACE }
    }

    /// A caller that nothing stops but the dropping of its futures.
    pub fn unstoppable(client: Client) -> Self {
        Self::new(client, std::future::pending())
    }

    /// The same with another moment for writes that have left.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// The client it calls with.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The same stop, with another key.
    #[must_use]
    pub fn with_key(&self, key: Option<&SecretString>) -> Self {
        let client = match key {
            Some(key) => self.client.with_token(key),
            None => self.client.without_token(),
        };
        Self { client, ..self.clone() }
    }

    /// Asks the server; lists may be remembered ones.
    pub async fn call(&self, request: Request) -> Result<Reply, ApiError> {
        self.heeding(&request, self.client.call(request.clone())).await
    }

    /// The same with a list that is hardly older than this call.
    pub(crate) async fn call_recent(&self, request: Request) -> Result<Reply, ApiError> {
        self.heeding(&request, self.client.call_recent(request.clone())).await
    }

    /// Asks the server past the remembered lists.
    pub async fn call_fresh(&self, request: Request) -> Result<Reply, ApiError> {
        self.heeding(&request, self.client.call_fresh(request.clone())).await
    }

    /// Asks, past the remembered lists, what is needed to end well what has begun: a stop leaves
    /// it a moment, even one that came before.
    pub async fn call_closing(&self, request: Request) -> Result<Reply, ApiError> {
        let call = Box::pin(self.client.call_fresh(request.clone()));
        match select(self.stop.clone(), call).await {
            Either::Right((outcome, _)) => outcome,
            Either::Left((since, underway)) => {
                self.leave_a_moment(&request, since + self.grace * 2, underway).await
            }
        }
    }

    /// The error of a request that was not sent because the work was stopped.
    pub(crate) fn stopped(request: &Request) -> ApiError {
        stopped(request, Effect::None)
    }

    /// Whether the work is stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.peek().is_some() || self.stop.clone().now_or_never().is_some()
    }

    /// A wait that a stop ends; `None` when it did.
    pub async fn wait<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        match select(self.stop.clone(), Box::pin(work)).await {
            Either::Left(_) => None,
            Either::Right((done, _)) => Some(done),
        }
    }

    async fn heeding(
        &self,
        request: &Request,
        call: impl Future<Output = Result<Reply, ApiError>>,
    ) -> Result<Reply, ApiError> {
        if self.is_stopped() {
            return Err(stopped(request, Effect::None));
        }
        let call = Box::pin(call);
        let (since, underway) = match select(self.stop.clone(), call).await {
            Either::Right((outcome, _)) => return outcome,
            Either::Left(stopped) => stopped,
        };
        if is_read(request) {
            return Err(stopped(request, Effect::None));
        }
        self.leave_a_moment(request, since + self.grace, underway).await
    }

    async fn leave_a_moment(
        &self,
        request: &Request,
        until: Instant,
        underway: impl Future<Output = Result<Reply, ApiError>>,
    ) -> Result<Reply, ApiError> {
        match timeout_at(until, underway).await {
            Ok(outcome) => outcome,
            Err(_) if is_read(request) => Err(stopped(request, Effect::None)),
            Err(_) => Err(stopped(request, Effect::Unknown)),
        }
    }
}

/// Whether a request changes nothing.
pub(crate) fn is_read(request: &Request) -> bool {
    wire::encode(request).method == Method::GET
}

fn stopped(request: &Request, effect: Effect) -> ApiError {
    let wire = wire::encode(request);
    let said = match effect {
        Effect::None => "not asked: the work was stopped",
        Effect::Unknown => "the work was stopped before the answer came",
    };
    ApiError {
        class: Class::Unreachable,
        effect,
        method: wire::method_name(&wire.method),
        route: wire.route,
        status: None,
        own_word: false,
        said: said.to_owned(),
    }
}
