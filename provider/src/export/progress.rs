//! How far an export is, on the standard error: one line that changes on a terminal, a line for
//! each tenth where it was asked for elsewhere, else nothing.

use std::cell::Cell;
use std::io::{IsTerminal as _, Write as _};

use terdut_client::export::Progress;

/// Who shows it.
#[derive(Debug)]
pub(super) struct Meter {
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
    /// For this process's standard error.
    pub(super) fn new(asked: bool) -> Self {
        let how = match (std::io::stderr().is_terminal(), asked) {
            (true, _) => How::Line,
            (false, true) => How::Lines,
            (false, false) => How::Never,
        };
        Self { how, tenth: Cell::new(0), begun: Cell::new(false) }
    }

    /// Shows a step.
    pub(super) fn show(&self, progress: Progress) {
        let text = self.text(progress);
        self.begun.set(self.begun.get() || !text.is_empty());
        // Without a standard error there is nobody to tell.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// Ends the line that changes, so that what follows has its own.
    pub(super) fn end(&self) {
        if self.how == How::Line && self.begun.get() {
            let _ = std::io::stderr().write_all(b"\n");
        }
    }

    fn text(&self, progress: Progress) -> String {
        let Progress { done, total } = progress;
        let words = format!("Read {done} of {total} teams and accounts");
        match self.how {
            How::Never => String::new(),
            How::Line => format!("\r{words}"),
            How::Lines => {
                let tenth = done * 10 / total.max(1);
                if self.tenth.replace(tenth) == tenth { String::new() } else { words + "\n" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(how: How, total: usize) -> Vec<String> {
        let meter = Meter { how, tenth: Cell::new(0), begun: Cell::new(false) };
        let texts = (1..=total).map(|done| meter.text(Progress { done, total }));
        texts.filter(|text| !text.is_empty()).collect()
    }

    #[test]
    fn a_pipe_is_quiet_and_a_log_gets_ten_lines() {
        assert_eq!(shown(How::Never, 1000), Vec::<String>::new());
        let lines = shown(How::Lines, 1000);
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[9], "Read 1000 of 1000 teams and accounts\n");
        assert_eq!(shown(How::Line, 3)[2], "\rRead 3 of 3 teams and accounts");
    }
}
