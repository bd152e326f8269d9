//! Every module says what it is, and none is too long to be read at once.
//!
//! Called by `check`. It looks only at what git tracks and a person wrote.

use anyhow::{Context, Result, bail};

use crate::shell;

/// More lines than this are two files.
const LONGEST: usize = 500;

/// Names each module without a header and each that is too long.
pub(super) fn check() -> Result<()> {
    let listed = shell::capture(shell::command("git").args(["ls-files", "*.rs"]))?;
    let mut wrong = Vec::new();
    for path in listed.lines().filter(|path| !path.contains("/generated/")) {
        let file = shell::root().join(path);
        // A file that is deleted and not yet committed is no module any more.
        if file.is_file() {
            let text = std::fs::read_to_string(&file).with_context(|| format!("reading {path}"))?;
            wrong.extend(faults_in(&text).map(|fault| format!("{path} {fault}")));
        }
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n   "));
    }
    Ok(())
}

fn faults_in(text: &str) -> impl Iterator<Item = String> {
    let headless =
        (!text.starts_with("//!")).then(|| "does not open with what it is (`//!`)".to_owned());
    let lines = text.lines().count();
    let long = (lines > LONGEST).then(|| format!("has {lines} lines: split it"));
    headless.into_iter().chain(long)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_without_a_header_and_one_too_long_are_faults() {
        assert_eq!(faults_in("//! What it is.\n").count(), 0);
        let long = "use x;\n".repeat(LONGEST + 1);
        let found: Vec<_> = faults_in(&long).collect();
        assert_eq!(found, ["does not open with what it is (`//!`)", "has 501 lines: split it"]);
    }
}
