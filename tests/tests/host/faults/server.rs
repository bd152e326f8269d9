//! The server's own resource in the matrix: the one bootstrap, the account, its keys.
//!
//! Each cell has a server of its own, since a bootstrap cannot be undone.

use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Owner, ServiceAccount, Simulator};
use terdut_tests::harness::Binary;
use terdut_tests::host::{Diagnostic, Failure, Host, ImportBy, Profile, World};

use super::hit::{Asked, Hit};
use super::judge::Became;
use super::lane::{Walked, spans};
use super::page::Row;
use super::sort::{PATIENCE, Sort};
use super::truth::{Truth, is_at};

pub(crate) const SERVER: &str = "terdut_server";
const MAIN: &str = "terdut_server.main";
/// The account's name where none is configured.
const ACCOUNT: &str = "terraform";

/// What is done with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Bootstrap,
    Mint,
    Refresh,
    Plan,
    Rotate,
    Destroy,
    Import,
}

impl Deed {
    pub(crate) const ALL: [Self; 7] = [
        Self::Bootstrap,
        Self::Mint,
        Self::Refresh,
        Self::Plan,
        Self::Rotate,
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
        matches!(self, Self::Rotate | Self::Destroy)
    }
}

type Ended = Result<Vec<Diagnostic>, Failure>;

/// A server with what is on it when a deed begins.
struct Cell {
    simulator: Simulator,
    world: World,
    deed: Deed,
    admin: String,
    prior: Option<Json>,
}

impl Cell {
    async fn set(session: &terdut_tests::host::Session, deed: Deed) -> Self {
        let simulator = Simulator::start(Options::default());
        let mut admin = String::new();
        if deed != Deed::Bootstrap {
            admin = simulator.seed_admin();
            simulator.state().add_account("terraform-of-another", None);
            simulator.state().add_team("Platform");
        }
        let world = World::over(session.clone());
        let mut cell = Self { simulator, world, deed, admin, prior: None };
        cell.configure(None).await;
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

    async fn configure(&self, sort: Option<Sort>) {
        let hurried = sort == Some(Sort::Slow);
        let patience = if hurried { format!("{}ms", PATIENCE.as_millis()) } else { "20s".into() };
        let settings = json!({ "request_timeout": patience, "max_retries": 1 });
        self.world.configure(&settings).await.expect("the settings are good");
    }

    fn config(&self, rotation: &str) -> Json {
        let mut config =
            json!({ "url": self.simulator.url(), "rotate_when_changed": { "n": rotation } });
        if self.deed == Deed::Bootstrap {
            config["bootstrap"] = json!({
                "username": "root", "email": "root@example.org", "password": "s3cret-password"
            });
        } else {
            config["admin_token"] = json!(self.admin);
        }
        config
    }

    fn wanted(&self) -> Json {
        self.config(if self.deed == Deed::Rotate { "2" } else { "1" })
    }

    async fn act(&mut self) -> Ended {
        let (config, url) = (self.wanted(), self.simulator.url().to_owned());
        match self.deed {
            Deed::Bootstrap | Deed::Mint | Deed::Rotate => {
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
        all.filter(|account| account.name == ACCOUNT).collect()
    }

    fn token(&self) -> Option<String> {
        self.world.state(MAIN)?["token"].as_str().map(ToOwned::to_owned)
    }

    fn works(&self, token: &str) -> bool {
        self.simulator.state().keys().iter().any(|key| key.text == token)
    }

    /// Whether it is true what the state says, and what became of the deed.
    fn judge(&self, hits: &[&Hit], before: &Truth, ended: &Ended) -> Result<Became, String> {
        let after = Truth::look(&self.simulator);
        if let Err(failure) = ended {
            self.names_object_and_cause(hits, failure)?;
        }
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
        match ended {
            _ if accounts.len() > 1 => Err(format!("duplicates: {accounts:?}")),
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
        let mut words: Vec<_> = hits.iter().flat_map(|hit| hit.sort.words()).copied().collect();
        // A bootstrap that is refused has been spent.
        words.extend(["WaitingForCredential", "BootstrapStateLost", "no longer on the server"]);
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
        if touched.is_empty() { Ok(()) } else { Err(format!("others were touched: {touched:?}")) }
    }

    /// The next run, after the fault.
    async fn end_well(&mut self, ended: &Ended) -> Result<(), String> {
        self.configure(None).await;
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
        if told.iter().any(|one| one.says("BootstrapStateLost")) {
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
        let accounts = self.accounts();
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
        let is_told = |id: &String| told.iter().any(|one| one.detail.contains(id.as_str()));
        let is_lost = told.iter().any(|one| one.says("one more key"));
        if ids.len() > kept && !is_lost && !ids.iter().any(is_told) {
            return Err(format!("keys: {ids:?}, told: {told:?}"));
        }
        Ok(())
    }
}

/// One deed with a server under each fault at each of its requests.
pub(crate) async fn walk(deed: Deed) -> Walked {
    let binary = Binary::provider().with_env("TERDUT_RETRY_BASE", "1ms");
    let host = Host::start(&binary, Profile::modern()).await;
    let session = host.session().clone();
    session.may_forget();
    let mut asked = undisturbed(&session, deed).await;
    if deed.looks_first() {
        let looks = undisturbed(&session, Deed::Plan).await.len();
        asked.drain(..looks);
    }
    let mut walked = Walked::default();
    for asked in &asked {
        row(&session, deed, asked, &mut walked).await;
    }
    host.shutdown().await;
    walked
}

async fn undisturbed(session: &terdut_tests::host::Session, deed: Deed) -> Vec<Asked> {
    let mut cell = Cell::set(session, deed).await;
    cell.simulator.clear_requests();
    let ended = cell.act().await;
    let asked = Asked::all(&cell.simulator.requests());
    assert!(ended.is_ok(), "without a fault: {ended:?}");
    cell.end_well(&ended).await.unwrap_or_else(|lie| panic!("without a fault: {lie}"));
    asked
}

async fn row(
    session: &terdut_tests::host::Session,
    deed: Deed,
    asked: &Asked,
    walked: &mut Walked,
) {
    for acted in [false, true] {
        if acted && !asked.writes() {
            continue;
        }
        let mut cells = Vec::new();
        for sort in Sort::ALL {
            let mut letters = String::new();
            for span in spans(sort, asked, acted, false) {
                let hit = Hit { sort, asked: asked.clone(), acted, span };
                walked.cells += 1;
                letters.push(match cell(session, deed, &hit).await {
                    Ok(became) => became.letter(),
                    Err(lie) => {
                        let at = format!("{SERVER} {}: {hit:?}", deed.name());
                        walked.lies.push(format!("{at}: {lie}"));
                        '!'
                    }
                });
            }
            cells.push(letters);
        }
        let request = format!("{}{}", asked.name(), if acted { ", *acted*" } else { "" });
        walked.rows.push(Row { deed: deed.name(), request, cells });
    }
}

async fn cell(
    session: &terdut_tests::host::Session,
    deed: Deed,
    hit: &Hit,
) -> Result<Became, String> {
    let mut cell = Cell::set(session, deed).await;
    cell.configure(Some(hit.sort)).await;
    let before = Truth::look(&cell.simulator);
    cell.simulator.clear_requests();
    hit.set(&cell.simulator);
    let ended = cell.act().await;
    cell.simulator.clear_faults();
    cell.simulator.come_back();
    let became = cell.judge(&[hit], &before, &ended)?;
    cell.end_well(&ended).await?;
    Ok(became)
}
