//! How far a reading is, for a person: one line that changes on a terminal, a line for each tenth
//! where it was asked for elsewhere, else nothing.
//!
//! The subcommands `export` of both programs read by it. What it says goes where they have their
//! errors go, and nowhere else.

use std::cell::{Cell, RefCell};
use std::io::{IsTerminal as _, Write};

use terdut_core::export::{Inventory, Selection};

use super::{Progress, ReadError, read};
use crate::client::Client;

/// Reads a server, and tells how far it is where the standard error is a terminal or it was asked
/// for.
///
/// # Errors
/// As [`read`].
pub async fn read_and_tell(
    client: &Client,
    selection: &Selection,
    asked: bool,
    errors: &mut dyn Write,
) -> Result<Inventory, ReadError> {
    let meter = Meter::new(std::io::stderr().is_terminal(), asked);
    let errors = RefCell::new(errors);
    // Without a standard error there is nobody to tell.
    let tell = |text: &str| drop(errors.borrow_mut().write_all(text.as_bytes()));
    let inventory = read(client, selection, &|progress| tell(&meter.step(progress))).await;
    tell(meter.end());
    inventory
}

/// Words for each step.
#[derive(Debug)]
struct Meter {
    how: How,
    /// The last tenth that was told.
    tenth: Cell<usize>,
    begun: Cell<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Line,
    Lines,
    Never,
}

impl Meter {
    /// For a standard error that is a terminal or none, and for whoever asked for it anyway.
    fn new(is_terminal: bool, asked: bool) -> Self {
        let how = match (is_terminal, asked) {
            (true, _) => How::Line,
            (false, true) => How::Lines,
            (false, false) => How::Never,
        };
        Self { how, tenth: Cell::new(0), begun: Cell::new(false) }
    }

    /// What to write at a step.
    fn step(&self, progress: Progress) -> String {
        let Progress { done, total } = progress;
        let words = format!("Read {done} of {total} teams and accounts");
        self.begun.set(true);
        match self.how {
            How::Never => String::new(),
            How::Line => format!("\r{words}"),
            How::Lines => {
                let tenth = done * 10 / total.max(1);
                if self.tenth.replace(tenth) == tenth { String::new() } else { words + "\n" }
            }
        }
    }

    /// What to write at the end: the line that changes ends, so that what follows has its own.
    fn end(&self) -> &'static str {
        if self.how == How::Line && self.begun.get() { "\n" } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(meter: &Meter, total: usize) -> Vec<String> {
        let texts = (1..=total).map(|done| meter.step(Progress { done, total }));
        texts.filter(|text| !text.is_empty()).collect()
    }

    #[test]
    fn a_pipe_is_quiet_and_a_log_gets_ten_lines() {
        let quiet = Meter::new(false, false);
        assert_eq!((shown(&quiet, 1000), quiet.end()), (Vec::new(), ""));
        let log = Meter::new(false, true);
        let lines = shown(&log, 1000);
        assert_eq!((lines.len(), log.end()), (10, ""));
        assert_eq!(lines[9], "Read 1000 of 1000 teams and accounts\n");
    }

    #[test]
    fn a_terminal_gets_one_line_that_ends_if_it_began() {
        let terminal = Meter::new(true, false);
        assert_eq!(terminal.end(), "");
        assert_eq!(shown(&terminal, 3)[2], "\rRead 3 of 3 teams and accounts");
        assert_eq!(terminal.end(), "\n");
    }
}
