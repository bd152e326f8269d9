//! `cargo xtask demo`: the main job, shown to a person, on a machine with nothing prepared.
//!
//! It builds the programs, finds or fetches terraform or tofu, starts the simulator, and takes
//! `examples/quickstart` from an empty server to an empty server: plan, apply, a second plan that
//! must be empty, an alert through a new source, what is on the server now, destroy. Each step says
//! what it does and how long it took; a failed one ends it with what was said. With `--bridge` the
//! same story is told in Kubernetes.

mod bridge;
mod folder;
mod http;
mod program;

use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value as Json, json};
use terdut_simulator::{Options, Simulator};

use crate::shell::{self, say};
use crate::tools::{Found, Tool};
pub(crate) use bridge::NEEDS as BRIDGE_NEEDS;
use folder::Folder;
use program::Program;

/// What to show.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Leave the folder with configuration and state behind, and say where it is.
    #[arg(long, conflicts_with = "bridge")]
    keep: bool,
    /// Show the Kubernetes bridge instead, on a control plane of its own.
    #[arg(long)]
    bridge: bool,
}

impl Args {
    /// Shows the bridge.
    pub(crate) const BRIDGE: Self = Self { keep: false, bridge: true };
}

/// Runs the demo.
pub(crate) fn run(args: &Args) -> Result<()> {
    if args.bridge { bridge::run() } else { provider(args) }
}

fn provider(args: &Args) -> Result<()> {
    let started = Instant::now();
    let build = ["build", "--locked", "--package", "terraform-provider-terdut"];
    shell::run("build the provider", shell::cargo().args(build))?;
    let (tool, found) = cli()?;
    say(&format!("== {tool}: {} (from {})", found.path.display(), found.origin));
    let simulator = Simulator::start(Options::default());
    say(&format!("== a terdut server (simulated, empty) answers at {}", simulator.url()));
    let folder = Folder::prepare(tool)?;
    let program = Program::new(found.path, &folder, simulator.url());
    show(&program, simulator.url())?;
    let teams = simulator.state().teams().len();
    say(&format!("\n== On the server now: {teams} teams"));
    if teams > 0 {
        bail!("destroy left {teams} teams behind");
    }
    if args.keep {
        say(&format!("The configuration is in {}", folder.keep().display()));
    }
    say(&format!(
        "\nDone in {:.1} s. The configuration is examples/quickstart.",
        started.elapsed().as_secs_f64()
    ));
    Ok(())
}

/// Terraform, or tofu where there is no terraform and one of them can be had.
fn cli() -> Result<(Tool, Found)> {
    for tool in [Tool::Terraform, Tool::Tofu] {
        if let Some(found) = tool.find()? {
            return Ok((tool, found));
        }
    }
    let tofu = Tool::Tofu.find_or_fetch().map(|found| (Tool::Tofu, found));
    tofu.or_else(|_| Ok((Tool::Terraform, Tool::Terraform.find_or_fetch()?)))
}

fn show(program: &Program, server: &str) -> Result<()> {
    program.step("init", &["init", "-input=false"])?;
    program.step("plan", &["plan", "-input=false", "-out=plan"])?;
    program.step("apply", &["apply", "-input=false", "plan"])?;
    nothing_to_do(program)?;
    let token = program.output("token")?;
    let token = token.as_str().context("the output `token` is not a string")?;
    objects(server, token)?;
    alert(program, server, token)?;
    program.step("destroy", &["destroy", "-auto-approve", "-input=false"])?;
    Ok(())
}

/// The second plan: with `-detailed-exitcode`, 2 means that there would be something to do.
fn nothing_to_do(program: &Program) -> Result<()> {
    let plan = ["plan", "-input=false", "-detailed-exitcode"];
    program.step("a second plan, which must be empty", &plan)
}

fn objects(server: &str, token: &str) -> Result<()> {
    say("\n== What is on the server now");
    for team in list(server, token, "/api/teams")? {
        say(&format!("   team {:<10} (id {})", text(&team, "name"), team["id"]));
        let below = |path: &str| list(server, token, &format!("/api/teams/{}/{path}", team["id"]));
        for switch in below("deadman-switches")? {
            let (name, matcher) = (text(&switch, "name"), text(&switch, "matcher"));
            say(&format!(
                "      dead man's switch {name}: {matcher} within {}",
                text(&switch, "timeout")
            ));
        }
        for source in below("integrations")? {
            say(&format!(
                "      alert source {} ({})",
                text(&source, "name"),
                text(&source, "kind")
            ));
        }
        let path = format!("/api/teams/{}/escalation", team["id"]);
        let policy = http::get(&format!("{server}{path}"), token)?;
        let levels = policy["levels"].as_array().map_or(0, Vec::len);
        say(&format!(
            "      escalation rule with {levels} levels, repeated {} times",
            policy["repeat_count"]
        ));
    }
    Ok(())
}

/// What Alertmanager posts, through the first new source; then what the server made of it.
fn alert(program: &Program, server: &str, token: &str) -> Result<()> {
    let urls = program.output("webhook_urls")?;
    let url = urls["platform"].as_str().context("the output `webhook_urls` lacks `platform`")?;
    say("\n== An alert through the new source of the team Platform");
    let sent = Instant::now();
    http::post(url, &firing())?;
    let alerts = list(server, token, "/api/alerts")?;
    let arrived = alerts.iter().find(|alert| text(alert, "name") == ALERT);
    let arrived = arrived.context("the alert did not arrive")?;
    let milliseconds = sent.elapsed().as_millis();
    say(&format!(
        "   {} is {} on the server, {milliseconds} ms later",
        ALERT,
        text(arrived, "status")
    ));
    Ok(())
}

const ALERT: &str = "HighErrorRate";

fn firing() -> Json {
    json!({
        "version": "4",
        "groupKey": "{}:{alertname=\"HighErrorRate\"}",
        "status": "firing",
        "receiver": "terdut",
        "groupLabels": { "alertname": ALERT },
        "commonLabels": { "alertname": ALERT, "severity": "critical" },
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example",
        "alerts": [{
            "status": "firing",
            "labels": { "alertname": ALERT, "severity": "critical", "cluster": "prod" },
            "annotations": { "summary": "5 % of requests fail" },
            "startsAt": "2026-01-01T00:00:00Z",
            "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus.example",
            "fingerprint": "c0ffee0000000001",
        }],
    })
}

fn list(server: &str, token: &str, path: &str) -> Result<Vec<Json>> {
    match http::get(&format!("{server}{path}"), token)? {
        Json::Array(items) => Ok(items),
        other => bail!("{path} answered {other}, not a list"),
    }
}

fn text<'j>(object: &'j Json, field: &str) -> &'j str {
    object[field].as_str().unwrap_or("-")
}
