//! Carries core's credential machine out, and records before each step that cannot be taken back.
//!
//! The admin key of the bootstrap goes into the checkpoint at once, our own key into the instance
//! record when it is proved. A crash at any step leaves what the next pass goes on from.

use std::time::Duration;

use kube::ResourceExt;
use terdut_client::Caller;
use terdut_client::execute::carry_out_order_durably;
use terdut_core::credential::{Facts, Machine, Order, Outcome};
use terdut_core::error::Class;
use terdut_core::record::{Checkpoint, CheckpointState, Held, InstanceRecord, RefusedRotation};
use tokio::sync::Mutex;

use crate::context::Context;
use crate::controllers::halt::Halt;
use crate::crd::TerdutServer;
use crate::engine::Next;
use crate::kube::{KubeClass, KubeError};
use crate::secrets::Versioned;

/// How long to wait for the API server before the key of a bootstrap is given up.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];

/// The records of a server in the bridge's namespace.
#[derive(Debug)]
pub(in crate::controllers::server) struct Records<'a> {
    context: &'a Context,
    namespace: String,
    name: String,
    uid: String,
    record: Option<Versioned<InstanceRecord>>,
    checkpoint: Option<Versioned<Checkpoint>>,
}

impl<'a> Records<'a> {
    /// What is there.
    pub(in crate::controllers::server) async fn open(
        context: &'a Context,
        server: &TerdutServer,
    ) -> Result<Self, KubeError> {
        let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
        let record = context.secrets.known(&namespace, &name).await?;
        let checkpoint = context.secrets.known(&namespace, &name).await?;
        let uid = server.uid().unwrap_or_default();
        Ok(Self { context, namespace, name, uid, record, checkpoint })
    }

    /// The record, if it is this very server's: an earlier one of the name has left its own.
    pub(in crate::controllers::server) fn own_record(&self) -> Option<&InstanceRecord> {
        self.record.as_ref().map(|kept| &kept.record).filter(|record| record.is_of(&self.uid))
    }

    /// The record, or one that holds nothing yet.
    pub(in crate::controllers::server) fn record(&self) -> InstanceRecord {
        self.own_record().cloned().unwrap_or_else(|| InstanceRecord::new(&self.uid))
    }

    /// The checkpoint, if it is this very server's.
    pub(in crate::controllers::server) fn checkpoint(&self) -> Option<&Checkpoint> {
        let kept = self.checkpoint.as_ref().map(|kept| &kept.record);
        kept.filter(|checkpoint| checkpoint.owner_uid == self.uid)
    }

    /// Writes the record; nothing is sent if it is there already.
    pub(in crate::controllers::server) async fn put_record(
        &mut self,
        record: InstanceRecord,
    ) -> Result<(), KubeError> {
        if self.record.as_ref().is_some_and(|kept| kept.record == record) {
            return Ok(());
        }
        let is_news =
            self.own_record().and_then(|own| own.held.token.as_ref()) != record.held.token.as_ref();
        let (secrets, version) = (&self.context.secrets, self.record.as_ref());
        let written = match version.map(|kept| kept.version.as_str()) {
            Some(version) => secrets.replace(&self.namespace, &self.name, &record, version).await?,
            None => secrets.create(&self.namespace, &self.name, &record).await?,
        };
        self.record = Some(written);
        if is_news {
            self.context.wake.teams_of_server(&self.namespace, &self.name);
        }
        Ok(())
    }

    /// Writes down that the server refused to replace the key.
    pub(super) async fn put_refused(&mut self, refused: RefusedRotation) -> Result<(), KubeError> {
        let record = self.record();
        let held = Held { refused: Some(refused), ..record.held.clone() };
        self.put_record(InstanceRecord { held, ..record }).await
    }

    /// Writes how far the bootstrap came.
    pub(super) async fn put_checkpoint(&mut self, state: CheckpointState) -> Result<(), KubeError> {
        let checkpoint = Checkpoint { owner_uid: self.uid.clone(), state };
        if self.checkpoint.as_ref().is_some_and(|kept| kept.record == checkpoint) {
            return Ok(());
        }
        let (secrets, before) = (&self.context.secrets, self.checkpoint.as_ref());
        let written = match before.map(|kept| kept.version.as_str()) {
            Some(version) => {
                secrets.replace(&self.namespace, &self.name, &checkpoint, version).await?
            }
            None => secrets.create(&self.namespace, &self.name, &checkpoint).await?,
        };
        self.checkpoint = Some(written);
        Ok(())
    }

