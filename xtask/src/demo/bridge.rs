//! `cargo xtask demo --bridge`: the bridge, shown to a person on a cluster that is made for it.
//!
//! The demo itself is the program `bridge-demo` of the tests' crate, which knows how to run a
//! control plane; here its programs are found or fetched, and it is built and run.

use anyhow::Result;

use crate::shell;
use crate::tools::{self, Tool};

/// The programs of a control plane.
pub(crate) const NEEDS: [Tool; 4] =
    [Tool::Etcd, Tool::ApiServer, Tool::ControllerManager, Tool::Kubectl];

/// Runs the demo.
pub(crate) fn run() -> Result<()> {
    let mut programs = Vec::new();
    for tool in NEEDS {
        let found = tool.find_or_fetch()?;
        shell::say(&format!("== {tool}: {} (from {})", found.path.display(), found.origin));
        programs.push((tool, found));
    }
    let build = ["build", "--locked", "--package", "terdut-bridge"];
    shell::run("build the bridge", shell::cargo().args(build))?;
    let show = ["run", "--quiet", "--locked", "--package", "terdut-tests", "--bin", "bridge-demo"];
    let bridge = shell::target_folder().join("debug/terdut-bridge");
    let settings = tools::settings(&programs)?;
    let mut demo = shell::cargo();
    demo.args(show).env("TERDUT_BRIDGE_BINARY", bridge).envs(settings);
    shell::run("the bridge's demo", &mut demo)
}
