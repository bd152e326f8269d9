//! What a change of `terdut_server` needs: the same answer for `terraform plan` and for the apply.
//!
//! [`plan`] sees the configuration, what the state holds and what was recorded beside it, and says
//! which values will be new, what is wrong, and the order for the credential machine. It calls
//! nothing.

use std::collections::BTreeMap;

use super::{BootstrapInput, ServerInput, given};
use crate::credential::{Facts, FirstPerson, Order, Rotate};
use crate::model::rotates;
use crate::problem::{Findings, Path, Problem};
use crate::secret::SecretString;
use crate::value::{Input, ServerUrl};

/// The account's name where none is configured.
pub const DEFAULT_ACCOUNT: &str = "terraform";

/// What was there before the change.
#[derive(Debug, Clone, Default)]
pub struct PriorServer {
    /// The URL.
    pub url: Option<ServerUrl>,
    /// The version of the write-only token.
    pub admin_token_wo_version: Option<String>,
    /// The stored token to mint with.
    pub admin_token: Option<SecretString>,
    /// The account's name.
    pub service_account_name: Option<String>,
    /// The watched values.
    pub rotate_when_changed: Option<BTreeMap<String, Option<String>>>,
    /// Whether the bootstrap's admin key was to be kept.
    pub keep_bootstrap_token: bool,
    /// Whether it came by import: nothing is known of how it was set up.
    pub imported: bool,
    /// What is held.
    pub facts: Facts,
    /// Whether the server refused the held key.
    pub refused: bool,
}

/// Which values will be new.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fresh {
    /// The token, its id and the previous one's.
    pub token: bool,
    /// The account's id.
    pub account: bool,
    /// The admin key that is kept: it may come, or stay away.
    pub bootstrap_token: bool,
}

/// What a change needs.
#[derive(Debug, Clone)]
pub struct ServerPlan {
    /// What is wrong, and what is worth a second look.
    pub findings: Findings,
    /// The account's name; `None` where it stays unset.
    pub account_name: Input<String>,
    /// Which values will be new.
    pub fresh: Fresh,
    /// Whether a kept admin key is given up.
    pub gives_up_bootstrap_token: bool,
    /// Whether anything has to be asked of the server.
    pub calls: bool,
    prove_held: bool,
    need: Need,
}

/// Plans a create (without a prior) or a change.
pub fn plan(input: &ServerInput, prior: Option<&PriorServer>) -> ServerPlan {
    match prior {
        None => plan_create(input),
        Some(prior) => plan_change(input, prior),
    }
}

impl ServerPlan {
    /// Whether another key than the held one is asked for.
    pub fn asks_anew(&self) -> bool {
        matches!(self.need, Need::Rename | Need::Rotate(_))
    }

    /// The order for the credential machine. All of the input must be known.
    pub fn order(&self, input: &ServerInput) -> Order {
        let name = given(&self.account_name).map_or(DEFAULT_ACCOUNT, |name| name.trim());
        let adopt_existing = given(&input.adopt_existing) == Some(&true);
        Order {
            handed: input.handed(),
            bootstrap: given(&input.bootstrap).and_then(first_person),
            keep_bootstrap_key: given(&input.keep_bootstrap_token) == Some(&true),
            prove_held: self.prove_held,
            rotate: rotate(self.need),
            ..Order::shared(name, adopt_existing)
        }
    }
}

fn first_person(input: &BootstrapInput) -> Option<FirstPerson> {
    let password = given(&input.password_wo).or(given(&input.password)).cloned();
    let username = given(&input.username)?.trim().to_owned();
    let email = given(&input.email)?.trim().to_owned();
    Some(FirstPerson { username, email, password })
}