    /// The same, in spite of what an API server may do for a moment: a key of a bootstrap is shown
    /// once, and with it the server's one bootstrap would be lost.
    async fn keep_checkpoint(&mut self, state: CheckpointState) -> Result<(), KubeError> {
        for pause in PAUSES {
            let Err(error) = self.put_checkpoint(state.clone()).await else { return Ok(()) };
            tracing::warn!(%error, "the bootstrap's checkpoint could not be written and is tried again");
            match error.class {
                // Somebody labelled it, or took it away: the key is kept all the same.
                KubeClass::Conflict | KubeClass::NotFound => {
                    let (namespace, name) = (&self.namespace, &self.name);
                    if let Ok(now) = self.context.secrets.live(namespace, name).await {
                        self.checkpoint = now;
                    }
                }
                _ => tokio::time::sleep(pause).await,
            }
        }
        self.put_checkpoint(state).await
    }

    /// Removes the checkpoint of a server that is retained, unless it holds a key: the next server
    /// of the name finishes what was begun.
    pub(in crate::controllers::server) async fn leave_checkpoint(
        &mut self,
    ) -> Result<(), KubeError> {
        let state = self.checkpoint().map(|checkpoint| &checkpoint.state);
        if matches!(state, Some(CheckpointState::Holding { .. })) {
            return Ok(());
        }
        self.drop_checkpoint().await
    }

    /// Removes the checkpoint, whosever it is.
    pub(in crate::controllers::server) async fn drop_checkpoint(
        &mut self,
    ) -> Result<(), KubeError> {
        let Some(kept) = self.checkpoint.take() else { return Ok(()) };
        let (secrets, version) = (&self.context.secrets, kept.version.as_str());
        secrets.delete::<Checkpoint>(&self.namespace, &self.name, Some(version)).await
    }

    /// Ends the pass if the record is another by now: what is known of it may be behind.
    pub(super) async fn is_latest(&self) -> Result<(), Halt> {
        let live = self.context.secrets.live::<InstanceRecord>(&self.namespace, &self.name).await?;
        let known = self.record.as_ref().map(|kept| &kept.version);
        if live.as_ref().map(|live| &live.version) == known {
            Ok(())
        } else {
            Err(Halt::Again(Next::retry(Class::Conflict)))
        }
    }

    /// Keeps the record for the next server of the name. One that an earlier server left, and that
    /// this one did not take up, stays as it is.
    pub(in crate::controllers::server) async fn leave_record(&mut self) -> Result<(), KubeError> {
        if self.record.as_ref().is_some_and(|kept| kept.record.retained) {
            return Ok(());
        }
        self.put_record(InstanceRecord { retained: true, ..self.record() }).await
    }

    /// Removes the record, unless an earlier server left it for the next one of the name.
    pub(in crate::controllers::server) async fn drop_record(&mut self) -> Result<(), KubeError> {
        let Some(kept) = self.record.take() else { return Ok(()) };
        if kept.record.retained && !kept.record.is_of(&self.uid) {
            return Ok(());
        }
        let (secrets, version) = (&self.context.secrets, kept.version.as_str());
        secrets.delete::<InstanceRecord>(&self.namespace, &self.name, Some(version)).await
    }

    /// Records what the machine asks for.
    async fn store(
        &mut self,
        base: &InstanceRecord,
        asked: Option<&str>,
        facts: &Facts,
    ) -> Result<(), KubeError> {
        if let Some(checkpoint) = self.checkpoint().cloned() {
            self.keep_checkpoint(checkpoint.storing(facts).state).await?;
        }
        // Until there is a key that works, the one before stays on record.
        if facts.token().is_none() {
            return Ok(());
        }
        let mut record = base.storing(facts, self.context.clock.wall().as_second());
        if record.held.token == base.held.token {
            record.held.minted_at = base.held.minted_at;
        } else {
            // The wish is granted with the key, not before.
            record.held.rotated = asked.map(str::to_owned);
            record.held.minted_at = self.minted_at(&record);
        }
        self.put_record(record).await
    }

    /// When the key was made: as it was recorded first.
    fn minted_at(&self, record: &InstanceRecord) -> Option<i64> {
        let own = self.own_record().filter(|own| own.held.token == record.held.token);
        own.map_or(record.held.minted_at, |own| own.held.minted_at)
    }
}

/// Carries the order out, from the base on. `asked` is the wish that a new key grants.
pub(super) async fn carry_out<'a>(
    caller: &Caller,
    records: Records<'a>,
    base: &InstanceRecord,
    order: Order,
    asked: Option<&str>,
) -> Result<(Outcome, Records<'a>), KubeError> {
    let mut machine = Machine::converge(base.facts(records.checkpoint()), order);
    let records = Mutex::new(records);
    let store = async |facts: Facts| records.lock().await.store(base, asked, &facts).await;
    let outcome = carry_out_order_durably(caller, &mut machine, store).await?;
    Ok((outcome, records.into_inner()))
}
