//! A provider that somebody started by hand with `--debug`, and real programs that attach to it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Binary, Program, Workspace};

use crate::scene::HEAD;

/// A provider under a debugger: it ends with the test.
struct Debugged {
    child: Child,
    // A closed pipe would end the process at its next word.
    _output: BufReader<ChildStdout>,
    variable: String,
}

impl Debugged {
    fn start(api: &Api) -> Self {
        let binary = Binary::provider()
            .with_env("TERDUT_URL", api.base())
            .with_env("TERDUT_TOKEN", api.token());
        let mut command = binary.command();
        command.arg("--debug").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the provider starts");
        let mut output = BufReader::new(child.stdout.take().expect("it has an output"));
        let mut line = String::new();
        while !line.contains("TF_REATTACH_PROVIDERS") {
            line.clear();
            assert_ne!(output.read_line(&mut line).expect("a line"), 0, "it never said how");
        }
        let variable = line.split('\'').nth(1).expect("a quoted value").to_owned();
        Self { child, _output: output, variable }
    }

    /// Ends it as a person does.
    fn interrupt(mut self) -> bool {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill runs");
        sent.success() && self.child.wait().expect("it ends").success()
    }
}

impl Drop for Debugged {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_program_attaches_to_a_provider_that_waits_for_it() {
    for program in Program::all() {
        let simulator = Simulator::start(Options::default());
        let api = Api::bootstrap(simulator.url()).await;
        let debugged = Debugged::start(&api);
        let mut workspace = Workspace::new(&program, &Binary::provider(), "terdut");
        workspace.write(
            "main.tf",
            &format!("{HEAD}\nresource \"terdut_team\" \"main\" {{\n  name = \"Platform\"\n}}\n"),
        );
        // Only the process that waits has the server's URL and key: another would fail.
        workspace.set_env("TF_REATTACH_PROVIDERS", &debugged.variable);
        workspace.init().await;
        workspace.apply().await;
        workspace.plan().await.expect_empty();
        assert!(api.find("/api/teams", "name", "Platform").await.is_some());
        workspace.destroy().await;
        assert!(debugged.interrupt(), "{}: it did not end well", program.label());
    }
}
