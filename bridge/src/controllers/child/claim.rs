//! Which object of a team has what was found by its name.
//!
//! Asked before anything is taken over: two manifests of one name must not both take the same. The
//! first by its record has it. Records of other objects are read live, since the store may be behind
//! what was just written.

use kube::ResourceExt;
use terdut_client::ClaimGuard;
use terdut_core::claims::Claim;
use terdut_core::model::Model;

use super::{Kept, Work, record_of};
use crate::controllers::halt::Halt;
use crate::engine::{ObjectKey, Placed};

impl<K: Kept + Placed> Work<'_, K> {
    /// Keeps other objects from taking over the same until it is dropped.
    pub(in crate::controllers) async fn claim(&self, id: i64) -> ClaimGuard {
        let (server, parent) = (self.access.link.url().to_owned(), Some(self.team.0));
        let (kind, name) = (K::Model::KIND, format!("#{id}"));
        self.access.link.claims().take(Claim { server, parent, kind, name }).await
    }

    /// The name of the other object that has it, or is just making it.
    pub(in crate::controllers) async fn holder(
        &self,
        id: i64,
        name: &str,
    ) -> Result<Option<String>, Halt> {
        let own = self.object();
        let namespace = own.namespace().unwrap_or_default();
        let team = ObjectKey::new(&namespace, &own.team().name);
        for other in self.context.stores.of::<K>().children_of(&team) {
            if other.uid() == own.uid() || !self.may_hold(other.as_ref(), id, name) {
                continue;
            }
            let now = self.context.kube.read::<K>(&namespace, &other.name_any()).await?;
            if now.is_some_and(|now| self.holds(&now, id, name)) {
                return Ok(Some(other.name_any()));
            }
        }
        Ok(None)
    }

    /// Wakes those that may wait for what this one has no more.
    pub(in crate::controllers) fn wake_heirs(&self) {
        self.object().wake_heirs(&self.context.wake);
    }

    /// Whether a closer look is worth it.
    fn may_hold(&self, other: &K, id: i64, name: &str) -> bool {
        let record = record_of(other, self.team);
        other.asked_name() == name.trim()
            || record.is_some_and(|record| record.id == Some(id) || record.name == name.trim())
    }

    fn holds(&self, other: &K, id: i64, name: &str) -> bool {
        record_of(other, self.team).is_some_and(|record| match record.id {
            Some(recorded) => recorded == id,
            None => record.name == name.trim() && !record.before.contains(&id),
        })
    }
}
