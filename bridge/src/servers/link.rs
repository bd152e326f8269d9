//! The way to one server.
//!
//! A [`Caller`] can be had only with an [`Admitted`], which the breaker gives, and a team's only
//! with core's [`Permit`] for this very server besides. Callers of one key share their lists.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use terdut_client::{Caller, Claims, Client, Gate};
use terdut_core::consent::Permit;
use terdut_core::error::{ApiError, Class};
use terdut_core::secret::SecretString;

use super::Breaker;
use crate::clock::Clock;
use crate::engine::{Next, RetryWhy, Wake};
use crate::status::{Reason, State};

/// The way to one server; cheap to clone.
#[derive(Debug, Clone)]
pub struct Link(Arc<Inner>);

/// What a link is made of.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) url: String,
    pub(super) client: Client,
    pub(super) claims: Claims,
    pub(super) breaker: Breaker,
    pub(super) gate: Gate,
    pub(super) clock: Clock,
    pub(super) wake: Wake,
}

#[derive(Debug)]
struct Inner {
    parts: Parts,
    breaker: Mutex<Breaker>,
    /// One client for each key, so that all who read with it share its lists.
    clients: Mutex<HashMap<Whose, (SecretString, Client)>>,
}

/// Whose key it is: a new key takes the old one's place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Whose {
    Instance,
    Team(String),
}

/// The breaker lets this pass ask the server.
#[derive(Debug)]
pub struct Admitted(());

/// The server does not answer, and it is not this pass's turn to find out whether it does again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Down {
    /// When it may be asked again, at the earliest.
    pub after: Duration,
}

impl Down {
    /// What a condition says.
    pub fn state(self) -> State {
        State::no(
            Reason::Unreachable,
            "The server does not answer. It is asked again, later each time; objects follow as \
             soon as it is back.",
        )
    }

    /// When the pass is made again.
    pub const fn next(self) -> Next {
        Next::Retry(RetryWhy { class: Class::Unreachable, after: Some(self.after) })
    }
}

impl Link {
    pub(super) fn new(parts: Parts) -> Self {
        let breaker = Mutex::new(parts.breaker.clone());
        Self(Arc::new(Inner { parts, breaker, clients: Mutex::default() }))
    }

    /// The server's address.
    pub fn url(&self) -> &str {
        &self.0.parts.url
    }

    /// The names that are just being made.
    pub fn claims(&self) -> &Claims {
        &self.0.parts.claims
    }

    /// Whether this pass may ask the server.
    pub fn admit(&self) -> Result<Admitted, Down> {
        let now = self.0.parts.clock.now();
        self.breaker().admit(now).map(|()| Admitted(())).map_err(|after| Down { after })
    }

    /// The server answered something. If it did not before, its objects are woken.
    pub fn answered(&self) {
        let is_back = self.breaker().answered();
        if is_back {
            let parts = &self.0.parts;
            tracing::info!(server = %parts.url, "the server answers again");
            parts.wake.all_of_server(&parts.namespace, &parts.name);
        }
    }

    /// A request failed. Only silence counts, and not our own: a replica that may not act asked
    /// nothing.
    pub fn failed(&self, error: &ApiError) {
        let parts = &self.0.parts;
        match error.class {
            Class::Unreachable if parts.gate.is_open() => {
                let now = parts.clock.now();
                self.breaker().failed(now, rand::random_range(0.0..=1.0));
            }
            Class::Unreachable => {}
            _ if error.status.is_some() => self.answered(),
            _ => {}
        }
    }

    /// A caller without a key, for health and bootstrap.
    pub fn keyless(&self, _: &Admitted) -> Caller {
        Caller::unstoppable(self.0.parts.client.without_token())
    }

    /// A caller with the server's own instance key.
    pub fn instance_caller(&self, _: &Admitted, token: &SecretString) -> Caller {
        self.caller(Whose::Instance, token)
    }

    /// A caller with a team's key. The permit is the leave to use this server now.
    pub fn team_caller(
        &self,
        _: &Admitted,
        permit: &Permit,
        team: &str,
        token: &SecretString,
    ) -> Result<Caller, Down> {
        let (parts, server) = (&self.0.parts, permit.server());
        if server.namespace != parts.namespace || server.name != parts.name {
            return Err(Down { after: Duration::ZERO });
        }
        Ok(self.caller(Whose::Team(team.to_owned()), token))
    }

    /// Forgets all remembered lists: a person asked for a look at what is really there.
    pub fn forget_lists(&self) {
        self.clients().values().for_each(|(_, client)| client.forget());
    }

    fn caller(&self, whose: Whose, token: &SecretString) -> Caller {
        let mut clients = self.clients();
        let known = clients.get(&whose).filter(|(known, _)| known == token);
        if let Some((_, client)) = known {
            return Caller::unstoppable(client.clone());
        }
        let client = self.0.parts.client.with_token(token);
        clients.insert(whose, (token.clone(), client.clone()));
        Caller::unstoppable(client)
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.0.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<Whose, (SecretString, Client)>> {
        self.0.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
