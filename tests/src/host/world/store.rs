//! One instance in the state file.
//!
//! Attributes are the JSON that would lie on disk; each use goes through the provider's upgrade.

use serde_json::Value as Json;

use crate::host::json::to_json;
use crate::host::session::{Failure, Held, Session};
use crate::host::value::Value;

/// One stored instance.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) type_name: String,
    pub(super) version: i64,
    pub(super) attributes: Json,
    pub(super) private: Vec<u8>,
    pub(super) identity: Option<(i64, Json)>,
    pub(super) tainted: bool,
}

impl Stored {
    pub(super) fn of(session: &Session, type_name: &str, held: &Held, tainted: bool) -> Self {
        let schemas = session.schemas();
        let identity = schemas.identities.get(type_name).filter(|_| !held.identity.is_null());
        Self {
            type_name: type_name.to_owned(),
            version: schemas.resource(type_name).version,
            attributes: to_json(&held.state),
            private: held.private.clone(),
            identity: identity.map(|schema| (schema.version, to_json(&held.identity))),
            tainted,
        }
    }

    /// The object after the provider has upgraded it. At the present version the core itself
    /// takes away what the schema no longer has.
    pub(super) async fn upgraded(&self, session: &Session) -> Result<Held, Failure> {
        let schema = session.schemas().resource(&self.type_name);
        assert!(self.version <= schema.version, "managed by a newer provider version");
        let mut attributes = self.attributes.clone();
        if self.version == schema.version
            && let Some(attributes) = attributes.as_object_mut()
        {
            attributes.retain(|name, _| {
                schema.block.attributes.contains_key(name) || schema.block.blocks.contains_key(name)
            });
        }
        let state = session.upgrade(&self.type_name, self.version, &attributes).await?;
        let identity = match &self.identity {
            Some((version, json)) => {
                session.upgrade_identity(&self.type_name, *version, json).await?
            }
            None => Value::Null,
        };
        Ok(Held { state, private: self.private.clone(), identity })
    }
}
