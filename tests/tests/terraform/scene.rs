//! A simulator, somebody's key for it, and a folder with a configuration.

use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Binary, Program, Workspace};

/// The start of every configuration.
pub(crate) const HEAD: &str = r#"
terraform {
  required_providers {
    terdut = { source = "ryuvia/terdut" }
  }
}
"#;

pub(crate) struct Scene {
    pub(crate) simulator: Simulator,
    pub(crate) api: Api,
    pub(crate) workspace: Workspace,
}

impl Scene {
    /// A server with a first user, whose key the provider gets from its environment.
    pub(crate) async fn start(program: &Program) -> Self {
        let simulator = Simulator::start(Options::default());
        let api = Api::bootstrap(simulator.url()).await;
        let mut workspace = Workspace::new(program, &Binary::provider(), "terdut");
        workspace.set_env("TERDUT_URL", api.base());
        workspace.set_env("TERDUT_TOKEN", api.token());
        Self { simulator, api, workspace }
    }

    /// Writes the configuration behind the common start.
    pub(crate) fn configure(&self, text: &str) {
        self.workspace.write("main.tf", &format!("{HEAD}{text}"));
    }
}
