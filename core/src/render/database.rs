//! The facts about a server's database: how it is reached and where its password is.
//!
//! A cluster of Zalando's Postgres operator makes a Secret for each of its users, by a rule of that
//! operator's; nothing here reads a Secret.

use serde_json::Value;

use crate::model::install::{Dsn, PostgresCluster, SecretKey};

/// How a server reaches its database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Database {
    /// The DSN, without a password.
    pub dsn: String,
    /// Where the password is.
    pub password: SecretKey,
    /// Which version of that Secret the running Pods started with, as far as is known.
    pub secret_version: Option<String>,
}

/// A Postgres cluster from which no database can be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseProblem {
    /// It declares none.
    #[error("the Postgres cluster {cluster} declares no database in spec.databases")]
    None {
        /// The cluster.
        cluster: String,
    },
    /// It declares several and none is named, or several are the named user's.
    #[error(
        "the Postgres cluster {cluster} has several databases to choose from ({}): name one in \
         postgresClusterRef.database", choices.join(", ")
    )]
    Several {
        /// The cluster.
        cluster: String,
        /// Their names.
        choices: Vec<String>,
    },
    /// The named one is not declared.
    #[error("the Postgres cluster {cluster} declares no database {database} in spec.databases")]
    NoSuchDatabase {
        /// The cluster.
        cluster: String,
        /// The database.
        database: String,
    },
    /// The named user is not declared, or owns no database where none is named.
    #[error("the Postgres cluster {cluster} has no database of the user {user}")]
    NoSuchUser {
        /// The cluster.
        cluster: String,
        /// The user.
        user: String,
    },
}

impl Database {
    /// As a DSN names it.
    pub fn from_dsn(dsn: &Dsn, password: &SecretKey) -> Self {
        let (dsn, password) = (dsn.as_str().to_owned(), password.clone());
        Self { dsn, password, secret_version: None }
    }

    /// As a `postgresql` of Zalando's operator in that namespace declares it.
    pub fn from_postgresql(
        postgresql: &Value,
        wanted: &PostgresCluster,
        namespace: &str,
    ) -> Result<Self, DatabaseProblem> {
        let (database, user) = choose(postgresql, wanted)?;
        Ok(Self::of_cluster(wanted.name.as_str(), &database, &user, namespace))
    }

    /// As a cluster's users name it, without a look at the cluster: `None` unless database and
    /// user are both named.
    pub fn from_names(wanted: &PostgresCluster, namespace: &str) -> Option<Self> {
        let (database, user) = (wanted.database.as_deref()?, wanted.user.as_deref()?);
        Some(Self::of_cluster(wanted.name.as_str(), database, user, namespace))
    }

    fn of_cluster(cluster: &str, database: &str, user: &str, namespace: &str) -> Self {
        let (login, path) = (percent_encoded(user), percent_encoded(database));
        Self {
            dsn: format!(
                "postgres://{login}@{cluster}.{namespace}.svc:5432/{path}?sslmode=require"
            ),
            password: credentials(cluster, user),
            secret_version: None,
        }
    }

    /// With the version of the Secret that the running Pods started with.
    #[must_use]
    pub fn started_with(self, secret_version: impl Into<String>) -> Self {
        Self { secret_version: Some(secret_version.into()), ..self }
    }
}

/// The Secret that the operator makes for a user; it writes '-' for '_' there.
fn credentials(cluster: &str, user: &str) -> SecretKey {
    let user = user.replace('_', "-");
    let name = format!("{user}.{cluster}.credentials.postgresql.acid.zalan.do");
    SecretKey { name, key: "password".to_owned() }
}

/// The databases that a cluster declares, each with its owner.
fn declared(postgresql: &Value) -> Vec<(&str, &str)> {
    let databases = postgresql["spec"]["databases"].as_object().into_iter().flatten();
    databases.filter_map(|(database, owner)| Some((database.as_str(), owner.as_str()?))).collect()
}

/// The database and the user.
fn choose(
    postgresql: &Value,
    wanted: &PostgresCluster,
) -> Result<(String, String), DatabaseProblem> {
    let declared = declared(postgresql);
    if declared.is_empty() {
        return Err(DatabaseProblem::None { cluster: wanted.name.to_string() });
    }
    let (database, owner) = match &wanted.database {
        Some(database) => named(&declared, wanted, database)?,
        None => only(&declared, wanted)?,
    };
    let user = wanted.user.as_deref().unwrap_or(owner);
    if has_user(postgresql, &declared, user) {
        Ok((database.to_owned(), user.to_owned()))
    } else {
        Err(no_such_user(wanted))
    }
}

fn named<'d>(
    declared: &[(&'d str, &'d str)],
    wanted: &PostgresCluster,
    database: &str,
) -> Result<(&'d str, &'d str), DatabaseProblem> {
    let found = declared.iter().find(|(name, _)| *name == database).copied();
    found.ok_or_else(|| {
        let cluster = wanted.name.to_string();
        DatabaseProblem::NoSuchDatabase { cluster, database: database.to_owned() }
    })
}

