//! The bodies of the fuzz targets over the committed seeds, over each seed cut short and with a
//! bit turned, and over generated input: what a fuzzer found once is found here in seconds.

#[path = "../../../fuzz/src/lib.rs"]
pub mod bodies;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bodies::{Body, TARGETS};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

/// The seeds of a target, with their names.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder().join("seeds").join(target)).expect("seeds");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut seeds: Vec<_> = paths
        .map(|path| (path.display().to_string(), std::fs::read(&path).expect("a seed")))
        .collect();
    seeds.sort();
    seeds
}

/// Runs a body, and says over what it panicked.
fn run(body: Body, from: &str, data: &[u8]) {
    let outcome = std::panic::catch_unwind(|| body(data));
    assert!(outcome.is_ok(), "{from}: {data:?} ({:?})", String::from_utf8_lossy(data));
}

#[test]
fn every_target_has_a_program_and_seeds() {
    let manifest = std::fs::read_to_string(folder().join("Cargo.toml")).expect("a manifest");
    let named = manifest.lines().filter_map(|line| line.strip_prefix("path = \"fuzz_targets/"));
    let named: BTreeSet<_> = named.filter_map(|name| name.strip_suffix(".rs\"")).collect();
    assert_eq!(named, TARGETS.map(|(name, _)| name).into());
    for (target, _) in TARGETS {
        let program = folder().join(format!("fuzz_targets/{target}.rs"));
        let text = std::fs::read_to_string(program).expect("a target");
        assert!(text.contains(&format!("terdut_fuzz::{target}(data)")), "{target}");
        assert!(seeds(target).len() >= 10, "{target}");
    }
}

#[test]
fn every_seed_whole_cut_short_and_turned() {
    for (target, body) in TARGETS {
        for (name, seed) in seeds(target) {
            run(body, &name, &seed);
            for length in 0..seed.len() {
                run(body, &name, &seed[..length]);
            }
            for bit in 0..seed.len() * 8 {
                let mut turned = seed.clone();
                turned[bit / 8] ^= 1 << (bit % 8);
                run(body, &name, &turned);
            }
        }
    }
}

/// A seed with some bytes put over it, taken out or put in.
fn changed() -> impl Strategy<Value = (usize, Vec<u8>)> {
    let edits = vec((any::<Index>(), any::<u8>(), 0..3_u8), 1..6);
    (0..TARGETS.len(), any::<Index>(), edits).prop_map(|(target, which, edits)| {
        let all = seeds(TARGETS[target].0);
        let mut data = which.get(&all).1.clone();
        for (place, byte, how) in edits {
            let at = place.index(data.len() + 1);
            match how {
                0 => data.insert(at, byte),
                1 if at < data.len() => data[at] = byte,
                _ if at < data.len() => drop(data.remove(at)),
                _ => {}
            }
        }
        (target, data)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_bytes(data in vec(any::<u8>(), 0..200)) {
        for (target, body) in TARGETS {
            run(body, target, &data);
        }
    }

    #[test]
    fn any_text(data: String) {
        for (target, body) in TARGETS {
            run(body, target, data.as_bytes());
        }
    }

    #[test]
    fn seeds_that_were_changed((target, data) in changed()) {
        let (name, body) = TARGETS[target];
        run(body, name, &data);
    }

    #[test]
    fn near_durations(text in "[-+]?([0-9.]{0,22}(h|m|s|ms|us|µs|ns|x)?){0,4}") {
        bodies::duration(text.as_bytes());
    }

    #[test]
    fn near_matchers(text in "([a-z_ ]{0,4}(=|!=|=~)?[a-z0-9 \"]{0,4},?){0,5}") {
        bodies::matcher(text.as_bytes());
    }

    #[test]
    fn near_answers(
        status: u8,
        text in r#"[\[{]?("(id|name|key|user|service_account|levels|error)":|[\[\]{},"0-9a-z<]|null){0,12}"#,
    ) {
        bodies::http_body(&[&[status], text.as_bytes()].concat());
    }
}
