//! The way to one server.
//!
//! A [`Caller`] can be had only with an [`Admitted`], which the breaker gives, and a team's only
//! with core's [`Permit`] for this very server besides. Callers of one key share their lists.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use terdut_client::{Caller, Claims, Client};
use terdut_core::consent::Permit;
use terdut_core::error::Class;
use terdut_core::secret::SecretString;

use super::pulse::Pulse;
use crate::crd::TerdutServer;
use crate::engine::{KindKey, Next, ObjectKey, RetryWhy};
use crate::status::{Reason, State};

/// The way to one server; cheap to clone.
#[derive(Debug, Clone)]
pub struct Link(Arc<Parts>);

/// What a link is made of.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) server: ObjectKey,
    pub(super) url: String,
    pub(super) client: Client,
    pub(super) claims: Claims,
    pub(super) pulse: Pulse,
    /// One client for each key, so that all who read with it share its lists.
    pub(super) clients: Mutex<HashMap<Whose, (SecretString, Client)>>,
}

/// Whose key it is: a new key takes the old one's place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    Instance,
    /// By the UID of the TerdutTeam.
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
        Self(Arc::new(parts))
    }

    /// The server.
    pub(super) fn server(&self) -> &ObjectKey {
        &self.0.server
    }

    /// The server's address.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// The names that are just being made.
    pub fn claims(&self) -> &Claims {
        &self.0.claims
    }

    /// Whether a pass over the server itself may ask it.
    pub fn admit(&self) -> Result<Admitted, Down> {
        self.admit_of(KindKey::new::<TerdutServer>(self.0.server.clone()))
    }

    /// Whether a pass over that object may ask the server. If not, it is woken as soon as the
    /// server answers.
    pub fn admit_of(&self, asker: KindKey) -> Result<Admitted, Down> {
        let probes = self.0.pulse.admit(asker).map_err(|after| Down { after })?;
        if probes {
            // Others wait for what becomes of it: it must ask, and not read what is remembered.
            self.forget_lists();
        }
        Ok(Admitted(()))
    }

    /// A caller without a key, for health and bootstrap.
    pub fn keyless(&self, _: &Admitted) -> Caller {
        Caller::unstoppable(self.0.client.without_token())
    }

    /// A caller with the server's own instance key.
    pub fn instance_caller(&self, _: &Admitted, token: &SecretString) -> Caller {
        self.caller(Whose::Instance, token)
    }

    /// A caller with a team's key. The permit is the leave to use this server now; `team` is the
    /// UID of the TerdutTeam.
    pub fn team_caller(
        &self,
        _: &Admitted,
        permit: &Permit,
        team: &str,
        token: &SecretString,
    ) -> Result<Caller, Down> {
        let (own, allowed) = (&self.0.server, permit.server());
        if *own.namespace != *allowed.namespace || *own.name != *allowed.name {
            return Err(Down { after: Duration::ZERO });
        }
        Ok(self.caller(Whose::Team(team.to_owned()), token))
    }

    /// Forgets all remembered lists: a person asked for a look at what is really there.
    pub fn forget_lists(&self) {
        self.clients().values().for_each(|(_, client)| client.forget());
    }

    /// Forgets the key of a team that is gone.
    pub fn forget_team(&self, team: &str) {
        self.clients().remove(&Whose::Team(team.to_owned()));
    }

    fn caller(&self, whose: Whose, token: &SecretString) -> Caller {
        let mut clients = self.clients();
        let known = clients.get(&whose).filter(|(known, _)| known == token);
        if let Some((_, client)) = known {
            return Caller::unstoppable(client.clone());
        }
        let client = self.0.client.with_token(token);
        clients.insert(whose, (token.clone(), client.clone()));
        Caller::unstoppable(client)
    }

    fn clients(&self) -> MutexGuard<'_, HashMap<Whose, (SecretString, Client)>> {
        self.0.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
