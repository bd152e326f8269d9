//! A state file and the walks over it: plan, apply, refresh, import, destroy.
//!
//! The state is JSON between two walks and is upgraded anew each time, as Terraform does. The
//! order of the calls is Terraform's own; what a provider must not notice is hidden from it.

mod change;
mod outcome;
mod store;

use serde_json::Value as Json;

pub use outcome::{Action, ApplyOutcome, Change, ImportBy, PlanOutcome};
use store::Stored;

use super::json::{config_from_json, to_json};
use super::process::Host;
use super::rules::Rule;
use super::session::{Diagnostic, Failure, Held, Session};
use super::value::Value;

use std::collections::BTreeMap;

/// One state file and the provider that serves it.
#[derive(Debug)]
pub struct World {
    session: Session,
    host: Option<Host>,
    state: BTreeMap<String, Stored>,
    create_before_destroy: bool,
}

impl World {
    /// An empty state served by a running provider.
    pub fn new(host: Host) -> Self {
        let session = host.session().clone();
        Self { session, host: Some(host), state: BTreeMap::new(), create_before_destroy: false }
    }

    /// An empty state over a connection that somebody else ends.
    pub fn over(session: Session) -> Self {
        Self { session, host: None, state: BTreeMap::new(), create_before_destroy: false }
    }

    /// Replacements create the new object first from now on, or no longer.
    pub fn create_before_destroy(&mut self, first: bool) {
        self.create_before_destroy = first;
    }

    /// The connection.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Configures the provider.
    pub async fn configure(&self, config: &Json) -> Result<Vec<Diagnostic>, Failure> {
        self.session.configure(config).await
    }

    /// The same state served by another process; the old one is shut down in order.
    pub async fn restart(&mut self, host: Host) {
        self.session = host.session().clone();
        if let Some(old) = self.host.replace(host) {
            old.shutdown().await;
        }
    }

    /// The same state served by another process, when the old one was killed.
    ///
    /// # Panics
    /// If this world has no process of its own.
    pub async fn resume(&mut self, host: Host) {
        self.session = host.session().clone();
        let mut killed = self.host.replace(host).expect("a process that was killed");
        killed.wait().await;
    }

    /// Shuts the provider down in order.
    pub async fn close(mut self) {
        if let Some(host) = self.host.take() {
            host.shutdown().await;
        }
    }

    /// The id of the provider's process, if this world has one of its own.
    pub fn pid(&self) -> Option<u32> {
        self.host.as_ref().and_then(Host::pid)
    }

    /// The stored attributes of an address.
    pub fn state(&self, address: &str) -> Option<&Json> {
        self.state.get(address).map(|stored| &stored.attributes)
    }

    /// Whether the next apply would replace the object because its creation failed.
    pub fn is_tainted(&self, address: &str) -> bool {
        self.state.get(address).is_some_and(|stored| stored.tainted)
    }

    /// The stored private data of an address.
    pub fn private(&self, address: &str) -> Option<&[u8]> {
        self.state.get(address).map(|stored| stored.private.as_slice())
    }

    /// The stored identity of an address.
    pub fn identity(&self, address: &str) -> Option<&Json> {
        self.state.get(address).and_then(|stored| stored.identity.as_ref()).map(|(_, json)| json)
    }

    /// Puts a state in as another version of the provider, or another host, would have left it.
    pub fn put_state(&mut self, address: &str, type_name: &str, version: i64, attributes: Json) {
        let stored = Stored {
            type_name: type_name.to_owned(),
            version,
            attributes,
            private: Vec::new(),
            identity: None,
            tainted: false,
        };
        self.state.insert(address.to_owned(), stored);
    }

    /// Changes the private data that is stored at an address.
    ///
    /// # Panics
    /// If nothing is stored there.
    pub fn put_private(&mut self, address: &str, private: &[u8]) {
        let stored = self.state.get_mut(address).expect("the address is stored");
        stored.private = private.to_vec();
    }

    /// Changes the identity that is stored at an address, and its version; `None` takes it away.
    ///
    /// # Panics
    /// If nothing is stored there.
    pub fn put_identity(&mut self, address: &str, identity: Option<(i64, Json)>) {
        let stored = self.state.get_mut(address).expect("the address is stored");
        stored.identity = identity;
    }

