//! The records of a server: its instance key, and the checkpoint of the one bootstrap.

use super::attempt::Attempt;
use super::data::{self, Data};
use super::held::Held;
use super::names::account_name;
use crate::api::AccountScope;
use crate::credential::{AdminKey, Facts, FirstPerson, Order};
use crate::ids::{KeyId, UserId};
use crate::secret::SecretString;

/// The instance key of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceRecord {
    /// The UID of the `TerdutServer`.
    pub owner_uid: String,
    /// The UID that our accounts on the server are named after: the first owner's, also after a
    /// retained server was taken up by another of its name.
    pub server_uid: String,
    /// Whether its owner was deleted and it was kept for the next one of that name.
    pub retained: bool,
    /// The account and its key.
    pub held: Held,
}

impl InstanceRecord {
    /// The record of a server on which nothing is held yet.
    pub fn new(owner_uid: &str) -> Self {
        let (owner_uid, server_uid) = (owner_uid.to_owned(), owner_uid.to_owned());
        Self { owner_uid, server_uid, retained: false, held: Held::default() }
    }

    /// Reads a Secret. `None`: it is no record of a server.
    pub fn parse(data: &Data) -> Option<Self> {
        Some(Self {
            owner_uid: data::text(data, "owner-uid")?,
            server_uid: data::text(data, "server-uid")?,
            retained: data::flag(data, "retained"),
            held: Held::parse(data),
        })
    }

    /// The Secret's data.
    pub fn data(&self) -> Data {
        let mut data = Data::new();
        data::put(&mut data, "owner-uid", &self.owner_uid);
        data::put(&mut data, "server-uid", &self.server_uid);
        data::put_some(&mut data, "retained", self.retained.then_some(true));
        self.held.put(&mut data);
        data
    }

    /// Whether it is the record of the `TerdutServer` of that UID.
    pub fn is_of(&self, owner_uid: &str) -> bool {
        !owner_uid.is_empty() && self.owner_uid == owner_uid
    }

    /// The name of our instance account.
    pub fn account_name(&self) -> String {
        account_name(&self.server_uid)
    }

    /// The same after the credential machine has asked to store these facts at that time.
    #[must_use]
    pub fn storing(&self, facts: &Facts, now: i64) -> Self {
        Self { held: self.held.storing(facts, now), ..self.clone() }
    }

    /// The order that comes by the instance key with the one bootstrap. `resumed`: the checkpoint
    /// is of an earlier pass.
    pub fn order(&self, person: FirstPerson, resumed: bool) -> Order {
        let order = Order::sole(self.account_name(), AccountScope::Instance);
        Order { bootstrap: Some(person), resumed, ..order }
    }

    /// The facts that the credential machine goes on from.
    pub fn facts(&self, checkpoint: Option<&Checkpoint>) -> Facts {
        let mut facts = self.held.facts(&self.account_name());
        if let Some(CheckpointState::Holding { user, key, token }) =
            checkpoint.map(|checkpoint| &checkpoint.state)
        {
            let (user, key, token) = (*user, *key, token.clone());
            facts.admin = Some(AdminKey { user, key, token, done: false });
        }
        facts
    }
}

/// The checkpoint of the one bootstrap: made before it, dropped when its admin key is revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The UID of the `TerdutServer`.
    pub owner_uid: String,
    /// How far it came.
    pub state: CheckpointState,
}

/// How far a bootstrap came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckpointState {
    /// It is about to be asked for, or was, and the answer is not here.
    Empty,
    /// The server said that it was bootstrapped before.
    Refused(Attempt),
    /// It may have worked, and the answer is lost.
    Lost(Attempt),
    /// It worked: the first person and their admin key.
    Holding {
        /// The person.
        user: UserId,
        /// The key's id.
        key: KeyId,
        /// The key.
        token: SecretString,
    },
}

impl Checkpoint {
    /// The checkpoint of a bootstrap that is about to be asked for.
    pub fn empty(owner_uid: &str) -> Self {
        Self { owner_uid: owner_uid.to_owned(), state: CheckpointState::Empty }
    }

    /// The same after the credential machine has asked to store these facts. It is dropped only
    /// when the machine has ended well.
    #[must_use]
    pub fn storing(&self, facts: &Facts) -> Self {
        let Some(admin) = &facts.admin else { return self.clone() };
        let (user, key, token) = (admin.user, admin.key, admin.token.clone());
        Self { state: CheckpointState::Holding { user, key, token }, ..self.clone() }
    }

    /// Reads a Secret. `None`: it is no checkpoint. One that says that it holds a key and does not
    /// is empty: the key is lost.
    pub fn parse(data: &Data) -> Option<Self> {
        let owner_uid = data::text(data, "owner-uid")?;
        let state = match data::text(data, "state")?.as_str() {
            "empty" => CheckpointState::Empty,
            "refused" => CheckpointState::Refused(Attempt::parse(data)),
            "lost" => CheckpointState::Lost(Attempt::parse(data)),
            "holding" => holding(data).unwrap_or(CheckpointState::Empty),
            _ => return None,
        };
        Some(Self { owner_uid, state })
    }

    /// The Secret's data.
    pub fn data(&self) -> Data {
        let mut data = Data::new();
        data::put(&mut data, "owner-uid", &self.owner_uid);
        match &self.state {
            CheckpointState::Empty => data::put(&mut data, "state", "empty"),
            CheckpointState::Refused(attempt) => put_attempt(&mut data, "refused", attempt),
            CheckpointState::Lost(attempt) => put_attempt(&mut data, "lost", attempt),
            CheckpointState::Holding { user, key, token } => {
                data::put(&mut data, "state", "holding");
                data::put(&mut data, "user-id", user);
                data::put(&mut data, "key-id", key);
                data::put(&mut data, "token", token.expose());
            }
        }
        data
    }
}

fn put_attempt(data: &mut Data, state: &str, attempt: &Attempt) {
    data::put(data, "state", state);
    attempt.put(data);
}

fn holding(data: &Data) -> Option<CheckpointState> {
    Some(CheckpointState::Holding {
        user: data::parsed(data, "user-id")?,
        key: data::parsed(data, "key-id")?,
        token: data::secret(data, "token")?,
    })
}
