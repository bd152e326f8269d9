//! The client of one server with one key.
//!
//! Both faces make one and ask it with core's requests. It joins the wire format, the transport
//! and the shared reads; it decides nothing about objects.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use terdut_core::api::{Reply, Request};
use terdut_core::error::{ApiError, Class, Effect};
use terdut_core::secret::SecretString;
use terdut_core::value::ServerUrl;
use url::Url;

use crate::reads::{Clock, Reads, Subject, Wanted};
use crate::said::Secrets;
use crate::settings::{self, Problems, Settings, SettingsError, headers};
use crate::transport::{Answer, Departure, Outgoing, Transport, page};
use crate::wire::{self, Context, WireRequest};

/// More pages than any list has: the server sends us in a circle.
const MOST_PAGES: usize = 1000;

/// A client. Clones share connections, limits and remembered lists.
#[derive(Debug, Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    transport: Arc<Transport>,
    server: ServerUrl,
    token: Option<HeaderValue>,
    secrets: Arc<Secrets>,
    reads: Arc<Reads>,
}

impl Client {
    /// A client made of settings. No request is sent.
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        Self::with_clock(settings, Clock::system())
    }

    /// The same, with the clock that says how old a remembered list is.
    pub fn with_clock(settings: &Settings, clock: Clock) -> Result<Self, SettingsError> {
        let mut problems = Problems::default();
        settings::check_numbers(settings, &mut problems);
        let server = server(&settings.url, &mut problems);
        let token = settings.token.as_ref().map(|token| authorization(token, &mut problems));
        // The other settings are checked even when the URL is of no use.
        let transport =
            Transport::build(settings, server.as_ref().map(ServerUrl::as_url), &mut problems);
        let server = problems.finish(server)?;
        Ok(Self {
            inner: Arc::new(Inner {
                transport: Arc::new(transport),
                server,
                token: token.flatten(),
                secrets: Arc::new(Secrets::of(settings)),
                reads: Reads::new(clock),
            }),
        })
    }

    /// The same server with another key: shared connections and limits, own remembered lists,
    /// since a list shows what its key may see.
    #[must_use]
    pub fn with_token(&self, token: &SecretString) -> Self {
        self.inner.secrets.add(token);
        self.sharing(headers::bearer(token.expose()))
    }

    /// The same server without a key: for health and bootstrap.
    #[must_use]
    pub fn without_token(&self) -> Self {
        self.sharing(None)
    }

    fn sharing(&self, token: Option<HeaderValue>) -> Self {
        Self {
            inner: Arc::new(Inner {
                transport: Arc::clone(&self.inner.transport),
                server: self.inner.server.clone(),
                token,
                secrets: Arc::clone(&self.inner.secrets),
                reads: self.inner.reads.emptied(),
            }),
        }
    }

    /// The server's URL.
    pub fn server(&self) -> &ServerUrl {
        &self.inner.server
    }

    /// Asks the server. A list may be up to 30 seconds old; a write by this client ends that.
    pub async fn call(&self, request: Request) -> Result<Reply, ApiError> {
        self.ask(Wanted::Any, request).await
    }

    /// The same, with a list that is at most a few seconds old.
    pub(crate) async fn call_recent(&self, request: Request) -> Result<Reply, ApiError> {
        self.ask(Wanted::Recent, request).await
    }

    /// Asks the server with a request that has not left yet, for reads that prove something. Those
    /// who ask before it leaves share it.
    pub async fn call_fresh(&self, request: Request) -> Result<Reply, ApiError> {
        self.ask(Wanted::Fresh, request).await
    }

    async fn ask(&self, wanted: Wanted, request: Request) -> Result<Reply, ApiError> {
        let Some(subject) = Subject::read_by(&request) else {
            return self.exchange_now(request).await;
        };
        let key = key(&request);
        self.inner.reads.read(wanted, key, subject, |left| self.exchange(request, left)).await
    }

    /// The pause that repetitions begin with.
    pub(crate) fn retry_base(&self) -> Duration {
        self.inner.transport.retry_base()
    }

    /// Forgets all remembered lists.
    pub fn forget(&self) {
        self.inner.reads.forget();
    }

    /// One answer, whatever its status, for the contract check.
    pub(crate) async fn raw(&self, wire: &WireRequest) -> Result<Answer, ApiError> {
        let inner = &self.inner;
        inner
            .transport
            .send(&Outgoing {
                context: inner.context(wire),
                url: inner.url(wire),
                authorization: inner.token.clone().filter(|_| !wire.keyless),
                body: wire.body.clone(),
                departure: &Departure::default(),
            })
            .await
    }

    /// The error that an answer which is no success stands for.
    pub(crate) fn classify(&self, wire: &WireRequest, answer: &Answer) -> ApiError {
        Inner::refusal(self.inner.context(wire), answer, &self.inner.url(wire))
    }

    /// Masks a secret in all that is said from now on.
    pub(crate) fn hide(&self, secret: &SecretString) {
        self.inner.secrets.add(secret);
    }

    /// A text in the form in which it may be shown: known secrets and control characters removed,
    /// at most 300 characters.
    pub fn clean(&self, text: &str) -> String {
        self.inner.secrets.clean(text)
    }

    async fn exchange_now(&self, request: Request) -> Result<Reply, ApiError> {
        let writing = self.inner.reads.writing(&request);
        let reply = self.exchange(request, Departure::default()).await?;
        writing.answered(&reply);
        Ok(reply)
    }

    fn exchange(
        &self,
        request: Request,
        departure: Departure,
    ) -> impl Future<Output = Result<Reply, ApiError>> + Send + use<> {
        let inner = Arc::clone(&self.inner);
        async move { inner.exchange(&request, &departure).await }
    }
}

