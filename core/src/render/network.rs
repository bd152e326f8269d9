//! How a server is reached: its Service and its route.

use serde_json::{Map, Value, json};

use super::{Place, metadata, selector};
use crate::model::install::{Install, Listener};

/// The port's name in Service and Pod.
pub(super) const PORT_NAME: &str = "http";

/// The server's port in the cluster.
pub(super) fn service(install: &Install, place: &Place) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(place),
        "spec": {
            "type": "ClusterIP",
            "selector": selector(&place.name),
            "ports": [{
                "name": PORT_NAME,
                "port": install.networking.service_port,
                "protocol": "TCP",
                "targetPort": PORT_NAME,
            }],
        },
    })
}

/// The way to it from a Gateway. What the API server would fill in is written out, so that a
/// comparison with what is there finds no difference.
pub(super) fn route(install: &Install, place: &Place) -> Option<Value> {
    let networking = &install.networking;
    let (hostname, listener) = (networking.hostname.as_ref()?, networking.listener.as_ref()?);
    Some(json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": metadata(place),
        "spec": {
            "parentRefs": [parent(listener)],
            "hostnames": [hostname.as_str()],
            "rules": [{
                "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
                "backendRefs": [{
                    "group": "",
                    "kind": "Service",
                    "name": place.name,
                    "port": networking.service_port,
                    "weight": 1,
                }],
            }],
        },
    }))
}

fn parent(listener: &Listener) -> Map<String, Value> {
    let mut parent = Map::new();
    parent.insert("group".to_owned(), json!("gateway.networking.k8s.io"));
    parent.insert("kind".to_owned(), json!("Gateway"));
    parent.insert("name".to_owned(), json!(listener.gateway));
    let optional = [("namespace", &listener.namespace), ("sectionName", &listener.listener)];
    for (field, value) in optional {
        if let Some(value) = value {
            parent.insert(field.to_owned(), json!(value));
        }
    }
    parent
}
