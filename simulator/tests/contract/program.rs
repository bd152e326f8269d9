//! The program.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value as Json;

use crate::peer::Peer;

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terdut-simulator"));
    command.args(arguments);
    command
}

fn start(arguments: &[&str]) -> (Running, Json) {
    let mut child = program(arguments).stdout(Stdio::piped()).spawn().unwrap();
    let output = child.stdout.take().unwrap();
    let running = Running(child);
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).unwrap();
    (running, serde_json::from_str(&line).unwrap())
}

#[test]
fn it_prints_one_line_and_serves() {
    let (_running, line) = start(&["--seed", "1", "--teams", "3", "--switches", "7"]);
    let admin = Peer::new(line["url"].as_str().unwrap(), line["admin_key"].as_str());
    assert_eq!(admin.get("/api/teams").is(200).as_array().map(Vec::len), Some(3));
    let port = Peer::new(line["admin_url"].as_str().unwrap(), None);
    port.get("/state").is(200);
}

#[test]
fn without_seeding_the_bootstrap_is_open() {
    let (_running, line) = start(&["--assume", "page_size=1", "--latency", "5ms"]);
    assert!(line.get("admin_key").is_none());
    let nobody = Peer::new(line["url"].as_str().unwrap(), None);
    let root = serde_json::json!({ "username": "root", "email": "root@example.org" });
    nobody.post("/api/bootstrap", &root).is(201);
}

#[test]
fn a_bad_argument_names_itself() {
    for (argument, value) in [("--assume", "nothing=1"), ("--latency", "soon"), ("--teams", "x")] {
        let output = program(&[argument, value]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(argument), "{said}");
    }
}

#[test]
fn help_has_examples() {
    let output = program(&["--help"]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("Examples:"));
}
