//! The server's environment: one table of every variable.
//!
//! What most of the server's variables are called is not published. What is known and what is
//! assumed is said for each; `docs/environment.md` is printed from this table by a test. A variable that turns
//! out to be called otherwise can be given by `env[]` until it is corrected here.

use super::Database;
use crate::model::install::{
    Deadman, EnvVarSourceSpec, EnvVarSpec, Install, Oidc, SecretKey, SecretKeySelectorSpec,
};

/// Where a variable is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The server is known to take it.
    Known,
    /// By the rule `TERDUT_` and the field in capitals.
    Assumed,
}

/// One variable.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The field that it is made of.
    pub field: &'static str,
    /// Where its name is known from.
    pub source: Source,
    /// When it is set and how it is written.
    pub made: &'static str,
    /// Whether its value must be in a Secret.
    pub secret: bool,
    value: fn(&Install, &Database) -> Option<Made>,
}

/// What a variable is set to.
enum Made {
    Text(String),
    Secret(SecretKey),
}

/// Every variable, in the order in which the container gets them.
pub const TABLE: &[Variable] = &[
    Variable {
        name: "PGPASSWORD",
        field: "database",
        source: Source::Known,
        made: "from the database's Secret",
        secret: true,
        value: |_, database| Some(Made::Secret(database.password.clone())),
    },
    Variable {
        name: "TERDUT_DATABASE_DSN",
        field: "database",
        source: Source::Known,
        made: "the DSN, or one made of the Postgres cluster; never with a password. That the server \
               takes a DSN is known, the variable's name follows the rule",
        secret: false,
        value: |_, database| text(&database.dsn),
    },
    assumed("TERDUT_NETWORKING_HOSTNAME", "networking.hostname", "if given", |install, _| {
        install.networking.hostname.as_ref().and_then(|hostname| text(hostname.as_str()))
    }),
    assumed("TERDUT_SWEEPER_STALE_AFTER", "sweeper.staleAfter", "always", |install, _| {
        text(&install.sweeper.stale_after.short())
    }),
    assumed("TERDUT_SWEEPER_ARCHIVE_AFTER", "sweeper.archiveAfter", "always", |install, _| {
        text(&install.sweeper.archive_after.short())
    }),
    assumed(
        "TERDUT_DEADMAN_MATCHERS",
        "deadman.matchers",
        "if given; sorted by label, without blanks",
        |install, _| deadman(install, |deadman| deadman.matchers.canonical()),
    ),
    assumed("TERDUT_DEADMAN_TIMEOUT", "deadman.timeout", "with matchers", |install, _| {
        deadman(install, |deadman| deadman.timeout.short())
    }),
    assumed("TERDUT_DEADMAN_SEVERITY", "deadman.severity", "with matchers", |install, _| {
        deadman(install, |deadman| deadman.severity.to_string())
    }),
    assumed(
        "TERDUT_NOTIFY_NTFY_URL",
        "notify.ntfyURL",
        "if given; without a slash at its end",
        |install, _| install.notify.ntfy_url.as_ref().and_then(|url| text(&url.to_string())),
    ),
    assumed("TERDUT_NOTIFY_FALLBACK_TOPIC", "notify.fallbackTopic", "if given", |install, _| {
        text(&install.notify.fallback_topic)
    }),
    assumed("TERDUT_NOTIFY_REPEAT_EVERY", "notify.repeatEvery", "always", |install, _| {
        text(&install.notify.repeat_every.short())
    }),
    assumed(
        "TERDUT_NOTIFY_TOKEN",
        "notify.tokenSecretRef",
        "if given; from the Secret",
        |install, _| install.notify.token.clone().map(Made::Secret),
    )
    .of_a_secret(),
    assumed("TERDUT_OIDC_ENABLED", "oidc.enabled", "always", |install, _| {
        text(&install.oidc.is_some().to_string())
    }),
    assumed("TERDUT_OIDC_ISSUER", "oidc.issuer", "if enabled; as written", |install, _| {
        oidc(install, |oidc| oidc.issuer.clone())
    }),
    assumed("TERDUT_OIDC_CLIENT_ID", "oidc.clientID", "if enabled", |install, _| {
        oidc(install, |oidc| oidc.client_id.clone())
    }),
    assumed(
        "TERDUT_OIDC_CLIENT_SECRET",
        "oidc.clientSecretRef",
        "if enabled; from the Secret",
        |install, _| Some(Made::Secret(install.oidc.as_ref()?.client_secret.clone())),
    )
    .of_a_secret(),
    assumed("TERDUT_OIDC_NAME", "oidc.name", "if enabled", |install, _| {
        oidc(install, |oidc| oidc.name.to_string())
    }),
    assumed("TERDUT_OIDC_SCOPES", "oidc.scopes", "if enabled; between blanks", |install, _| {
        oidc(install, |oidc| oidc.scopes.clone())
    }),
    assumed(
        "TERDUT_OIDC_ALLOWED_GROUPS",
        "oidc.allowedGroups",
        "if enabled and given; between commas",
        |install, _| oidc(install, |oidc| oidc.allowed_groups.join(",")),
    ),
    assumed("TERDUT_OIDC_ADMIN_GROUP", "oidc.adminGroup", "if enabled and given", |install, _| {
        oidc(install, |oidc| oidc.admin_group.clone())
    }),
    assumed("TERDUT_OIDC_SESSION_MAX_AGE", "oidc.sessionMaxAge", "if enabled", |install, _| {
        oidc(install, |oidc| oidc.session_max_age.short())
    }),
    assumed("TERDUT_PASSWORD_LOGIN", "passwordLogin", "always", |install, _| {
        text(&install.password_login.to_string())
    }),
];

