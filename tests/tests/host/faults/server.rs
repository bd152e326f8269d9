//! The server's own resource in the matrix: the one bootstrap, the account, its keys.
//!
//! Each cell has a server of its own, since a bootstrap cannot be undone.

mod walk;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Owner, ServiceAccount, Simulator};
use terdut_tests::host::{Diagnostic, Failure, ImportBy, World};

use super::hit::Hit;
use super::judge::Became;
use super::sort::{PATIENCE, Sort};
use super::truth::{Truth, is_at};
pub(crate) use walk::walk;

pub(crate) const SERVER: &str = "terdut_server";
const MAIN: &str = "terdut_server.main";
/// The first person's password.
pub(crate) const PASSWORD: &str = "s3cret-password";
/// The account's name where none is configured, and another one.
const ACCOUNT: &str = "terraform";
const OTHER_ACCOUNT: &str = "terraform-2";

/// What is done with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Bootstrap,
    Mint,
    Refresh,
    Plan,
    Rotate,
    Rename,
    Destroy,
    Import,
}

impl Deed {
    pub(crate) const ALL: [Self; 8] = [
        Self::Bootstrap,
        Self::Mint,
        Self::Refresh,
        Self::Plan,
        Self::Rotate,
        Self::Rename,
        Self::Destroy,
        Self::Import,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bootstrap => "create by bootstrap",
            Self::Mint => "create with an admin key",
            Self::Refresh => "refresh",
            Self::Plan => "plan",
            Self::Rotate => "rotate",
            Self::Rename => "another account",
            Self::Destroy => "destroy",
            Self::Import => "import",
        }
    }

    fn only_reads(self) -> bool {
        matches!(self, Self::Refresh | Self::Plan | Self::Import)
    }

    fn creates(self) -> bool {
        matches!(self, Self::Bootstrap | Self::Mint)
    }

    fn looks_first(self) -> bool {
        matches!(self, Self::Rotate | Self::Rename | Self::Destroy)
    }
}

pub(crate) type Ended = Result<Vec<Diagnostic>, Failure>;

/// A server with what is on it when a deed begins.
pub(crate) struct Cell {
    pub(crate) simulator: Arc<Simulator>,
    pub(crate) world: World,
    deed: Deed,
    admin: String,
    prior: Option<Json>,
}

impl Cell {
    pub(crate) async fn set(session: &terdut_tests::host::Session, deed: Deed) -> Self {
        let simulator = Arc::new(Simulator::start(Options::default()));
        let mut admin = String::new();
        if deed != Deed::Bootstrap {
            admin = simulator.seed_admin();
            simulator.state().add_account("terraform-of-another", None);
            simulator.state().add_team("Platform");
        }
        let world = World::over(session.clone());
        let mut cell = Self { simulator, world, deed, admin, prior: None };
        cell.configure(false).await;
        if !deed.creates() {
            let config = cell.config("1");
            let applied = cell.world.apply(MAIN, SERVER, &config).await;
            let made = applied.unwrap_or_else(|failure| panic!("to begin: {failure}"));
            cell.prior = Some(made.state);
        }
        if deed == Deed::Import {
            cell.world.forget(MAIN);
        }
        cell
    }

    async fn configure(&self, hurried: bool) {
        let patience = if hurried { format!("{}ms", PATIENCE.as_millis()) } else { "20s".into() };
        let settings = json!({ "request_timeout": patience, "max_retries": 1 });
        self.world.configure(&settings).await.expect("the settings are good");
    }

    fn config(&self, rotation: &str) -> Json {
        let mut config =
            json!({ "url": self.simulator.url(), "rotate_when_changed": { "n": rotation } });
        if self.deed == Deed::Bootstrap {
            config["bootstrap"] = json!({
                "username": "root", "email": "root@example.org", "password": PASSWORD
            });
        } else {
            config["admin_token"] = json!(self.admin);
        }
        config
    }

    fn wanted(&self) -> Json {
        let mut config = self.config(if self.deed == Deed::Rotate { "2" } else { "1" });
        if self.deed == Deed::Rename {
            config["service_account_name"] = json!(OTHER_ACCOUNT);
        }
        config
    }

    pub(crate) async fn act(&mut self) -> Ended {
        let (config, url) = (self.wanted(), self.simulator.url().to_owned());
        match self.deed {
            Deed::Bootstrap | Deed::Mint | Deed::Rotate | Deed::Rename => {
                self.world.apply(MAIN, SERVER, &config).await.map(|applied| applied.diagnostics)
            }
            Deed::Refresh => {
                // A refresh tells its warnings only to the person.
                let plan = self.world.plan(MAIN, SERVER, &config).await?;
                self.world.refresh(MAIN).await?;
                Ok(plan.diagnostics)
            }
            Deed::Plan => self.world.plan(MAIN, SERVER, &config).await.map(|plan| plan.diagnostics),
            Deed::Destroy => self.world.destroy(MAIN).await.map(|done| done.diagnostics),
            Deed::Import => {
                let imported = self.world.import(MAIN, SERVER, ImportBy::Id(&url)).await;
                imported.map(|_| Vec::new())
            }
        }
    }

