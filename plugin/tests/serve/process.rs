//! Real plugin processes: standard output, exit codes and signals.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, ExitCode, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use terdut_plugin::serve::{MAGIC_COOKIE, MAGIC_COOKIE_KEY, ServeOptions, serve};

use crate::fixture::{Tiny, options};
use crate::host::Handshake;

/// Tells the test below to serve, and how.
const ROLE: &str = "TINY_PLUGIN";

/// Not a test: the plugin process of the tests below.
#[test]
fn plugin_process() -> ExitCode {
    let Ok(role) = std::env::var(ROLE) else { return ExitCode::SUCCESS };
    serve(Tiny::default(), &ServeOptions { debug: role == "debug", ..options() })
}

fn plugin(role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "process::plugin_process", "--nocapture", "--test-threads=2"])
        .env_remove("TF_LOG")
        .env(ROLE, role)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Kills what a failed test leaves.
struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    /// The next line that the test program did not write about itself.
    fn line(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "there is another line");
            if !line.trim().is_empty() && !line.starts_with("running 1 test") {
                return line;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    fn end(&mut self) -> ExitStatus {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the plugin did not end");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hosted() -> Running {
    Running::start(plugin("serve").env(MAGIC_COOKIE_KEY, MAGIC_COOKIE))
}

#[test]
fn started_by_hand_it_explains_itself_and_fails() {
    let Output { status, stdout, stderr } =
        plugin("serve").env_remove(MAGIC_COOKIE_KEY).output().unwrap();
    assert!(!status.success());
    assert!(!String::from_utf8(stdout).unwrap().contains("1|6|"));
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(stderr.contains("the tiny provider"), "{stderr}");
    assert!(stderr.contains("terraform init"), "{stderr}");
}

#[test]
fn a_bad_certificate_is_explained() {
    let output = plugin("serve")
        .env(MAGIC_COOKIE_KEY, MAGIC_COOKIE)
        .env("PLUGIN_CLIENT_CERT", "rubbish")
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().contains("PLUGIN_CLIENT_CERT"));
}

#[test]
fn a_request_to_terminate_ends_it_and_an_interrupt_does_not() {
    let mut plugin = hosted();
    let socket = Handshake::parse(&plugin.line()).socket();
    plugin.signal(Signal::SIGINT);
    std::thread::sleep(Duration::from_millis(100));
    assert!(plugin.is_running());
    assert!(socket.exists());
    plugin.signal(Signal::SIGTERM);
    assert!(plugin.end().success());
    assert!(!socket.exists());
    let mut rest = String::new();
    plugin.output.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains('|'), "nothing is written after the handshake: {rest}");
}

#[test]
fn for_a_debugger_it_says_how_to_attach_and_ends_on_an_interrupt() {
    let mut plugin = Running::start(&mut plugin("debug"));
    let line = loop {
        let line = plugin.line();
        if line.contains("TF_REATTACH_PROVIDERS") {
            break line;
        }
    };
    let value = line.split('\'').nth(1).unwrap();
    let value: Value = serde_json::from_str(value).unwrap();
    let entry = &value["registry.terraform.io/test/tiny"];
    assert_eq!(entry["Pid"], plugin.child.id());
    assert_eq!(entry["Addr"]["Network"], "unix");
    plugin.signal(Signal::SIGINT);
    assert!(plugin.end().success());
}
