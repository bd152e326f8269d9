//! How a simulator is set up. Tests and the program fill it; it must never be read from the
//! environment here.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::clock::Clock;

/// Settings of one simulator.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the API listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where the admin port listens; `None`: there is none.
    pub admin: Option<SocketAddr>,
    /// Makes keys repeatable. Without it they come from the system.
    pub seed: Option<u64>,
    /// Where times come from.
    pub clock: Clock,
    /// The first id that is given out. Above 2^53 it finds those who read ids as floats.
    pub first_id: i64,
    /// The assumed behaviours.
    pub assumptions: Assumptions,
    /// A file that keeps the store between runs.
    pub state_file: Option<PathBuf>,
    /// How long each answer takes.
    pub latency: Duration,
    /// The address in an integration's `url`; without it that of the simulator.
    pub public_url: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        let free = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
        Self {
            listen: free,
            admin: Some(free),
            seed: None,
            clock: Clock::System,
            first_id: 1,
            assumptions: Assumptions::default(),
            state_file: None,
            latency: Duration::ZERO,
            public_url: None,
        }
    }
}

/// The shape of the answer that makes a service account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountAnswer {
    /// The account's fields beside `key`.
    #[default]
    Flat,
    /// The account under `service_account`, beside `key`.
    Nested,
}

/// The shape of the answer to `?name=`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountLookup {
    /// A list of none or one.
    #[default]
    List,
    /// The account itself; 404 when there is none.
    Object,
}

/// What is answered for a team without a policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoPolicy {
    /// 404 with a JSON error.
    #[default]
    NotFound,
    /// 200 with `{}`.
    EmptyObject,
    /// 200 with a policy without levels.
    NoLevels,
}

/// What the contract assumes of the server. The default is what it calls most natural; the
/// contract's text has the reasons.
#[expect(clippy::struct_excessive_bools, reason = "each is one independent line of the contract")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Assumptions {
    /// A second integration of a name in a team is 409.
    pub integration_names_unique: bool,
    /// The answer that makes a service account.
    pub account_answer: AccountAnswer,
    /// The answer to `GET /api/service-accounts?name=`.
    pub account_lookup: AccountLookup,
    /// The answer for a team without a policy.
    pub no_policy: NoPolicy,
    /// `DELETE /api/service-accounts/{id}` exists.
    pub account_delete_route: bool,
    /// `GET /api/service-accounts/{id}/keys` exists.
    pub account_keys_route: bool,
    /// `GET /api/me` exists.
    pub me_route: bool,
    /// `GET /api/me` answers a service account; else 404 with a JSON error.
    pub me_for_accounts: bool,
    /// Integrations of other kinds than `alertmanager` are accepted.
    pub other_integration_kinds: bool,
    /// Deleting a team takes all below it along; else 409 while there is something.
    pub team_delete_cascades: bool,
    /// Lists come in pages of this length, with `Link: <…>; rel="next"`.
    pub page_size: Option<usize>,
    /// The origin in that header; without it the simulator's.
    pub page_origin: Option<String>,
    /// More requests than this in one second are answered with 429 and `Retry-After: 1`.
    pub requests_per_second: Option<usize>,
    /// Answers carry a field that nobody knows.
    pub extra_fields: bool,
    /// A matcher is stored sorted and without blanks; else as it was given.
    pub canonical_matchers: bool,
    /// An instance account may list, mint and revoke its own keys.
    pub instance_manages_own_keys: bool,
    /// A team account may list, mint and revoke its own keys.
    pub team_manages_own_keys: bool,
    /// A team key may list teams, and sees its own; else 403.
    pub team_lists_own_team: bool,
    /// Deleting a user whom a policy names is 409; else the policy's target goes with the user.
    pub named_user_is_kept: bool,
}

impl Default for Assumptions {
    fn default() -> Self {
        Self {
            integration_names_unique: true,
            account_answer: AccountAnswer::Flat,
            account_lookup: AccountLookup::List,
            no_policy: NoPolicy::NotFound,
            account_delete_route: true,
            account_keys_route: true,
            me_route: true,
            me_for_accounts: true,
            other_integration_kinds: false,
            team_delete_cascades: true,
            page_size: None,
            page_origin: None,
            requests_per_second: None,
            extra_fields: false,
            canonical_matchers: false,
            instance_manages_own_keys: true,
            team_manages_own_keys: true,
            team_lists_own_team: false,
            named_user_is_kept: false,
        }
    }
}

impl Assumptions {
    /// These with some fields of a JSON object in place of their own.
    pub fn with(&self, changes: &Json) -> Result<Self, String> {
        let mut all = serde_json::to_value(self).map_err(|error| error.to_string())?;
        let fields = changes.as_object().ok_or("assumptions are a JSON object")?;
        for (name, value) in fields {
            all[name] = value.clone();
        }
        serde_json::from_value(all).map_err(|error| error.to_string())
    }
}
