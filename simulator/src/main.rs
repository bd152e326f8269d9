//! The program: one simulator from the command line. The demo, the examples and people run it; it
//! must never print anything but its one line to standard output.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use serde_json::{Value as Json, json};
use terdut_simulator::{Assumptions, Options, Simulator};

const EXAMPLES: &str = "\
Examples:
  A server for trying things out, with a key to use:
      terdut-simulator --listen 127.0.0.1:8080 --admin-key
  A fresh server, for the one bootstrap, that is kept in a file:
      terdut-simulator --listen 127.0.0.1:8080 --state terdut.json
  A large one, the same each time, that answers slowly:
      terdut-simulator --seed 1 --teams 10 --switches 1000 --latency 5ms
  A server that differs from the contract:
      terdut-simulator --assume account_answer=nested --assume page_size=50
  The next POST of a team loses its answer (ADMIN is admin_url of the line that was printed):
      curl ADMIN/faults --json '{\"method\":\"POST\",\"route\":\"/api/teams\",\"acted\":true,\"action\":{\"kind\":\"drop\"}}'

It prints one line of JSON when it listens: url, admin_url and, with --admin-key or --teams,
admin_key. `curl ADMIN/` lists what the admin port does. It ends on SIGINT or SIGTERM.";

/// terdut's REST API as a program, for tests, examples and the demo.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// Where the API listens; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Where the admin port listens.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS")]
    admin: SocketAddr,
    /// Makes keys and seeded objects the same each time.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Adds so many teams, each with a policy and a source, unless there are teams already.
    #[arg(long, default_value_t = 0, value_name = "T")]
    teams: usize,
    /// Adds so many dead man's switches, spread over the seeded teams.
    #[arg(long, default_value_t = 0, value_name = "S", requires = "teams")]
    switches: usize,
    /// Makes a person with an admin key and prints it; the bootstrap is then spent.
    #[arg(long)]
    admin_key: bool,
    /// Keeps the store in this file between runs.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// How long each answer takes: 5ms, 0.5s.
    #[arg(long, default_value = "0ms", value_parser = duration, value_name = "TIME")]
    latency: Duration,
    /// The first id; 9007199254740993 finds those who read ids as floats.
    #[arg(long, default_value_t = 1, value_name = "ID")]
    first_id: i64,
    /// The server's address in a source's webhook URL.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Sets an assumed behaviour; may be repeated.
    #[arg(long = "assume", value_parser = assumption, value_name = "NAME=VALUE")]
    assumptions: Vec<(String, Json)>,
    /// Writes the line to this file too, when it listens.
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let bad = || format!("{text:?} is not a time such as 5ms or 0.5s");
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 0.001),
        None => (text.strip_suffix('s').ok_or_else(bad)?, 1.0),
    };
    let number: f64 = number.parse().map_err(|_| bad())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| bad())
}

fn assumption(text: &str) -> Result<(String, Json), String> {
    let (name, value) = text.split_once('=').ok_or("it needs the form NAME=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Json::from(value));
    Assumptions::default().with(&json!({ name: value.clone() }))?;
    Ok((name.to_owned(), value))
}

impl Arguments {
    fn options(&self) -> Options {
        let changes = Json::Object(self.assumptions.iter().cloned().collect());
        Options {
            listen: self.listen,
            admin: Some(self.admin),
            seed: self.seed,
            first_id: self.first_id,
            // Each was tried alone when it was parsed.
            assumptions: Assumptions::default().with(&changes).unwrap_or_default(),
            state_file: self.state.clone(),
            latency: self.latency,
            public_url: self.public_url.clone(),
            ..Options::default()
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    tracing_subscriber::fmt().with_writer(io::stderr).init();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, "terdut-simulator does not start");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // Before anybody can read the line and send a signal.
    let ended = runtime.block_on(async { termination() })?;
    let simulator = Simulator::try_start(arguments.options())?;
    if simulator.state().team_count() == 0 {
        simulator.state().fill(arguments.teams, arguments.switches);
    }
    let line = ready_line(&simulator, arguments);
    if let Some(path) = &arguments.ready_file {
        std::fs::write(path, &line)?;
    }
    io::stdout().write_all(line.as_bytes())?;
    io::stdout().flush()?;
    runtime.block_on(ended);
    Ok(())
}

fn ready_line(simulator: &Simulator, arguments: &Arguments) -> String {
    let mut line = json!({ "url": simulator.url(), "admin_url": simulator.admin_url() });
    if arguments.admin_key || arguments.teams > 0 {
        line["admin_key"] = simulator.seed_admin().into();
    }
    format!("{line}\n")
}

/// Ends with SIGINT or SIGTERM.
fn termination() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
