//! What the person at the terminal reads.

use std::fmt;
use std::process::ExitCode;
use std::time::Instant;

/// Why the demo ended early.
#[derive(Debug)]
pub(crate) struct Failed(String);

impl Failed {
    /// With what is said to the person.
    pub(crate) fn new(why: String) -> Self {
        Self(why)
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A step that is under way.
#[derive(Debug)]
pub(crate) struct Step {
    started: Instant,
}

impl Step {
    /// Says what comes now.
    pub(crate) fn begin(title: &str) -> Self {
        say(&format!("\n== {title}"));
        Self { started: Instant::now() }
    }

    /// Says how long it took.
    pub(crate) fn end(self) {
        say(&format!("   ({:.1} s)", self.started.elapsed().as_secs_f64()));
    }
}

/// Prints a line.
#[expect(clippy::print_stdout, reason = "this program exists to talk to a person")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// Prints a text with a margin; nothing for an empty one.
pub(crate) fn quote(text: &str) {
    for line in text.trim_end().lines() {
        say(format!("   {line}").trim_end());
    }
}

/// Says why the demo failed.
#[expect(clippy::print_stderr, reason = "this program exists to talk to a person")]
pub(crate) fn complain(failed: &Failed) -> ExitCode {
    eprintln!("Error: {failed}");
    ExitCode::FAILURE
}