/// The server's environment. `env[]` replaces a variable of the same name where it stands, so that
/// what refers to it by `$(NAME)` still comes after it.
pub fn environment(install: &Install, database: &Database) -> Vec<EnvVarSpec> {
    let given = |name: &str| install.env.iter().find(|variable| variable.name == name).cloned();
    let made = |row: &Variable| Some(variable(row.name, (row.value)(install, database)?));
    let rendered: Vec<_> =
        TABLE.iter().filter_map(|row| given(row.name).or_else(|| made(row))).collect();
    let known = |variable: &&EnvVarSpec| TABLE.iter().any(|row| row.name == variable.name);
    let further = install.env.iter().filter(|variable| !known(variable)).cloned();
    rendered.into_iter().chain(further).collect()
}

const fn assumed(
    name: &'static str,
    field: &'static str,
    made: &'static str,
    value: fn(&Install, &Database) -> Option<Made>,
) -> Variable {
    Variable { name, field, source: Source::Assumed, made, secret: false, value }
}

impl Variable {
    const fn of_a_secret(self) -> Self {
        Self { secret: true, ..self }
    }
}

fn text(text: &str) -> Option<Made> {
    (!text.is_empty()).then(|| Made::Text(text.to_owned()))
}

fn deadman(install: &Install, value: impl FnOnce(&Deadman) -> String) -> Option<Made> {
    install.deadman.as_ref().and_then(|deadman| text(&value(deadman)))
}

fn oidc(install: &Install, value: impl FnOnce(&Oidc) -> String) -> Option<Made> {
    install.oidc.as_ref().and_then(|oidc| text(&value(oidc)))
}

fn variable(name: &str, made: Made) -> EnvVarSpec {
    let (value, value_from) = match made {
        Made::Text(text) => (Some(literal(&text)), None),
        Made::Secret(secret) => (None, Some(from_secret(secret))),
    };
    EnvVarSpec { name: name.to_owned(), value, value_from }
}

/// What Kubernetes reads as this text: what a field says is meant as it stands, and Kubernetes takes
/// `$(NAME)` for another variable's value, `$$` for one dollar, and spoils a letter beyond ASCII that
/// follows a dollar. Any other dollar it leaves alone, and so does this.
fn literal(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        escaped.push(letter);
        let means_more = |next: &char| matches!(next, '$' | '(') || !next.is_ascii();
        if letter == '$' && letters.peek().is_some_and(means_more) {
            escaped.push('$');
        }
    }
    escaped
}

fn from_secret(secret: SecretKey) -> EnvVarSourceSpec {
    let SecretKey { name, key } = secret;
    EnvVarSourceSpec {
        secret_key_ref: Some(SecretKeySelectorSpec { name, key, optional: None }),
        ..EnvVarSourceSpec::default()
    }
}
