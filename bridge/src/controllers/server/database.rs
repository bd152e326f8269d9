//! The facts about a server's database: how it is reached, whether its password is there, and
//! whether that is the one with which the server started.
//!
//! A Secret is looked at by its metadata alone.

use kube::ResourceExt;
use serde_json::Value;
use terdut_core::error::Class;
use terdut_core::model::install::{DatabaseChoice, Install, PostgresCluster};
use terdut_core::render::Database;

use super::objects::Wanted;
use super::report::Seen;
use crate::context::Context;
use crate::controllers::halt::Halt;
use crate::crd::TerdutServer;
use crate::kube::KubeError;
use crate::status::{Reason, State};

/// What is known of a server's database.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// How it is reached.
    pub(super) database: Database,
    /// The version of the Secret with its password; none if it is not there.
    pub(super) secret_version: Option<String>,
}

/// Looks for the database and for the Secret with its password.
pub(super) async fn look(
    context: &Context,
    server: &TerdutServer,
    install: &Install,
    seen: &mut Seen,
) -> Result<Facts, Halt> {
    let namespace = server.namespace().unwrap_or_default();
    let database = match &install.database {
        DatabaseChoice::Dsn { dsn, password } => Ok(Database::from_dsn(dsn, password)),
        DatabaseChoice::Cluster(cluster) => of_cluster(context, &namespace, cluster).await?,
    };
    let database = database.inspect_err(|halt| {
        if let Halt::Because { state, .. } = halt {
            seen.database = Some(state.clone());
        }
    })?;
    let secret = context.secrets.foreign(&namespace, &database.password.name).await?;
    let secret_version = secret.map(|secret| secret.version);
    Ok(Facts { database, secret_version })
}

async fn of_cluster(
    context: &Context,
    namespace: &str,
    cluster: &PostgresCluster,
) -> Result<Result<Database, Halt>, KubeError> {
    let kind = context.kube.discover("acid.zalan.do", "v1", "postgresql").await?;
    let Some(kind) = kind else {
        return Ok(Err(Halt::waiting(
            Reason::DatabaseMissing,
            "The cluster has no kind postgresql (acid.zalan.do/v1): install Zalando's Postgres \
             operator, or name the database by spec.database.dsn.",
        )));
    };
    let name = cluster.name.as_str();
    let Some(found) = context.kube.find(&kind, namespace, name).await? else {
        let message = format!("There is no Postgres cluster {name} in this namespace.");
        return Ok(Err(Halt::retry(Reason::DatabaseMissing, message, Class::NotFound)));
    };
    let found = serde_json::to_value(&found).unwrap_or(Value::Null);
    Ok(Database::from_postgresql(&found, cluster, namespace).map_err(|problem| {
        Halt::retry(Reason::DatabaseMissing, format!("{problem}."), Class::Invalid)
    }))
}

/// What the condition says of the database.
pub(super) fn judge(facts: &Facts, wanted: &Wanted, seen: &mut Seen) {
    let secret = &facts.database.password.name;
    let state = match &facts.secret_version {
        None => State::no(
            Reason::DatabaseMissing,
            format!("There is no Secret {secret} with the database's password in this namespace."),
        ),
        Some(_) if wanted.password_changed => State::unknown(
            Reason::PasswordChangedSinceStart,
            format!(
                "The Secret {secret} is another than when the server was last rolled out. Restart \
                 it if the password changed: kubectl rollout restart deployment."
            ),
        ),
        Some(_) => {
            State::yes(Reason::Available, "The Secret with the database's password is there.")
        }
    };
    if facts.secret_version.is_none() {
        seen.is_not_ready(state.clone(), super::report::again(Class::NotFound));
    }
    seen.database = Some(state);
}

#[cfg(test)]
mod tests {
    use terdut_core::model::install::SecretKey;

    use super::*;
    use crate::status::Truth;

    fn judged(version: Option<&str>, password_changed: bool) -> Seen {
        let password = SecretKey { name: "db".to_owned(), key: "password".to_owned() };
        let database =
            Database { dsn: "postgres://a@b/c".to_owned(), password, secret_version: None };
        let facts = Facts { database, secret_version: version.map(str::to_owned) };
        let mut seen = Seen::default();
        judge(&facts, &Wanted { password_changed, ..Wanted::default() }, &mut seen);
        seen
    }

    #[test]
    fn a_missing_password_keeps_the_server_from_being_ready() {
        let seen = judged(None, false);
        let state = seen.database.clone().unwrap();
        assert_eq!((state.status, state.reason), (Truth::False, Reason::DatabaseMissing));
        assert_eq!(seen.not_ready().map(|state| state.reason), Some(Reason::DatabaseMissing));
    }

    #[test]
    fn another_password_is_told_and_leaves_the_server_ready() {
        let seen = judged(Some("8"), true);
        let state = seen.database.clone().unwrap();
        assert_eq!(
            (state.status, state.reason),
            (Truth::Unknown, Reason::PasswordChangedSinceStart)
        );
        assert!(seen.not_ready().is_none());
        assert_eq!(judged(Some("8"), false).database.unwrap().status, Truth::True);
    }
}
