//! Somebody with a configuration and a server, who installs the provider and plans.

use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Program, Run, Workspace};

use crate::set::{Set, VERSION};
use crate::web::Web;

/// The address of the provider that everybody writes.
pub(crate) const SOURCE: &str = "ryuvia/terdut";

const TEAM: &str = "resource \"terdut_team\" \"main\" {\n  name = \"Platform\"\n}\n";

/// A person.
pub(crate) struct User {
    pub(crate) workspace: Workspace,
    _simulator: Simulator,
}

impl User {
    /// Whose program is set so, and whose configuration names the provider's source.
    pub(crate) async fn new(program: &Program, source: &str, settings: &str) -> Self {
        let simulator = Simulator::start(Options::default());
        let api = Api::bootstrap(simulator.url()).await;
        let mut workspace = Workspace::installing(program, settings);
        workspace.set_env("TERDUT_URL", api.base());
        workspace.set_env("TERDUT_TOKEN", api.token());
        let required = format!(
            "terraform {{\n  required_providers {{\n    terdut = {{\n      source = {source:?}\n      \
             version = {VERSION:?}\n    }}\n  }}\n}}\n"
        );
        workspace.write("main.tf", &format!("{required}{TEAM}"));
        Self { workspace, _simulator: simulator }
    }

    /// Who trusts a server's authority.
    pub(crate) fn trusting(mut self, web: &Web) -> Self {
        let authority = web.authority().display().to_string();
        self.workspace.set_env("SSL_CERT_FILE", &authority);
        self
    }

    /// `init`, whatever comes of it.
    pub(crate) async fn init(&self) -> Run {
        self.workspace.run(&["init", "-no-color", "-input=false"]).await
    }

    /// Installs and plans; gives the lock file.
    pub(crate) async fn installs(&self) -> String {
        self.init().await.expect_ok();
        let plan = self.workspace.plan().await;
        assert_eq!(plan.change("terdut_team.main").action(), "create", "{}", plan.text);
        let lock = self.workspace.file(".terraform.lock.hcl");
        assert!(lock.contains(&format!("\"{VERSION}\"")), "{lock}");
        lock
    }

    /// Is refused; gives what was said. Nothing is installed and nothing is locked.
    pub(crate) async fn is_refused(&self) -> String {
        let error = self.init().await.expect_error();
        assert_eq!(self.workspace.file(".terraform.lock.hcl"), "", "{error}");
        error
    }
}

/// Whether a lock file holds the hash of what the zip holds.
#[track_caller]
pub(crate) fn expect_contents(lock: &str, set: &Set) {
    let hash = set.contents_hash();
    assert!(lock.contains(&hash), "no {hash} in {lock}");
}
