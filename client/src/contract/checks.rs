//! The lines of the contract that can be tried, each with what it means where it does not hold.
//!
//! The walk judges each of them; a line that it never reaches is reported as not checked.

/// Where a line of the contract is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The server's authors state it.
    Design,
    /// The server's terminal client, terdut-tui, relies on it.
    Client,
    /// Neither does: the most natural form was chosen.
    Assumed,
}

impl Origin {
    /// The contract's letter.
    pub const fn letter(self) -> char {
        match self {
            Self::Design => 'D',
            Self::Client => 'C',
            Self::Assumed => 'A',
        }
    }
}

/// One line of the contract.
#[derive(Debug, PartialEq, Eq)]
pub struct Check {
    /// A name that stays the same.
    pub id: &'static str,
    /// Where it is known from.
    pub origin: Origin,
    /// The route, or what else it is about.
    pub route: &'static str,
    /// What the contract says.
    pub assumed: &'static str,
    /// What it means where it does not hold.
    pub otherwise: &'static str,
}

const RELIED_ON: &str = "this is relied on: expect errors";

macro_rules! otherwise {
    () => {
        RELIED_ON
    };
    ($text:literal) => {
        $text
    };
}

macro_rules! checks {
    ($($name:ident: $origin:ident $id:literal $route:literal, $assumed:literal $(, $text:literal)?;)+) => {
        $(pub(super) const $name: &Check = &Check {
            id: $id,
            origin: Origin::$origin,
            route: $route,
            assumed: $assumed,
            otherwise: otherwise!($($text)?),
        };)+

        /// Every line that is tried, in the contract's order.
        pub const CHECKS: &[&Check] = &[$($name),+];
    };
}

