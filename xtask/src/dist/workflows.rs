//! What `.github/workflows` keeps to, as far as it can be read off the files.
//!
//! Tests only. That the jobs do what they say is GitHub's to show.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value as Json;

use crate::shell;

fn text(name: &str) -> String {
    fs::read_to_string(shell::root().join(".github/workflows").join(name)).unwrap()
}

/// A tag can be moved to other code, which would then run beside the key that signs.
#[test]
fn every_action_is_named_by_its_commit_with_the_version_beside_it() {
    for name in ["ci.yml", "release.yml"] {
        let text = text(name);
        let steps = text.lines().map(|line| line.trim_start().trim_start_matches("- "));
        let used: Vec<_> = steps.filter_map(|line| line.strip_prefix("uses: ")).collect();
        assert!(!used.is_empty(), "{name}");
        for line in used {
            let (action, version) = line.split_once(" # ").unwrap_or_default();
            let commit = action.split_once('@').unwrap_or_default().1;
            let pinned = commit.len() == 40 && commit.chars().all(|it| it.is_ascii_hexdigit());
            assert!(pinned && version.starts_with('v'), "{name}: {line}");
        }
    }
}

/// Every job that is done before this one starts.
fn before(jobs: &Json, job: &str) -> BTreeSet<String> {
    let needs = match &jobs[job]["needs"] {
        Json::Null => Vec::new(),
        Json::Array(several) => several.clone(),
        one => vec![one.clone()],
    };
    let direct = needs.iter().map(|name| name.as_str().unwrap().to_owned());
    direct.flat_map(|name| before(jobs, &name).into_iter().chain([name])).collect()
}

/// What a step runs that others can see from then on.
const PUBLIC: [&str; 4] = ["docker push", "imagetools create", "helm push", "--draft=false"];

#[test]
fn nothing_is_public_before_the_draft_has_run_and_the_draft_comes_out_last() {
    let release: Json = serde_saphyr::from_str(&text("release.yml")).unwrap();
    let jobs = &release["jobs"];
    let publishes = |job: &Json| {
        let steps = job["steps"].as_array().unwrap().iter();
        let words: Vec<_> = steps.filter_map(|step| step["run"].as_str()).collect();
        PUBLIC.iter().any(|public| words.iter().any(|run| run.contains(public)))
    };
    let named = jobs.as_object().unwrap().iter();
    let public: BTreeSet<_> =
        named.filter(|(_, job)| publishes(job)).map(|(name, _)| name.clone()).collect();
    assert_eq!(public, ["chart", "image", "publish"].map(str::to_owned).into());
    for job in &public {
        assert!(before(jobs, job).contains("runs"), "{job} does not wait for the draft's runs");
    }
    let first: BTreeSet<_> = before(jobs, "publish").intersection(&public).cloned().collect();
    assert_eq!(first, ["chart", "image"].map(str::to_owned).into());
}

#[test]
fn the_page_installs_the_image_and_the_chart_from_where_they_are_pushed() {
    let pushed = text("release.yml")
        .replace("$GITHUB_REPOSITORY_OWNER", "ryuvia")
        .replace("${GITHUB_REF_NAME#v}", "X.Y.Z");
    let page = fs::read_to_string(shell::root().join("docs/bridge/install.md")).unwrap();
    assert!(pushed.contains("image=\"ghcr.io/ryuvia/terdut-bridge:X.Y.Z\"\n"), "{pushed}");
    assert!(page.contains("docker run --rm ghcr.io/ryuvia/terdut-bridge:X.Y.Z crds"), "{page}");
    let [registry, chart] = ["oci://ghcr.io/ryuvia/charts", "terdut-bridge"];
    assert!(pushed.contains(&format!("/{chart}-X.Y.Z.tgz\" \"{registry}\"\n")), "{pushed}");
    assert!(page.contains(&format!("{registry}/{chart} --version X.Y.Z")), "{page}");
}
