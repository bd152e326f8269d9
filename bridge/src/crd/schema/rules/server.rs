//! The rules of a TerdutServer.

use terdut_core::value::SETTING;

use super::cel::{self, Absence, given, or_default, quoted};
use super::{ROOT, Rule, duration, matcher, optional_name, text, word};

/// A Secret's or another object's name, also within a pattern.
const OBJECT: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

/// Where a key of a Secret is named.
const SECRETS: [&str; 5] = [
    "database.passwordSecretRef",
    "notify.tokenSecretRef",
    "oidc.clientSecretRef",
    "credentialsSecretRef",
    "bootstrap.passwordSecretRef",
];

/// TerdutServer.
pub(in crate::crd::schema) fn server() -> Vec<Rule> {
    let mut rules = vec![named_as_a_service()];
    rules.extend(image_and_network());
    rules.extend(database());
    rules.extend(alerts());
    rules.extend(log_in());
    rules.extend(teams());
    rules.extend(environment());
    rules.extend(SECRETS.iter().flat_map(|place| secret(place)));
    rules
}

fn named_as_a_service() -> Rule {
    Rule::new(
        ROOT,
        format!("self.metadata.name.matches({})", quoted("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$")),
        "the name of a TerdutServer is also its Service's: at most 63 lower-case letters, digits \
         and '-', starting with a letter and not ending with '-'",
    )
}

fn image_and_network() -> Vec<Rule> {
    let label = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
    vec![
        formed(
            "image.repository",
            "^([A-Za-z0-9._:-]+/)*[A-Za-z0-9._-]+$",
            "write the image's registry and path without a tag",
        ),
        Rule::new(
            "image.tag",
            cel::form(
                "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}(@sha256:[A-Fa-f0-9]{64})?$",
                Absence::Refused,
            ),
            "write a tag of at most 128 letters, digits, '_', '.' and '-'; @sha256: and a digest \
             may follow",
        ),
        formed(
            "networking.hostname",
            &format!("^([*][.])?{label}([.]{label})*$"),
            "write a host name of lower-case labels, as terdut.example.org",
        ),
        formed(
            "networking.gatewayListener",
            &format!("^{OBJECT}(/{OBJECT}){{0,2}}$"),
            "write gateway, namespace/gateway or namespace/gateway/listener",
        ),
    ]
}

fn database() -> Vec<Rule> {
    let dsn = given("self.dsn");
    let cluster = given("self.postgresClusterRef.name");
    let secret = given("self.passwordSecretRef.name");
    vec![
        Rule::new(
            "database",
            format!("{dsn} != {cluster}"),
            "give exactly one of dsn (with passwordSecretRef) and postgresClusterRef",
        ),
        Rule::new(
            "database",
            format!("!{dsn} || {cluster} || {secret}"),
            "beside dsn, passwordSecretRef names the Secret with the database's password",
        )
        .about("passwordSecretRef"),
        Rule::new(
            "database",
            format!("!{cluster} || {dsn} || !{secret}"),
            "passwordSecretRef belongs to dsn: the Postgres operator makes a Secret of its own",
        )
        .about("passwordSecretRef"),
        // An API server quotes a text that a rule of its own refuses; of an object it says nothing.
        Rule::new(
            "database",
            format!(
                "!{dsn} || (!self.dsn.matches({}) && !self.dsn.matches({}))",
                quoted("://([^/?#]*:[^/?#]*@|[^/?#@]*:[^@]*@)"),
                quoted("(?i)(^|[?&[:space:]])(ssl)?password[[:space:]]*=")
            ),
            "a DSN must not hold a password: put it into a Secret and name that in \
             passwordSecretRef",
        )
        .about("dsn"),
        Rule::new(
            "database",
            format!(
                "!{dsn} || self.dsn.matches({})",
                quoted("^[[:space:]]*(postgres(ql)?://.+|[^:=]*[a-z][[:space:]]*=.*)$")
            ),
            "write postgres://user@host:5432/database?sslmode=require, or host=… user=… dbname=…",
        )
        .about("dsn"),
        formed(
            "database.postgresClusterRef.name",
            &format!("^{OBJECT}$"),
            "write the name of a postgresql object in this namespace",
        ),
    ]
}

fn alerts() -> Vec<Rule> {
    let stale = or_default("self.staleAfter", "6h");
    let archive = or_default("self.archiveAfter", "168h");
    let form = quoted(cel::DURATION);
    vec![
        setting("sweeper.staleAfter"),
        setting("sweeper.archiveAfter"),
        Rule::new(
            "sweeper",
            format!(
                "!{stale}.matches({form}) || !{archive}.matches({form}) || duration({archive}) > \
                 duration({stale})"
            ),
            "archiveAfter (168h when absent) must be longer than staleAfter (6h when absent)",
        )
        .about("archiveAfter"),
        matcher("deadman.matchers", Absence::Allowed),
        setting("deadman.timeout"),
        word("deadman.severity"),
        url("notify", "ntfyURL"),
        text("notify.fallbackTopic"),
        setting("notify.repeatEvery"),
    ]
}

