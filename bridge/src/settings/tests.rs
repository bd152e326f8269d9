//! Settings: the defaults, where else values come from, and that every bad one is named.

use clap::Parser;

use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    run: RunArgs,
}

pub(crate) fn check(
    flags: &[&str],
    environment: &[(&str, &str)],
) -> Result<Settings, Vec<SettingProblem>> {
    let line = Line::parse_from(std::iter::once("run").chain(flags.iter().copied()));
    Settings::check(&line.run, |name| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

fn named(flags: &[&str]) -> Vec<&'static str> {
    check(flags, &[]).unwrap_err().into_iter().map(|problem| problem.setting).collect()
}

#[test]
fn the_defaults_can_be_used() {
    let settings = check(&[], &[]).unwrap();
    assert_eq!(settings.namespace, "terdut-bridge");
    assert_eq!(settings.watch_namespaces, None);
    assert_eq!(settings.resync_interval, Some(Duration::from_mins(10)));
    assert_eq!(settings.rotate_credentials_after, None);
    assert_eq!(settings.lease.duration, Duration::from_secs(35));
    assert_eq!(settings.concurrency, 8);
}

#[test]
fn kubernetes_variables_fill_in_what_no_flag_says() {
    let environment = [("POD_NAMESPACE", "on-call"), ("POD_NAME", "bridge-0")];
    let settings = check(&[], &environment).unwrap();
    assert_eq!((settings.namespace.as_str(), settings.identity.as_str()), ("on-call", "bridge-0"));
    let settings = check(&["--namespace", "own"], &environment).unwrap();
    assert_eq!(settings.namespace, "own");
}

#[test]
fn namespaces_are_a_list_and_an_empty_one_means_all() {
    let settings = check(&["--watch-namespaces", "b, a,,b"], &[]).unwrap();
    assert_eq!(settings.watch_namespaces, Some(["a".into(), "b".into()].into()));
    assert_eq!(check(&["--watch-namespaces", ""], &[]).unwrap().watch_namespaces, None);
}

#[test]
fn every_bad_setting_is_named_in_one_go() {
    let flags = [
        "--namespace=Not_A_Name",
        "--watch-namespaces=a,B",
        "--resync-interval=10",
        "--rotate-credentials-after=-1h",
        "--concurrency=0",
        "--server-url=ftp://{name}",
        "--retry-base=0",
        "--retry-cap=soon",
        "--listen=8080",
        "--log-format=xml",
        "--log-level=loud",
        "--lease-retry=x",
    ];
    let mut names = named(&flags);
    names.sort_unstable();
    let mut expected: Vec<&str> =
        flags.iter().map(|flag| flag[2..].split('=').next().unwrap()).collect();
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn the_leases_times_have_an_order() {
    assert_eq!(named(&["--lease-deadline=35s"]), ["lease-deadline"]);
    assert_eq!(named(&["--lease-retry=30s"]), ["lease-retry"]);
    let short = ["--lease-duration=500ms", "--lease-deadline=400ms", "--lease-retry=100ms"];
    assert_eq!(named(&short), ["lease-duration"]);
    assert_eq!(named(&["--retry-cap=500ms"]), ["retry-cap"]);
}
