//! Sending a test alert, looking for it, and resolving it.
//!
//! An alert may be sent again, other than what makes an object: it is known by its fingerprint, so
//! a second one changes nothing. Called by the action alone.

use std::time::Duration;

use terdut_client::{Caller, Webhook, secrets_of};
use terdut_core::api::{Reply, Request};
use terdut_core::error::{ApiError, Class, Effect};
use terdut_core::test_alert::{TestAlert, rfc3339};
use terdut_plugin::action::Progress;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::resource::Context;
use tokio::time::{Instant, sleep, timeout_at};

use super::configuration::Wanted;
use super::id_and_now;
use crate::context::{ProviderData, caller_with};
use crate::timeouts::Limit;

/// The first pause before something is tried again; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// What resolving has at least, whatever the rest took.
const TO_RESOLVE: Duration = Duration::from_secs(10);

/// One test alert on its way.
pub(super) struct Work<'a> {
    context: &'a Context<ProviderData>,
    webhook: Webhook,
    alert: TestAlert,
    progress: &'a Progress,
    limit: Limit,
    deadline: Instant,
}

/// How a look for the alert ended.
enum Look {
    /// It fires; the incident, if it has one.
    Fires(Option<i64>),
    /// Nobody may say, and why.
    Unseen(String),
    /// It did not come up in time; what the last answer was.
    Missing(Option<ApiError>),
    /// Nobody waits for it any more.
    Stopped,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        context: &'a Context<ProviderData>,
        wanted: &Wanted,
        alert: TestAlert,
        progress: &'a Progress,
    ) -> Result<Self, Diagnostics> {
        for secret in secrets_of(&wanted.url) {
            context.data().hide(secret.expose());
        }
        let webhook = context.data().webhook(&wanted.url)?;
        let (limit, deadline) = (Limit::of_action(wanted.timeout), Instant::now() + wanted.timeout);
        Ok(Self { context, webhook, alert, progress, limit, deadline })
    }

    /// All of it: what was begun is also ended.
    pub(super) async fn run(&self, wanted: &Wanted, diagnostics: &mut Diagnostics) {
        let (id, origin) = (&self.alert.id, wanted.url.origin());
        self.progress.say(format!("Sending test alert {id} to {origin}")).await;
        match self.send(None, self.deadline).await {
            Ok(()) => {
                self.progress.say("Accepted by the server").await;
                self.look(wanted, diagnostics).await;
            }
            Err(error) => {
                diagnostics.push(self.refused(&error));
                if error.effect == Effect::None {
                    return;
                }
            }
        }
        // Also where the answer was lost: it may have arrived all the same.
        if wanted.resolve {
            self.resolve(diagnostics).await;
        }
    }

    /// Sends it until it is accepted, refused, or the time is over.
    async fn send(&self, ended: Option<&str>, deadline: Instant) -> Result<(), ApiError> {
        let (mut pause, mut doubt) = (PAUSE, Effect::None);
        loop {
            let sent = tokio::select! {
                sent = timeout_at(deadline, self.webhook.send(&self.alert, ended)) => sent,
                // What was begun before a wish to stop is still ended.
                () = self.context.stop().cancelled(), if ended.is_none() => return Err(stopped()),
            };
            let Ok(sent) = sent else { return Err(too_late()) };
            let Err(error) = sent else { return Ok(()) };
            if error.effect == Effect::Unknown {
                doubt = Effect::Unknown;
            }
            let again = matches!(error.class, Class::Retryable | Class::Unreachable);
            let stopped = ended.is_none() && self.context.stop().is_cancelled();
            if !again || stopped || Instant::now() + pause > deadline {
                return Err(ApiError { effect: doubt, ..error });
            }
            self.progress.say(format!("Not accepted yet, trying again: {error}")).await;
            self.pause(&mut pause, ended.is_none()).await;
        }
    }

    /// Waits, and longer the next time; a wish to stop ends it.
    async fn pause(&self, pause: &mut Duration, heed: bool) {
        tokio::select! {
            () = sleep(*pause) => {}
            () = self.context.stop().cancelled(), if heed => {}
        }
        *pause = (*pause * 2).min(LONGEST_PAUSE);
    }

    async fn look(&self, wanted: &Wanted, diagnostics: &mut Diagnostics) {
        let seen = match self.reader(wanted) {
            Ok(caller) => self.seen(&caller).await,
            Err(why) => Look::Unseen(why),
        };
        match seen {
            Look::Fires(Some(incident)) => {
                self.progress.say(format!("Fires on the server, as incident {incident}")).await;
            }
            Look::Fires(None) => self.progress.say("Fires on the server").await,
            Look::Unseen(why) => {
                self.progress.say(format!("Not looked for on the server: {why}")).await;
            }
            Look::Missing(error) => diagnostics.push(self.missing(error.as_ref())),
            Look::Stopped => diagnostics.push(self.unwatched()),
        }
    }

    /// Who reads alerts on the webhook's server, or why nobody does.
    fn reader(&self, wanted: &Wanted) -> Result<Caller, String> {
        let client = self.context.data().client();
        let client = client.map_err(|_| "the provider has no url and token".to_owned())?;
        if client.server().origin() != wanted.url.origin() {
            return Err("the webhook is of another server than the provider's url".to_owned());
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        Ok(caller_with(self.context, client.clone(), Limit::of_action(left)))
    }

    async fn seen(&self, caller: &Caller) -> Look {
        let mut pause = PAUSE;
        loop {
            let last = match caller.call_fresh(Request::ListFiring).await {
                Ok(Reply::Alerts(alerts)) => match alerts.iter().find(|one| self.alert.is(one)) {
                    Some(alert) => return Look::Fires(alert.incident),
                    None => None,
                },
                Ok(_) => None,
                Err(error) if is_final(&error) => return Look::Unseen(error.to_string()),
                Err(error) => Some(error),
            };
            if self.context.stop().is_cancelled() {
                return Look::Stopped;
            }
            if caller.is_stopped() || Instant::now() + pause > self.deadline {
                return Look::Missing(last);
            }
            self.pause(&mut pause, true).await;
        }
    }

    async fn resolve(&self, diagnostics: &mut Diagnostics) {
        let (deadline, now) = (self.deadline.max(Instant::now() + TO_RESOLVE), id_and_now().1);
        match self.send(Some(&rfc3339(now)), deadline).await {
            Ok(()) => self.progress.say("Resolved").await,
            Err(error) => diagnostics.error(
                "The test alert was not resolved",
                format!(
                    "The test alert {} may still fire and page people: {error}. Resolve or \
                     acknowledge it by hand.",
                    self.alert.id
                ),
            ),
        }
    }

    fn refused(&self, error: &ApiError) -> Diagnostic {
        let hint = match error.class {
            Class::Denied | Class::NotFound | Class::TooOld => {
                "Check that webhook_url is of an alert source that is there: its key is renewed \
                 when the source is replaced."
            }
            Class::Retryable | Class::Unreachable if self.context.stop().is_cancelled() => {
                "It is not tried again, since the work was stopped."
            }
            Class::Retryable | Class::Unreachable => {
                "Check the network, the proxy and the certificates, or set a longer timeout."
            }
            Class::Invalid | Class::Conflict => {
                "Check that webhook_url is a terdut server's, and the labels."
            }
        };
        Diagnostic::error(
            "The test alert was not accepted",
            format!("Sending test alert {}: {error}. {hint}", self.alert.id),
        )
    }

    fn unwatched(&self) -> Diagnostic {
        Diagnostic::error(
            "The wait was stopped",
            format!(
                "The server accepted test alert {}, and was not seen to let it fire before the \
                 work was stopped. Look for it among the server's alerts.",
                self.alert.id
            ),
        )
    }

    fn missing(&self, error: Option<&ApiError>) -> Diagnostic {
        let last = error.map(|error| format!(" The last answer: {error}.")).unwrap_or_default();
        let (id, limit) = (&self.alert.id, self.limit);
        Diagnostic::error(
            "The test alert did not come up",
            format!(
                "The server accepted test alert {id}, and within {limit} it was not among the \
                 alerts that fire.{last} Look at the server's log, or set a longer timeout."
            ),
        )
    }
}

/// Whether asking again can change nothing: the key may not read alerts, or the server cannot tell.
fn is_final(error: &ApiError) -> bool {
    matches!(error.class, Class::Denied | Class::TooOld | Class::NotFound | Class::Invalid)
}

fn stopped() -> ApiError {
    unanswered("the work was stopped")
}

fn too_late() -> ApiError {
    unanswered("no answer before the time was over")
}

/// The alert may have arrived: what was sent is not called back.
fn unanswered(said: &str) -> ApiError {
    ApiError {
        class: Class::Unreachable,
        effect: Effect::Unknown,
        method: "POST",
        route: "/api/integrations/{key}/alertmanager",
        status: None,
        own_word: false,
        said: said.to_owned(),
    }
}
