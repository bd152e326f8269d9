//! The outputs.

use std::collections::BTreeMap;

use terdut_core::model::install::{Install, SecretKey};
use terdut_core::render::{self, Database, Place, PlainEnvironment};
use terdut_core::yaml;
use terdut_plugin::value::Value;

/// A server of whose configuration all is known and valid.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) install: Install,
    pub(super) database: Database,
    pub(super) place: Place,
}

/// The configuration with the outputs.
pub(super) fn with_outputs(mut config: Value, server: &Server) -> Value {
    let Server { install, database, place } = server;
    let objects = render::objects(install, place, database);
    let json = |(name, object): (&'static str, &serde_json::Value)| {
        (name, Value::from(object.to_string()))
    };
    let PlainEnvironment { values, secrets } = render::plain_environment(install, database);
    let outputs = [
        ("objects", Value::map(objects.named().into_iter().map(json))),
        ("yaml", Value::from(yaml::documents(objects.all()))),
        ("environment", Value::map(values.into_iter().map(|(name, it)| (name, Value::from(it))))),
        ("secret_environment", secret_environment(secrets)),
    ];
    if let Some(members) = config.members_mut() {
        members.extend(outputs.map(|(name, value)| (name.to_owned(), value)));
    }
    config
}

fn secret_environment(secrets: BTreeMap<String, SecretKey>) -> Value {
    let shown = |SecretKey { name, key }| {
        Value::object([("name", Value::from(name)), ("key", Value::from(key))])
    };
    Value::map(secrets.into_iter().map(|(variable, secret)| (variable, shown(secret))))
}
