//! What a manifest asks for, and the finalizer that holds it.

use kube::ResourceExt;
use terdut_core::model::install::Install;
use terdut_core::problem::Findings;
use terdut_core::render::{Owner, Place};
use terdut_core::retention::DeletionPolicy;

use crate::access::Refused;
use crate::context::Context;
use crate::controllers::halt::Halt;
use crate::controllers::wishes::is_held;
use crate::crd::names::API_VERSION;
use crate::crd::{Kind, TerdutServer};
use crate::engine::Grant;

/// The spec with all defaults, or all that is wrong with it.
pub(super) fn install(server: &TerdutServer) -> Result<Install, Halt> {
    let mut findings = Findings::default();
    let install = server.spec.install.validate(&mut findings);
    install.filter(|_| findings.is_valid()).ok_or_else(|| Halt::invalid(&findings))
}

/// Ends the pass where the API server refused the bridge in this namespace.
pub(super) fn granted(context: &Context, server: &TerdutServer) -> Result<(), Halt> {
    let namespace = server.namespace().unwrap_or_default();
    match context.stores.namespaces().granted(&namespace) {
        Grant::Refused => Err(Refused::NotGranted.into()),
        Grant::Granted | Grant::Unknown => Ok(()),
    }
}

/// The server with the finalizer on.
pub(super) async fn hold(context: &Context, server: &TerdutServer) -> Result<TerdutServer, Halt> {
    if is_held(server) {
        return Ok(server.clone());
    }
    Ok(context.kube.start(server, &[]).await?)
}

/// Whom the rendered objects belong to.
pub(super) fn owner(server: &TerdutServer) -> Owner {
    Owner {
        api_version: API_VERSION.to_owned(),
        kind: TerdutServer::KIND.to_owned(),
        name: server.name_any(),
        uid: server.uid().unwrap_or_default(),
    }
}

/// Where the rendered objects are.
pub(super) fn place(server: &TerdutServer) -> Place {
    Place {
        namespace: server.namespace().unwrap_or_default(),
        name: server.name_any(),
        owner: Some(owner(server)),
        retained: server.deletion_policy() == DeletionPolicy::Retain,
        ..Place::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::status::Reason;

    fn server(spec: &serde_json::Value) -> TerdutServer {
        let metadata = json!({ "namespace": "oncall", "name": "main", "uid": "u1" });
        serde_json::from_value(json!({ "metadata": metadata, "spec": spec })).unwrap()
    }

    #[test]
    fn all_that_is_wrong_is_in_one_message() {
        let spec = json!({
            "image": { "tag": "v 1" }, "replicas": 11,
            "database": { "dsn": "postgres://a:secret@b/c" },
        });
        let Err(Halt::Because { state, .. }) = install(&server(&spec)) else {
            panic!("it is invalid");
        };
        assert_eq!(state.reason, Reason::Invalid);
        for path in ["spec.image.tag", "spec.replicas", "spec.database.dsn"] {
            assert!(state.message.contains(path), "{path} is not in {}", state.message);
        }
        assert!(!state.message.contains("secret@"), "{}", state.message);
    }

    #[test]
    fn the_objects_go_with_this_very_server() {
        let place = place(&server(&json!({ "image": { "tag": "v1" }, "database": {} })));
        let owner = place.owner.unwrap();
        assert_eq!((owner.kind.as_str(), owner.uid.as_str()), ("TerdutServer", "u1"));
        assert_eq!((place.namespace.as_str(), place.name.as_str()), ("oncall", "main"));
    }
}
