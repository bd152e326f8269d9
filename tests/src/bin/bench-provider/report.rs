//! What is printed: tables for a person, one object for a program.

use std::process::ExitCode;

use serde_json::{Map, Value as Json, json};
use terdut_tests::bench::{judge, print_limits, rounded, say};

use crate::figures::{Figures, Run, processor, requests, terraform_processor, wall};
use crate::life::{Life, Step};
use crate::subject::Subject;

/// Prints everything, and names each limit that is missed.
pub(crate) fn print(figures: &Figures, as_json: bool) -> ExitCode {
    let limits = figures.limits();
    if as_json {
        say(&as_object(figures).to_string());
    } else {
        as_tables(figures);
        print_limits(&limits);
    }
    judge(&limits)
}

/// The figures of the smallest run, and below `runs` those of every one.
fn as_object(figures: &Figures) -> Json {
    let mut all = figures.smallest().map(run_object).unwrap_or_default();
    for subject in Subject::PROVIDERS {
        let prefix = subject.prefix();
        all.insert(
            format!("{prefix}start_to_schema_ms_median"),
            rounded(figures.start_ms(subject)),
        );
        all.insert(format!("{prefix}binary_mb"), rounded(figures.megabytes(subject)));
    }
    all.insert("runs".to_owned(), figures.runs.iter().map(run_object).map(Json::Object).collect());
    Json::Object(all)
}

fn run_object(run: &Run) -> Map<String, Json> {
    let mut all = Map::new();
    all.insert("objects".to_owned(), json!(run.objects));
    for life in &run.lives {
        let prefix = life.subject.prefix();
        let mut add = |name: &str, value: Json| {
            all.insert(format!("{prefix}{name}"), value);
        };
        let destroy = life.destroy.as_ref().map(|step| ("destroy", step));
        for (name, step) in [("apply", &life.apply)].into_iter().chain(destroy) {
            add(&format!("{name}_wall_s"), rounded(wall(step)));
            add(&format!("{name}_rest_requests"), json!(step.requests));
            add(&format!("{name}_provider_cpu_s"), rounded(processor(step)));
        }
        add("plan_wall_s", rounded(life.plan(wall)));
        add("plan_rest_requests", rounded(life.plan_requests()));
        add("plan_provider_cpu_s", rounded(life.plan(processor)));
        add("plan_terraform_cpu_s", rounded(life.plan(terraform_processor)));
        add("plan_wall_ratio_vs_terraform_data", rounded(run.plan_ratio(life.subject)));
        if let Some(ratio) = run.plan_ratio_to_bare(life.subject) {
            add("plan_wall_ratio_vs_bare_terraform_data", rounded(ratio));
        }
        add("peak_memory_mib", rounded(run.memory_mib(life.subject)));
    }
    all
}

fn as_tables(figures: &Figures) {
    for run in &figures.runs {
        say(&format!(
            "\n{} objects                     wall, s   requests  provider CPU, s",
            run.objects
        ));
        run.lives.iter().for_each(life_rows);
        for life in &run.lives {
            let (ratio, memory) = (run.plan_ratio(life.subject), run.memory_mib(life.subject));
            let name = life.subject.name();
            let bare = run
                .plan_ratio_to_bare(life.subject)
                .map_or(String::new(), |ratio| format!(" ({ratio:.2} of bare ones)"));
            // Who has no provider process has no memory of one.
            let memory =
                if memory.is_nan() { String::new() } else { format!(", memory {memory:.1} MiB") };
            say(&format!("{name:<19} plan / terraform_data {ratio:.2}{bare}{memory}"));
        }
    }
    say("\nprovider            start to schema, ms        MB");
    for subject in Subject::PROVIDERS {
        let (start, size) = (figures.start_ms(subject), figures.megabytes(subject));
        say(&format!("{:<18} {start:>20.1} {size:>9.1}", subject.name()));
    }
}

fn life_rows(life: &Life) {
    let name = life.subject.name();
    let row = |what: &str, figure: &dyn Fn(fn(&Step) -> f64) -> f64| {
        let (wall, requests, processor) = (figure(wall), figure(requests), figure(processor));
        say(&format!("{name:<19} {what:<10} {wall:>12.2} {requests:>10} {processor:>16.2}"));
    };
    row("apply", &|figure| figure(&life.apply));
    row("plan", &|figure| life.plan(figure));
    if let Some(destroy) = &life.destroy {
        row("destroy", &|figure| figure(destroy));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::life::tests::life;

    #[test]
    fn one_object_has_every_key_that_others_read() {
        let lives = |seconds| Subject::ALL.map(|subject| life(subject, seconds)).to_vec();
        let figures = Figures {
            starts: Subject::PROVIDERS.map(|subject| (subject, vec![5.0, 6.0, 7.0])).to_vec(),
            sizes: Subject::PROVIDERS.map(|subject| (subject, 11_000_000)).to_vec(),
            runs: vec![
                Run { objects: 5_000, lives: lives(8) },
                Run { objects: 1_000, lives: lives(2) },
            ],
        };
        let printed = as_object(&figures);
        let wanted = [
            ("plan_wall_ratio_vs_terraform_data", 1.0),
            ("plan_rest_requests", 10.0),
            ("plan_provider_cpu_s", 2.0),
            ("start_to_schema_ms_median", 6.0),
            ("peak_memory_mib", 2.0),
            ("binary_mb", 11.0),
        ];
        for prefix in ["", "go_peer_", "tf_provider_peer_"] {
            for (key, value) in wanted {
                let key = format!("{prefix}{key}");
                assert_eq!(printed[&key].as_f64(), Some(value), "{key} in {printed}");
            }
        }
        assert_eq!(printed["objects"], 1_000);
        assert_eq!(printed["runs"].as_array().map(Vec::len), Some(2));
    }
}