    fn accounts(&self) -> Vec<ServiceAccount> {
        let all = self.simulator.state().accounts().into_iter();
        all.filter(|account| [ACCOUNT, OTHER_ACCOUNT].contains(&&*account.name)).collect()
    }

    fn token(&self) -> Option<String> {
        self.world.state(MAIN)?["token"].as_str().map(ToOwned::to_owned)
    }

    fn works(&self, token: &str) -> bool {
        self.simulator.state().keys().iter().any(|key| key.text == token)
    }

    /// Whether it is true what the state says, and what became of the deed.
    fn judge(&self, hits: &[&Hit], before: &Truth, ended: &Ended) -> Result<Became, String> {
        if let Err(failure) = ended {
            self.names_object_and_cause(hits, failure)?;
        }
        self.is_true(before, ended)
    }

    /// Whether state and server fit each other, and what became of the deed.
    pub(crate) fn is_true(&self, before: &Truth, ended: &Ended) -> Result<Became, String> {
        let after = Truth::look(&self.simulator);
        self.others_are_untouched(before, &after)?;
        let told = match ended {
            Ok(told) => told,
            Err(failure) => &failure.diagnostics,
        };
        let warned = told.iter().any(Diagnostic::is_warning);
        let lost = ["BootstrapStateLost", "may have been made"];
        let unsure = told.iter().any(|one| lost.iter().any(|text| one.says(text)));
        if self.deed.only_reads() {
            return self.read_right(before, &after, ended, warned);
        }
        let works = self.token().is_none_or(|token| self.works(&token));
        if !works && self.deed != Deed::Destroy {
            return Err(format!("the stored token does not work: {ended:?}"));
        }
        if self.world.is_tainted(MAIN) {
            return Err(format!("it is tainted: {ended:?}"));
        }
        let is_stored = self.world.state(MAIN).is_some();
        let accounts = self.accounts();
        let names: BTreeSet<_> = accounts.iter().map(|account| &account.name).collect();
        match ended {
            _ if accounts.len() > names.len() => Err(format!("duplicates: {accounts:?}")),
            Err(_) if !is_stored && !self.deed.creates() => Err("it was lost".to_owned()),
            Err(_) if !is_stored && !accounts.is_empty() && !unsure => {
                Err(format!("an orphan: {accounts:?}, {ended:?}"))
            }
            Ok(_) if self.deed == Deed::Destroy && is_stored => Err("it is not gone".to_owned()),
            Ok(_) if self.deed == Deed::Destroy && !warned && !accounts.is_empty() => {
                Err(format!("left without a word: {accounts:?}"))
            }
            Ok(_) if self.deed != Deed::Destroy && !is_stored => Err("not stored".to_owned()),
            Ok(_) if warned => Ok(Became::Warned),
            Ok(_) => Ok(Became::Done),
            Err(_) if unsure => Ok(Became::Unsure),
            Err(_) if after == *before => Ok(Became::Failed),
            Err(_) => Ok(Became::Begun),
        }
    }

    fn read_right(
        &self,
        before: &Truth,
        after: &Truth,
        ended: &Ended,
        warned: bool,
    ) -> Result<Became, String> {
        if after != before {
            return Err("reading has changed something".to_owned());
        }
        let state = self.world.state(MAIN);
        let kept = match self.deed {
            Deed::Import => state.is_some() == ended.is_ok(),
            _ => state == self.prior.as_ref(),
        };
        if !kept {
            return Err(format!("the state is now {state:?}: {ended:?}"));
        }
        Ok(match ended {
            Ok(_) if warned => Became::Warned,
            Ok(_) => Became::Done,
            Err(_) => Became::Failed,
        })
    }

    fn names_object_and_cause(&self, hits: &[&Hit], failure: &Failure) -> Result<(), String> {
        if !failure.says(self.simulator.url()) {
            return Err(format!("does not name the server: {failure}"));
        }
        let words: Vec<_> = hits.iter().flat_map(|hit| causes(hit)).collect();
        if !words.iter().any(|word| failure.says(word)) {
            return Err(format!("says none of {words:?}: {failure}"));
        }
        Ok(())
    }