checks! {
    HEALTH: Client "health" "GET /healthz", "200 without a key";
    NO_KEY: Design "no-key" "every route", "401 without a key";
    UNKNOWN_KEY: Client "unknown-key" "every route", "401 for a key that it does not know";
    NO_ROUTE: Client "no-route" "any other route", "the text `404 page not found`",
        "a server that is too old is taken for one that fails";
    INVALID: Assumed "invalid-body" "POST /api/teams", "400 with a reason for a body that does not validate";
    NO_OBJECT: Assumed "no-object" "DELETE …/deadman-switches/{id}", "404 with a reason for an id that does not exist";
    PAGES: Assumed "pages" "every list", "one page",
        "further pages of the same origin are read, those of another are an error";
    FIELDS: Assumed "fields" "every answer", "no fields but the contract's", "they are ignored";
    BOOTSTRAP_SPENT: Design "bootstrap-spent" "POST /api/bootstrap", "403 once there is a user";
    ME: Client "me" "GET /api/me", "the user under `user`, with `has_password`",
        "only what asks for the key's owner fails";
    ME_ACCOUNT: Assumed "me-account" "GET /api/me", "for a service account's key: `service_account`",
        "only what asks for the key's owner fails";
    USERS: Client "users" "GET /api/users", "a list of users";
    USER_CREATE: Client "user-create" "POST /api/users", "201 with the user";
    USER_TAKEN: Client "user-taken" "POST /api/users", "409 for a name that is taken";
    NOTIFY: Client "user-notify" "PUT /api/users/{id}/notify", "the user with the topic; an empty one clears it";
    PASSWORD: Client "user-password" "PUT /api/users/{id}/password", "204";
    USER_KEY: Client "user-key" "POST /api/users/{id}/api-keys", "201 with the key, once";
    USER_KEY_REVOKE: Client "user-key-revoke" "DELETE /api/users/{id}/api-keys/{key_id}", "204, and the key answers 401";
    KEY_FORM: Client "key-form" "every key", "64 hex digits",
        "a key of another form is masked in messages only where we have seen it before";
    NAMED_USER: Assumed "named-user" "DELETE /api/users/{id}", "204 although a policy names the user",
        "a user is destroyed only after the rule that names it";
    USER_DELETE: Client "user-delete" "DELETE /api/users/{id}", "204";
    ON_CALL: Client "on-call" "GET /api/schedule/current", "the entry, or 404 for nobody",
        "terdut_on_call fails";
    ALERTS: Client "alerts" "GET /api/alerts?status=S", "the alerts of that status",
        "a test alert is sent and not looked for";
    TEAMS: Design "teams" "GET /api/teams", "a list of teams";
    TEAM_CREATE: Design "team-create" "POST /api/teams", "201 with the team";
    TEAM_TAKEN: Design "team-taken" "POST /api/teams", "409 for a name that is taken";
    TEAM_RENAME: Design "team-rename" "PUT /api/teams/{id}", "the team with its new name";
    GROUPS: Assumed "oidc-groups" "PUT /api/teams/{id}/oidc-groups", "the team with its groups; an empty one is cleared";
    NO_POLICY: Assumed "no-policy" "GET /api/teams/{id}/escalation", "404 when the team has none",
        "{} and a policy without levels are read as none";
    POLICY_PUT: Design "policy-put" "PUT /api/teams/{id}/escalation", "the policy as it is now";
    POLICY_READ: Design "policy-read" "GET /api/teams/{id}/escalation", "the policy that was put";
    POLICY_TIMEOUT: Design "policy-timeout" "PUT /api/teams/{id}/escalation", "timeouts in canonical form",
        "they are compared by meaning";
    POLICY_RESET: Assumed "policy-reset" "PUT /api/teams/{id}/escalation", "empty levels reset it";
    SWITCHES: Assumed "switches" "GET /api/teams/{id}/deadman-switches", "a list of switches";
    SWITCH_CREATE: Design "switch-create" "POST /api/teams/{id}/deadman-switches", "201 with the switch";
    SWITCH_TAKEN: Design "switch-taken" "POST /api/teams/{id}/deadman-switches", "409 for a name that is taken";
    SWITCH_TIMEOUT: Design "switch-timeout" "POST /api/teams/{id}/deadman-switches", "the timeout in canonical form",
        "it is compared by meaning";
    MATCHER: Assumed "matcher" "POST /api/teams/{id}/deadman-switches", "the matcher as it was given",
        "it is compared by meaning";
    SWITCH_DELETE: Design "switch-delete" "DELETE /api/teams/{id}/deadman-switches/{switch_id}", "204";
    SOURCES: Assumed "sources" "GET /api/teams/{id}/integrations", "a list of sources, never with `key` or `url`";
    SOURCE_CREATE: Design "source-create" "POST /api/teams/{id}/integrations", "201 with the source, `key` and `url`";
    SOURCE_URL: Assumed "source-url" "POST /api/teams/{id}/integrations", "a url that ends in /api/integrations/{key}/alertmanager",
        "the url is handed on as it is";
    WEBHOOK: Assumed "webhook" "POST /api/integrations/{key}/alertmanager", "200 for Alertmanager's webhook, without a key",
        "the url is handed on as it is; see whether alerts arrive";
    SOURCE_TAKEN: Assumed "source-taken" "POST /api/teams/{id}/integrations", "409 for a name that is taken in the team",
        "sources are told apart by id; import by name is an error where names repeat";
    SOURCE_KINDS: Assumed "source-kinds" "POST /api/teams/{id}/integrations", "400 for another kind than alertmanager",
        "the plan warns of such a kind all the same";
    SOURCE_RENAME: Design "source-rename" "PATCH /api/teams/{id}/integrations/{integration_id}", "the source with its new name";
    SOURCE_DELETE: Design "source-delete" "DELETE /api/teams/{id}/integrations/{integration_id}", "204";
    ACCOUNTS: Design "accounts" "GET /api/service-accounts", "a list of accounts";
    ACCOUNT_CREATE: Design "account-create" "POST /api/service-accounts", "201 with the account and its first key at `key.key`";
    ACCOUNT_ANSWER: Assumed "account-answer" "POST /api/service-accounts", "the account's fields beside `key`",
        "an account under `service_account` is read too";
    ACCOUNT_TAKEN: Design "account-taken" "POST /api/service-accounts", "409 for a name that is taken";
    ACCOUNT_LOOKUP: Design "account-lookup" "GET /api/service-accounts?name=", "the account of exactly that name, or none";
    ACCOUNT_LIST_FORM: Assumed "account-lookup-form" "GET /api/service-accounts?name=", "a list of one or none",
        "the account itself, or 404, is read too";
    KEYS: Assumed "keys" "GET /api/service-accounts/{id}/keys", "a list of keys, never with `key`",
        "keys cannot be looked at: a lost key stays until a person revokes it";
    KEY_MINT: Design "key-mint" "POST /api/service-accounts/{id}/keys", "201 with the key, once";
    KEY_NAMES: Assumed "key-names" "POST /api/service-accounts/{id}/keys", "names may repeat";
    KEY_REVOKE: Design "key-revoke" "DELETE /api/service-accounts/{id}/keys/{key_id}", "204, and the key answers 401";
    TEAM_SCOPE: Design "team-scope" "a team's key", "reads users and its own team, and makes no team (403)";
    TEAM_LIST: Assumed "team-key-teams" "GET /api/teams", "403 for a team's key",
        "a team's key that sees its team is served all the same";
    TEAM_OWN_KEYS: Assumed "team-own-keys" "/api/service-accounts/{id}/keys", "a team account lists, mints and revokes its own keys",
        "the bridge rotates a team's key with the instance's";
    INSTANCE_SCOPE: Design "instance-scope" "an instance key", "sees teams, and makes no users (403)";
    INSTANCE_OWN_KEYS: Assumed "instance-own-keys" "/api/service-accounts/{id}/keys", "an instance account lists, mints and revokes its own keys",
        "rotation is denied, and the old key stays";
    ACCOUNT_DELETE: Assumed "account-delete" "DELETE /api/service-accounts/{id}", "204",
        "its keys are revoked instead, and the account stays";
    TEAM_DELETE: Design "team-delete" "DELETE /api/teams/{id}", "204, with all that belongs to it",
        "what is below a team has to be destroyed before it";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_line_has_a_name_of_its_own() {
        let names: BTreeSet<_> = CHECKS.iter().map(|check| check.id).collect();
        assert_eq!(names.len(), CHECKS.len());
    }
}
