//! What `.github/workflows` keeps to, as far as it can be read off the files.
//!
//! Tests only. That the jobs do what they say is GitHub's to show.

use std::fs;

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