/// The only one, or the only one of the named user.
fn only<'d>(
    declared: &[(&'d str, &'d str)],
    wanted: &PostgresCluster,
) -> Result<(&'d str, &'d str), DatabaseProblem> {
    let owned = |owner: &str| wanted.user.as_deref().is_none_or(|user| user == owner);
    let choices: Vec<_> = declared.iter().filter(|(_, owner)| owned(owner)).copied().collect();
    match choices.as_slice() {
        [choice] => Ok(*choice),
        [] => Err(no_such_user(wanted)),
        several => {
            let choices = several.iter().map(|(name, _)| (*name).to_owned()).collect();
            Err(DatabaseProblem::Several { cluster: wanted.name.to_string(), choices })
        }
    }
}

fn no_such_user(wanted: &PostgresCluster) -> DatabaseProblem {
    let user = wanted.user.clone().unwrap_or_default();
    DatabaseProblem::NoSuchUser { cluster: wanted.name.to_string(), user }
}

fn has_user(postgresql: &Value, declared: &[(&str, &str)], user: &str) -> bool {
    declared.iter().any(|(_, owner)| *owner == user)
        || postgresql["spec"]["users"].get(user).is_some()
}

fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn chosen(
        databases: &Value,
        database: Option<&str>,
        user: Option<&str>,
    ) -> Result<Database, DatabaseProblem> {
        let postgresql = json!({"spec": {"databases": databases, "users": {"reader": []}}});
        let wanted = PostgresCluster {
            name: "pg".parse().unwrap(),
            database: database.map(str::to_owned),
            user: user.map(str::to_owned),
        };
        Database::from_postgresql(&postgresql, &wanted, "oncall")
    }

    #[test]
    fn the_only_database_is_taken_with_its_owner() {
        let database = chosen(&json!({"terdut": "terdut_owner"}), None, None).unwrap();
        assert_eq!(
            database.dsn,
            "postgres://terdut_owner@pg.oncall.svc:5432/terdut?sslmode=require"
        );
        let secret = "terdut-owner.pg.credentials.postgresql.acid.zalan.do";
        assert_eq!(database.password.name, secret, "no '_' in an object's name");
        assert_eq!(database.password.key, "password");
    }

    #[test]
    fn of_several_one_has_to_be_named() {
        let two = || json!({"a": "ann", "b": "bob"});
        let choices = vec!["a".to_owned(), "b".to_owned()];
        let several = DatabaseProblem::Several { cluster: "pg".to_owned(), choices };
        assert_eq!(chosen(&two(), None, None), Err(several));
        let dsn = |database: Option<&str>, user: Option<&str>| {
            chosen(&two(), database, user).unwrap().dsn
        };
        assert!(dsn(Some("b"), None).starts_with("postgres://bob@pg.oncall.svc:5432/b?"));
        assert!(dsn(None, Some("ann")).contains("ann@pg.oncall.svc:5432/a?"));
        assert!(dsn(Some("b"), Some("reader")).contains("reader@pg.oncall.svc:5432/b?"));
    }

    #[test]
    fn what_the_cluster_does_not_have_is_named() {
        let one = || json!({"a": "ann"});
        let cluster = || "pg".to_owned();
        assert_eq!(
            chosen(&json!({}), None, None),
            Err(DatabaseProblem::None { cluster: cluster() })
        );
        let database = "b".to_owned();
        let missing = DatabaseProblem::NoSuchDatabase { cluster: cluster(), database };
        assert_eq!(chosen(&one(), Some("b"), None), Err(missing));
        for database in [None, Some("a")] {
            let missing =
                DatabaseProblem::NoSuchUser { cluster: cluster(), user: "bob".to_owned() };
            assert_eq!(chosen(&one(), database, Some("bob")), Err(missing));
        }
    }

    #[test]
    fn without_a_look_at_the_cluster_both_names_are_needed_and_mean_the_same() {
        let wanted = |database: Option<&str>, user: Option<&str>| PostgresCluster {
            name: "pg".parse().unwrap(),
            database: database.map(str::to_owned),
            user: user.map(str::to_owned),
        };
        let seen = chosen(&json!({"a": "ann_b"}), Some("a"), Some("ann_b")).unwrap();
        let named = Database::from_names(&wanted(Some("a"), Some("ann_b")), "oncall");
        assert_eq!(named, Some(seen));
        assert_eq!(Database::from_names(&wanted(Some("a"), None), "oncall"), None);
        assert_eq!(Database::from_names(&wanted(None, Some("ann_b")), "oncall"), None);
    }

    #[test]
    fn names_are_escaped_in_the_dsn() {
        let database = chosen(&json!({"a/b": "a@b"}), None, None).unwrap();
        assert!(database.dsn.starts_with("postgres://a%40b@pg.oncall.svc:5432/a%2Fb?"));
    }
}
