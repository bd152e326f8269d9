//! The place of each kind among the others: what it refers to, where it is stored and queued, and
//! which changes of it concern those that refer to it.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::ResourceExt;

use super::stores::Stores;
use super::wake::{KindQueue, Queues};
use super::{KindStore, ObjectKey, Wake};
use crate::crd::{
    Child, Kind, TerdutAlertSource, TerdutDeadmanSwitch, TerdutEscalationRule, TerdutServer,
    TerdutTeam,
};

/// A kind that the engine passes over.
pub trait Placed: Kind {
    /// Whether there may be thousands of them: then each is stored as small as it can be.
    const IS_ONE_OF_MANY: bool;

    /// What it refers to: a child's team, a team's server.
    fn parent(&self) -> Option<ObjectKey>;
    /// Where its objects are.
    fn store(stores: &Stores) -> &KindStore<Self>;
    /// Where its objects wait.
    fn queue(queues: &Queues) -> &KindQueue;
    /// Wakes what refers to the object, and what refers to that.
    fn wake_dependants(key: &ObjectKey, wake: &Wake);
    /// Wakes what may have waited for this one to go.
    fn wake_heirs(&self, _: &Wake) {}
}

/// What others see of an object that they refer to. Only when this changes are they woken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Face {
    uid: Option<String>,
    generation: Option<i64>,
    deleting: bool,
    states: Vec<(String, String, String)>,
}

impl Face {
    pub(super) fn of<K: Kind>(object: &K) -> Self {
        let state = |condition: &Condition| {
            (condition.type_.clone(), condition.status.clone(), condition.reason.clone())
        };
        Self {
            uid: object.uid(),
            generation: object.meta().generation,
            deleting: object.meta().deletion_timestamp.is_some(),
            states: object.conditions().iter().map(state).collect(),
        }
    }
}

impl Placed for TerdutServer {
    const IS_ONE_OF_MANY: bool = false;

    fn parent(&self) -> Option<ObjectKey> {
        None
    }

    fn store(stores: &Stores) -> &KindStore<Self> {
        stores.servers()
    }

    fn queue(queues: &Queues) -> &KindQueue {
        &queues.servers
    }

    fn wake_dependants(key: &ObjectKey, wake: &Wake) {
        wake.dependants_of_server(key);
    }
}

impl Placed for TerdutTeam {
    const IS_ONE_OF_MANY: bool = false;

    fn parent(&self) -> Option<ObjectKey> {
        let own = self.namespace().unwrap_or_default();
        let server = &self.spec.server_ref;
        Some(ObjectKey::new(server.namespace_from(&own), &server.name))
    }

    fn store(stores: &Stores) -> &KindStore<Self> {
        stores.teams()
    }

    fn queue(queues: &Queues) -> &KindQueue {
        &queues.teams
    }

    fn wake_dependants(key: &ObjectKey, wake: &Wake) {
        wake.children(key);
    }
}

fn team_of<K: Child>(child: &K) -> ObjectKey {
    ObjectKey::new(&child.namespace().unwrap_or_default(), &child.team().name)
}

/// A child's place differs only in its store and its queue.
macro_rules! child {
    ($kind:ty, $place:ident) => {
        impl Placed for $kind {
            const IS_ONE_OF_MANY: bool = true;

            fn parent(&self) -> Option<ObjectKey> {
                Some(team_of(self))
            }

            fn store(stores: &Stores) -> &KindStore<Self> {
                stores.$place()
            }

            fn queue(queues: &Queues) -> &KindQueue {
                &queues.$place
            }

            fn wake_dependants(_: &ObjectKey, _: &Wake) {}

            fn wake_heirs(&self, wake: &Wake) {
                wake.heirs::<Self>(&team_of(self));
            }
        }
    };
}

child!(TerdutEscalationRule, escalation_rules);
child!(TerdutDeadmanSwitch, deadman_switches);
child!(TerdutAlertSource, alert_sources);