    fn others_are_untouched(&self, before: &Truth, after: &Truth) -> Result<(), String> {
        let prior = self.prior.as_ref().and_then(|prior| prior["service_account_id"].as_str());
        let own = prior.map(|id| format!("account/{id}"));
        let mut touched: Vec<_> = after.changed_since(before).into_iter().collect();
        touched
            .retain(|path| before.has(path) && !own.as_ref().is_some_and(|own| is_at(path, own)));
        // What is new is an account of ours, or the first person.
        let accounts = self.accounts().into_iter().map(|account| format!("account/{}", account.id));
        let mut ours: Vec<_> = accounts.collect();
        if self.deed == Deed::Bootstrap {
            let people = self.simulator.state().users().into_iter();
            ours.extend(people.take(1).map(|person| format!("user/{}", person.id)));
        }
        let mut strange = after.new_since(before);
        strange.retain(|path| !ours.iter().any(|own| is_at(path, own)));
        if touched.is_empty() && strange.is_empty() {
            return Ok(());
        }
        Err(format!("others were touched: {touched:?} {strange:?}"))
    }

    /// The next run, after the fault.
    pub(crate) async fn end_well(&mut self, ended: &Ended) -> Result<(), String> {
        self.configure(false).await;
        let told = match ended {
            Ok(told) => told,
            Err(failure) => &failure.diagnostics,
        };
        match self.deed {
            Deed::Destroy => {
                let again = self.world.destroy(MAIN).await;
                return again.map(drop).map_err(|failure| format!("the next destroy: {failure}"));
            }
            Deed::Import if ended.is_err() => {
                return self.act().await.map(drop).map_err(|failure| failure.to_string());
            }
            Deed::Import => return Ok(()),
            _ => {}
        }
        let mut config = self.wanted();
        let asks_again = told.iter().any(|one| one.says(NOT_KNOWN));
        let is_done = asks_again && self.world.apply(MAIN, SERVER, &config).await.is_ok();
        if told.iter().any(|one| one.says("BootstrapStateLost")) && !is_done {
            // As the text says: a key is handed in.
            config = json!({
                "url": self.simulator.url(), "admin_token": self.simulator.seed_admin(),
                "adopt_existing": true
            });
        }
        if told.iter().any(|one| one.says("may have been made")) {
            config["adopt_existing"] = json!(true);
        }
        let again = self.world.apply(MAIN, SERVER, &config).await;
        let again = again.map_err(|failure| format!("the next apply: {failure}"))?;
        let plan = self.world.plan(MAIN, SERVER, &config).await;
        let plan = plan.map_err(|failure| format!("the plan after it: {failure}"))?;
        if !plan.is_empty() {
            return Err(format!("the plan after it is {:?}: {:?}", plan.action, plan.changes()));
        }
        let all: Vec<_> = told.iter().chain(&again.diagnostics).cloned().collect();
        self.one_of_each(&all)
    }

    /// One account, a token that works, and no key of ours that nobody knows of or was told of.
    fn one_of_each(&self, told: &[Diagnostic]) -> Result<(), String> {
        // The account before a new name goes at the next rotation.
        let wanted = if self.deed == Deed::Rename { OTHER_ACCOUNT } else { ACCOUNT };
        let mut accounts = self.accounts();
        accounts.retain(|account| account.name == wanted);
        let [account] = accounts.as_slice() else {
            return Err(format!("accounts: {accounts:?}"));
        };
        let token = self.token().unwrap_or_default();
        if !self.works(&token) {
            return Err("the token does not work".to_owned());
        }
        // A rotation keeps the key before it until the next.
        let kept = 1 + usize::from(self.deed == Deed::Rotate);
        let keys = self.simulator.state().keys_of(Owner::Account(account.id));
        let ids: Vec<_> = keys.iter().map(|key| key.id.to_string()).collect();
        let is_told = |id: &String| told.iter().any(|one| names_key(&one.detail, id));
        let is_lost = told.iter().any(|one| one.says("one more key"));
        if ids.len() > kept && !is_lost && !ids.iter().any(is_told) {
            return Err(format!("keys: {ids:?}, told: {told:?}"));
        }
        Ok(())
    }
}

/// What is said of a bootstrap that was asked for and never answered.
const NOT_KNOWN: &str = "whether the server made the first user is not known";

/// What names the cause in an error after this fault.
fn causes(hit: &Hit) -> Vec<&'static str> {
    let mut words = hit.sort.words().to_vec();
    let bootstraps = hit.asked.name() == "POST /api/bootstrap";
    match hit.sort {
        // A bootstrap that is refused has been spent.
        Sort::Forbidden if bootstraps => words = vec!["WaitingForCredential"],
        // Sent again, one that was answered badly is refused.
        sort if bootstraps && sort.may_act() => words.push("BootstrapStateLost"),
        Sort::NotFound => words.push("no longer on the server"),
        _ => {}
    }
    words
}

/// Whether a text names a key by its id: "the keys 8, 9 of service account 7".
fn names_key(text: &str, id: &str) -> bool {
    text.split("key").skip(1).any(|after| {
        let end = after.find(['.', '(']).unwrap_or(after.len());
        let end = after.find(" of ").unwrap_or(end).min(end);
        after[..end].split(|c: char| !c.is_ascii_digit()).any(|number| number == id)
    })
}