fn plan_create(input: &ServerInput) -> ServerPlan {
    let mut findings = Findings::default();
    if !input.hands_in_a_key() && matches!(input.bootstrap, Input::Absent) {
        let detail = "A token comes from the server's one bootstrap, or is minted with a key that \
             is handed in; neither is configured.";
        findings.error(
            Problem::new(Path::root(), "No source for the token", detail)
                .hint("Set bootstrap, admin_token_wo or admin_token."),
        );
    }
    if given(&input.bootstrap).is_some_and(nobody_can_log_in) {
        findings.warn(nobody(Path::of("bootstrap")));
    }
    let keeps = !matches!(input.keep_bootstrap_token, Input::Absent | Input::Given(false));
    let bootstraps = !matches!(input.bootstrap, Input::Absent);
    ServerPlan {
        findings,
        account_name: name_or_default(input),
        fresh: Fresh { token: true, account: true, bootstrap_token: keeps && bootstraps },
        gives_up_bootstrap_token: false,
        calls: true,
        prove_held: false,
        need: Need::Mint,
    }
}

fn nobody_can_log_in(bootstrap: &BootstrapInput) -> bool {
    matches!((&bootstrap.password_wo, &bootstrap.password), (Input::Absent, Input::Absent))
}

fn nobody(path: Path) -> Problem {
    let detail = "The bootstrap's user has no password: unless the server has OIDC, nobody can log \
         in to it.";
    Problem::new(path, "Nobody can log in", detail)
        .hint("Set bootstrap.password_wo or bootstrap.password.")
}

fn name_or_default(input: &ServerInput) -> Input<String> {
    match &input.service_account_name {
        Input::Absent => Input::Given(DEFAULT_ACCOUNT.to_owned()),
        named => named.clone(),
    }
}

/// Why a key is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    Nothing,
    /// What was begun has to be finished; every other need finishes it too.
    Finish,
    /// The held key is refused.
    Lost,
    /// None is held, and one is asked for.
    Mint,
    /// Another account is wanted.
    Rename,
    Rotate(Rotate),
}

fn plan_change(input: &ServerInput, prior: &PriorServer) -> ServerPlan {
    let need = need(input, prior);
    let mut findings = Findings::default();
    check_credential(&mut findings, need, input, prior);
    check_keep(&mut findings, input, prior);
    let gives_up = prior.facts.admin.is_some() && gives_up(input, prior);
    let moves = moves(input, prior);
    ServerPlan {
        findings,
        account_name: account_name(input, prior, need),
        fresh: fresh(need, input, prior),
        gives_up_bootstrap_token: gives_up,
        calls: need != Need::Nothing || gives_up || moves,
        prove_held: moves,
        need,
    }
}

fn need(input: &ServerInput, prior: &PriorServer) -> Need {
    let rest = if prior.facts.unfinished { Need::Finish } else { Need::Nothing };
    if prior.facts.token().is_none() {
        let mints = rest == Need::Nothing && handed_anew(input, prior);
        if mints { Need::Mint } else { rest }
    } else if prior.refused {
        Need::Lost
    } else if is_renamed(input, prior) {
        Need::Rename
    } else if is_version_new(input, prior) || is_admin_token_replaced(input, prior) {
        Need::Rotate(Rotate::ByHanded)
    } else if rotates(prior.rotate_when_changed.as_ref(), &input.rotate_when_changed) {
        Need::Rotate(Rotate::ByHeld)
    } else {
        rest
    }
}

fn rotate(need: Need) -> Rotate {
    match need {
        Need::Rotate(rotate) => rotate,
        Need::Lost => Rotate::Lost,
        Need::Nothing | Need::Finish | Need::Mint | Need::Rename => Rotate::No,
    }
}

/// Whether a key to mint with has come since.
fn handed_anew(input: &ServerInput, prior: &PriorServer) -> bool {
    let token_is_new = match &input.admin_token {
        Input::Absent => false,
        Input::Unknown => true,
        Input::Given(token) => prior.admin_token.as_ref() != Some(token),
    };
    token_is_new || is_version_new(input, prior)
}

fn is_version_new(input: &ServerInput, prior: &PriorServer) -> bool {
    match &input.admin_token_wo_version {
        Input::Absent => false,
        Input::Unknown => true,
        Input::Given(version) => prior.admin_token_wo_version.as_ref() != Some(version),
    }
}