fn log_in() -> Vec<Rule> {
    let enabled = |oidc: &str| format!("(has({oidc}.enabled) && {oidc}.enabled)");
    let needs = |field: &'static str, place: &str, message: &str| {
        let rule = format!("!{} || {}", enabled("self"), given(place));
        Rule::new("oidc", rule, message).about(field)
    };
    vec![
        needs("issuer", "self.issuer", "issuer is required when OIDC is enabled"),
        needs("clientID", "self.clientID", "clientID is required when OIDC is enabled"),
        needs(
            "clientSecretRef",
            "self.clientSecretRef.name",
            "clientSecretRef.name is required when OIDC is enabled",
        ),
        Rule::new(
            "",
            format!(
                "!has(self.passwordLogin) || self.passwordLogin || (has(self.oidc) && {})",
                enabled("self.oidc")
            ),
            "nobody could log in: set passwordLogin to true or enable OIDC",
        )
        .about("passwordLogin"),
        url("oidc", "issuer"),
        text("oidc.clientID"),
        optional_name("oidc.name"),
        text("oidc.scopes"),
        text("oidc.adminGroup"),
        setting("oidc.sessionMaxAge"),
        Rule::new(
            "oidc.allowedGroups[]",
            format!("self.trim() != '' && !self.contains(',') && {}", cel::no_control()),
            "a group must not be blank, and must not hold commas or control characters",
        ),
        optional_name("bootstrap.username"),
        formed(
            "bootstrap.email",
            "^[^[:space:]]+@[^@[:space:]]+$",
            "write an e-mail address as user@host",
        ),
    ]
}

fn teams() -> Vec<Rule> {
    let labels = "(has(self.selector.matchLabels) && self.selector.matchLabels.size() > 0)";
    let demands =
        "(has(self.selector.matchExpressions) && self.selector.matchExpressions.size() > 0)";
    vec![
        Rule::new(
            "allowedTeams.namespaces",
            format!(
                "(has(self.from) && self.from == 'Selector') == (has(self.selector) && ({labels} \
                 || {demands}))"
            ),
            "selector is given with from: Selector and only then; for every namespace write from: \
             All",
        )
        .about("selector"),
        Rule::new(
            "allowedTeams.namespaces.selector.matchExpressions[]",
            "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
            "values are given with the operators In and NotIn and only then",
        )
        .about("values"),
    ]
}

fn environment() -> Vec<Rule> {
    let source = |name: &str| format!("has(self.valueFrom.{name})");
    let sources =
        ["secretKeyRef", "configMapKeyRef", "fieldRef", "resourceFieldRef"].map(source).join(", ");
    let count = format!("[{sources}].filter(given, given).size()");
    vec![
        Rule::new(
            "env[].name",
            cel::form("^[-._a-zA-Z][-._a-zA-Z0-9]*$", Absence::Refused),
            "write a variable's name: letters, digits, '_', '-' and '.', not starting with a digit",
        ),
        Rule::new(
            "env[]",
            format!("!has(self.valueFrom) || {count} == 0 || !{}", given("self.value")),
            "a variable has a value or valueFrom, not both",
        )
        .about("valueFrom"),
        Rule::new(
            "env[]",
            format!("!has(self.valueFrom) || {count} <= 1"),
            "valueFrom names one source",
        )
        .about("valueFrom"),
    ]
}

fn secret(place: &str) -> [Rule; 2] {
    [
        formed(format!("{place}.name"), &format!("^{OBJECT}$"), "write the name of a Secret"),
        formed(
            format!("{place}.key"),
            "^[-._a-zA-Z0-9]+$",
            "write a key of a Secret: letters, digits, '-', '_' and '.'",
        ),
    ]
}

fn formed(at: impl Into<String>, pattern: &str, message: &str) -> Rule {
    Rule::new(at, cel::form(pattern, Absence::Allowed), message)
}

fn setting(at: &str) -> Rule {
    duration(at, SETTING, Absence::Allowed)
}

/// Of a place and its field: a URL that holds a password must not be quoted either.
fn url(place: &str, field: &'static str) -> Rule {
    let text = format!("self.{field}");
    let host = r"([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])";
    let pattern = quoted(&format!("^https?://{host}(:[0-9]{{1,5}})?(/[^?#[:space:]]*)?$"));
    Rule::new(
        place,
        format!("!{} || {text}.matches({pattern})", given(&text)),
        "write a URL that starts with http:// or https://, without user, query or fragment",
    )
    .about(field)
}