    /// Changes the stored attributes of an address by hand.
    ///
    /// # Panics
    /// If nothing is stored there.
    pub fn edit_state(&mut self, address: &str, edit: impl FnOnce(&mut Json)) {
        edit(&mut self.state.get_mut(address).expect("the address is stored").attributes);
    }

    /// Forgets an address without touching the object.
    pub fn forget(&mut self, address: &str) {
        self.state.remove(address);
    }

    /// Marks an address for replacement.
    ///
    /// # Panics
    /// If nothing is stored there.
    pub fn taint(&mut self, address: &str) {
        self.state.get_mut(address).expect("the address is stored").tainted = true;
    }

    /// The stored addresses.
    pub fn addresses(&self) -> Vec<&str> {
        self.state.keys().map(String::as_str).collect()
    }

    /// Upgrades and reads a stored object; `None` if it is gone. Keeps nothing.
    async fn look(
        &self,
        address: &str,
        type_name: &str,
    ) -> Result<Option<(Held, Vec<Diagnostic>)>, Failure> {
        let Some(stored) = self.state.get(address) else {
            return Ok(None);
        };
        assert_eq!(stored.type_name, type_name, "{address} is stored with another type");
        let held = stored.upgraded(&self.session).await?;
        let answer = self.session.read(type_name, &held).await?;
        Ok((!answer.held.state.is_null()).then_some((answer.held, answer.warnings)))
    }

    /// Refreshes an address and keeps the outcome; `None` if the object is gone.
    pub async fn refresh(&mut self, address: &str) -> Result<Option<Json>, Failure> {
        self.refresh_told(address).await?;
        Ok(self.state(address).cloned())
    }

    /// The same; gives what is said of it.
    pub async fn refresh_told(&mut self, address: &str) -> Result<Vec<Diagnostic>, Failure> {
        let Some(type_name) = self.state.get(address).map(|stored| stored.type_name.clone()) else {
            return Ok(Vec::new());
        };
        let Some((held, told)) = self.look(address, &type_name).await? else {
            self.state.remove(address);
            return Ok(Vec::new());
        };
        let tainted = self.is_tainted(address);
        self.keep(address, &type_name, &held, tainted);
        Ok(told)
    }

    fn keep(&mut self, address: &str, type_name: &str, held: &Held, tainted: bool) {
        if held.state.is_null() {
            self.state.remove(address);
            return;
        }
        let stored = Stored::of(&self.session, type_name, held, tainted);
        self.state.insert(address.to_owned(), stored);
    }

    /// Imports an object to an address, which must be free, and reads it at once.
    ///
    /// # Panics
    /// If the address is taken or the identity does not fit its declaration.
    pub async fn import(
        &mut self,
        address: &str,
        type_name: &str,
        by: ImportBy<'_>,
    ) -> Result<Vec<Diagnostic>, Failure> {
        assert!(!self.state.contains_key(address), "{address} is stored already");
        let (id, identity) = match by {
            ImportBy::Id(id) => (id, Value::Null),
            ImportBy::Identity(json) => {
                let schema = &self.session.schemas().identities[type_name];
                let read = config_from_json(json, &schema.ty);
                ("", read.unwrap_or_else(|error| panic!("the suite's identity: {error}")))
            }
        };
        let (held, mut warnings) = self.session.import(type_name, id, &identity).await?;
        let answer = self.session.read(type_name, &held).await?;
        if answer.held.state.is_null() {
            let gone = Diagnostic::of_core("Cannot import non-existent remote object", id);
            let during = format!("import {type_name} {id}");
            return Err(Failure { during, diagnostics: vec![gone] });
        }
        let identified = self.session.schemas().identities.contains_key(type_name);
        let lost = identified && answer.held.identity.is_null();
        assert!(!lost, "host rule {}: none after the import of {address}", Rule::IdentityEcho);
        self.keep(address, type_name, &answer.held, false);
        warnings.extend(answer.warnings);
        Ok(warnings)
    }

    /// Reads a data source.
    pub async fn read_data(&self, type_name: &str, config: &Json) -> Result<Json, Failure> {
        Ok(to_json(&self.session.read_data(type_name, config).await?.0))
    }
}

#[cfg(test)]
mod tests;