impl Inner {
    async fn exchange(&self, request: &Request, departure: &Departure) -> Result<Reply, ApiError> {
        if let Request::SetPassword { password, .. } = request {
            self.secrets.add(password);
        }
        let wire = wire::encode(request);
        let context = self.context(&wire);
        if self.token.is_none() && !wire.keyless {
            let said = "no token is set, and the server answers this only to a key";
            return Err(context.error(Class::Denied, Effect::None, None, said));
        }
        let (status, pages) = match self.pages(context, &wire, departure).await {
            Ok(answer) => answer,
            Err(error) => return wire::absent(request, &error).ok_or(error),
        };
        let reply = wire::read(context, request, status, &pages)?;
        for secret in wire::secrets_of(&reply) {
            self.secrets.add(secret);
        }
        Ok(reply)
    }

    /// The bodies of an answer: one, or all pages of a list.
    async fn pages(
        &self,
        context: Context<'_>,
        wire: &WireRequest,
        departure: &Departure,
    ) -> Result<(StatusCode, Vec<Bytes>), ApiError> {
        let mut url = self.url(wire);
        let mut pages = Vec::new();
        loop {
            let answer = self.answer(context, wire, url.clone(), departure).await?;
            let next = if wire.list { page::next(&answer.headers, &url) } else { Ok(None) };
            pages.push(answer.body);
            let broken =
                |said: &str| context.error(Class::Invalid, Effect::None, Some(answer.status), said);
            match next.map_err(|error| broken(&error.to_string()))? {
                None => return Ok((answer.status, pages)),
                Some(_) if pages.len() == MOST_PAGES => {
                    return Err(broken("the list has more than 1000 pages"));
                }
                Some(next) => url = next,
            }
        }
    }

    /// One answer with a status of success.
    async fn answer(
        &self,
        context: Context<'_>,
        wire: &WireRequest,
        url: Url,
        departure: &Departure,
    ) -> Result<Answer, ApiError> {
        // A key never goes where none is needed.
        let authorization = self.token.clone().filter(|_| !wire.keyless);
        let body = wire.body.clone();
        let outgoing = Outgoing { context, url: url.clone(), authorization, body, departure };
        let answer = self.transport.send(&outgoing).await?;
        if answer.status.is_success() {
            return Ok(answer);
        }
        let error = Self::refusal(context, &answer, &url);
        Err(if answer.repeated { context.in_doubt(error) } else { error })
    }

    fn refusal(context: Context<'_>, answer: &Answer, url: &Url) -> ApiError {
        if answer.status.is_redirection() {
            return wire::redirected(context, answer.status, &answer.headers, url);
        }
        let error = wire::classify(context, answer.status, &answer.body);
        match answer.asks_too_much() {
            Some(asked) => {
                let said = context.secrets.clean(&too_long(asked, &error.said));
                ApiError { said, ..error }
            }
            None => error,
        }
    }

    fn context<'a>(&'a self, wire: &'a WireRequest) -> Context<'a> {
        Context { method: &wire.method, route: wire.route, secrets: &self.secrets }
    }

    fn url(&self, wire: &WireRequest) -> Url {
        let mut url = self.server.as_url().clone();
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}{}", wire.path));
        url.set_query(wire.query);
        if let Some(name) = &wire.name {
            url.query_pairs_mut().append_pair("name", name);
        }
        url
    }
}

/// Lists of one key are told apart by path and name.
fn key(request: &Request) -> String {
    let WireRequest { path, name, .. } = wire::encode(request);
    match name {
        Some(name) => format!("{path}?{name}"),
        None => path,
    }
}

fn server(text: &str, problems: &mut Problems) -> Option<ServerUrl> {
    let parsed = text.parse::<ServerUrl>();
    parsed.map_err(|error| problems.add("url", error.to_string())).ok()
}

fn authorization(token: &SecretString, problems: &mut Problems) -> Option<HeaderValue> {
    let text = token.expose().trim();
    if text.is_empty() {
        problems.add("token", "is empty");
        return None;
    }
    let value = headers::bearer(text);
    if value.is_none() {
        problems.add("token", "has characters that a header cannot hold");
    }
    value
}

/// What is said of a pause that the server asks for, and that is too long to be waited for.
fn too_long(asked: Duration, said: &str) -> String {
    let (seconds, colon) = (asked.as_secs(), if said.is_empty() { "" } else { ": " });
    format!("it asks for a pause of {seconds} seconds, too long to wait for{colon}{said}")
}
