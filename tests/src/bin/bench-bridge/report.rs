//! What is printed: tables for a person, one object for a program, progress on standard error.

use std::process::ExitCode;

use serde_json::{Map, Value as Json, json};
use terdut_tests::bench::{judge, print_limits, rounded, say};

use crate::figures::{Figures, Run};
use crate::per_child::ApiWrites;

/// Prints everything, and names each limit that is missed.
pub(crate) fn print(figures: &Figures, as_json: bool) -> ExitCode {
    if as_json {
        say(&as_object(figures).to_string());
    } else {
        as_tables(figures);
    }
    judge(&figures.limits())
}

/// The figures of the largest run, and below `runs` those of every one.
fn as_object(figures: &Figures) -> Json {
    let mut all = figures.largest().map(|run| run_object(figures, run)).unwrap_or_default();
    let runs: Vec<_> = figures.runs.iter().map(|run| run_object(figures, run)).collect();
    all.insert("binary_mb".to_owned(), rounded(figures.program_megabytes()));
    all.insert("binary_is_static".to_owned(), figures.program.is_static.into());
    all.insert("runs".to_owned(), runs.into_iter().map(Json::Object).collect());
    Json::Object(all)
}

fn run_object(figures: &Figures, run: &Run) -> Map<String, Json> {
    let pairs = [
        ("objects", json!(run.mix.objects())),
        ("ready_rate_vs_write_floor", rounded(run.ready_rate_vs_write_floor())),
        ("ready_per_second", rounded(run.ready_per_second())),
        ("write_floor_per_second", rounded(run.floor_per_second())),
        ("ready_seconds", rounded(run.load.seconds)),
        ("ready_cpu_seconds", rounded(run.load.processor_seconds)),
        ("ready_rest_requests", json!(run.load.rest_requests)),
        ("ready_api_writes", json!(run.load.api_writes)),
        ("api_writes_per_child", by_kind(&figures.api_writes)),
        ("memory_idle_mib", rounded(run.memory_idle_mib())),
        ("memory_peak_mib", rounded(run.memory_peak_mib())),
        ("idle_cpu_percent", rounded(run.load.processor_idle_percent)),
        ("idle_resync_rest_requests", rounded(run.idle.rest_requests_per_round())),
        ("idle_resync_api_writes", json!(run.idle.api_writes)),
        ("idle_resync_passes", rounded(run.idle.passes)),
        ("idle_resync_cpu_seconds", rounded(run.idle.processor_seconds)),
        ("new_object_p50_ms", rounded(run.fresh.percentile(50) * 1000.0)),
        ("new_object_p99_ms", rounded(run.new_object_p99_ms())),
        ("new_object_resync_passes_per_second", rounded(run.fresh.passes_per_second)),
    ];
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn by_kind(writes: &ApiWrites) -> Json {
    json!({
        "team": rounded(writes.team), "escalation_rule": rounded(writes.rule),
        "deadman_switch": rounded(writes.switch), "alert_source": rounded(writes.source),
    })
}

fn as_tables(figures: &Figures) {
    for run in &figures.runs {
        run_table(run);
    }
    print_limits(&figures.limits());
}

fn run_table(run: &Run) {
    say(&format!("\n{} objects: {}", run.mix.objects(), run.mix));
    let row = |what: &str, value: String| say(&format!("{what:<40} {value:>10}"));
    let [first, second] = &run.floors;
    row("all ready after, s", format!("{:.1}", run.load.seconds));
    row("ready, objects/s", format!("{:.0}", run.ready_per_second()));
    row("write floor, objects/s", format!("{:.0}", run.floor_per_second()));
    row(
        "   before and after the bridge's run, s",
        format!("{:.1}, {:.1}", first.seconds, second.seconds),
    );
    row("ready rate / write floor", format!("{:.2}", run.ready_rate_vs_write_floor()));
    row("processor seconds until ready", format!("{:.1}", run.load.processor_seconds));
    row("REST requests until ready", run.load.rest_requests.to_string());
    row("API writes until ready", run.load.api_writes.to_string());
    row("memory idle, MiB", format!("{:.1}", run.memory_idle_mib()));
    row("memory peak, MiB", format!("{:.1}", run.memory_peak_mib()));
    row("processor when idle, %", format!("{:.1}", run.load.processor_idle_percent));
    row("idle resync: REST requests a round", format!("{:.0}", run.idle.rest_requests_per_round()));
    row("idle resync: API writes", run.idle.api_writes.to_string());
    row("idle resync: processor seconds", format!("{:.1}", run.idle.processor_seconds));
    row("new object during a resync, p50, ms", format!("{:.0}", run.fresh.percentile(50) * 1000.0));
    row("new object during a resync, p99, ms", format!("{:.0}", run.new_object_p99_ms()));
    row("   resync passes/s meanwhile", format!("{:.0}", run.fresh.passes_per_second));
}