fn is_admin_token_replaced(input: &ServerInput, prior: &PriorServer) -> bool {
    match (&input.admin_token, &prior.admin_token) {
        (Input::Unknown, Some(_)) => true,
        (Input::Given(token), Some(old)) => token != old,
        (_, None) | (Input::Absent, _) => false,
    }
}

fn is_renamed(input: &ServerInput, prior: &PriorServer) -> bool {
    let Some(old) = prior.service_account_name.as_deref() else { return false };
    match &input.service_account_name {
        Input::Absent => old.trim() != DEFAULT_ACCOUNT,
        Input::Unknown => true,
        Input::Given(new) => new.trim() != old.trim(),
    }
}

fn account_name(input: &ServerInput, prior: &PriorServer, need: Need) -> Input<String> {
    let imported = prior.facts.current.is_none() && matches!(need, Need::Nothing);
    match &input.service_account_name {
        Input::Absent if imported => prior.service_account_name.clone().into(),
        _ => name_or_default(input),
    }
}

fn fresh(need: Need, input: &ServerInput, prior: &PriorServer) -> Fresh {
    let token = match need {
        Need::Nothing => false,
        Need::Finish => prior.facts.token().is_none(),
        Need::Lost | Need::Mint | Need::Rename | Need::Rotate(_) => true,
    };
    let keep_is_unknown = matches!(input.keep_bootstrap_token, Input::Unknown);
    Fresh {
        token,
        account: token && !matches!(need, Need::Rotate(_)),
        bootstrap_token: prior.facts.unfinished || (keep_is_unknown && prior.facts.admin.is_some()),
    }
}

fn moves(input: &ServerInput, prior: &PriorServer) -> bool {
    let new = given(&input.url).and_then(|text| text.parse::<ServerUrl>().ok());
    let holds = prior.facts.token().is_some();
    holds && new.is_some() && prior.url.is_some() && new != prior.url
}

fn gives_up(input: &ServerInput, prior: &PriorServer) -> bool {
    let keeps = !matches!(input.keep_bootstrap_token, Input::Absent | Input::Given(false));
    !keeps && !prior.facts.unfinished
}

fn check_credential(findings: &mut Findings, need: Need, input: &ServerInput, prior: &PriorServer) {
    if input.hands_in_a_key() || prior.facts.admin.is_some() {
        return;
    }
    let (path, detail) = match need {
        Need::Lost => (Path::root(), "The server refuses the stored token (401)."),
        Need::Finish if prior.facts.token().is_none() => {
            (Path::root(), "The create was begun, and no token has been minted yet.")
        }
        Need::Mint => (
            Path::of("admin_token_wo_version"),
            "A new admin_token_wo_version mints a token, and there is none to mint it with.",
        ),
        // A name that is not known yet may turn out to be the same.
        Need::Rename if matches!(input.service_account_name, Input::Unknown) => return,
        Need::Rename => (
            Path::of("service_account_name"),
            "A new service_account_name makes a new service account, which needs an admin key.",
        ),
        Need::Nothing | Need::Finish | Need::Rotate(_) => return,
    };
    findings.error(
        Problem::new(path, "A key to mint with is missing", detail)
            .hint("Set admin_token_wo or admin_token to an admin key of this server."),
    );
}

fn check_keep(findings: &mut Findings, input: &ServerInput, prior: &PriorServer) {
    let asked_now =
        given(&input.keep_bootstrap_token) == Some(&true) && !prior.keep_bootstrap_token;
    if !asked_now || prior.facts.admin.is_some() {
        return;
    }
    let path = Path::of("keep_bootstrap_token");
    let summary = "The bootstrap's key is gone";
    let detail = "The bootstrap's admin key is shown only once, when the server is bootstrapped.";
    let problem = Problem::new(path, summary, detail);
    if prior.imported {
        findings.warn(problem.hint("bootstrap_token stays null."));
    } else {
        findings.error(problem.hint("Remove keep_bootstrap_token."));
    }
}
