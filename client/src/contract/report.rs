//! What a contract check found. The subcommand prints it; nothing is decided here but whether all
//! of it holds.

use super::checks::Check;

/// Whether a line of the contract holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing could be said, and the finding says why.
    NotChecked,
    /// The server is as the contract has it.
    AsAssumed,
    /// The server lacks the route.
    Missing,
    /// The server does something else.
    Differs,
}

impl Verdict {
    /// The words that are printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotChecked => "not checked",
            Self::AsAssumed => "as assumed",
            Self::Missing => "missing",
            Self::Differs => "differs",
        }
    }

    /// Whether the contract is broken here.
    pub const fn is_broken(self) -> bool {
        matches!(self, Self::Missing | Self::Differs)
    }
}

/// One line of the contract and what became of it.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The line.
    pub check: &'static Check,
    /// Whether it holds.
    pub verdict: Verdict,
    /// What was seen where it does not hold, or why nothing was; without secrets.
    pub seen: String,
}

/// All lines of the contract.
#[derive(Debug, Clone)]
pub struct Report {
    /// The server's URL.
    pub server: String,
    /// One finding a line, in the contract's order.
    pub findings: Vec<Finding>,
    /// What could not be removed.
    pub left_behind: Vec<String>,
    /// Whether it was stopped before all was tried.
    pub interrupted: bool,
}

impl Report {
    /// Whether all was tried, no line is broken and nothing is left behind.
    pub fn holds(&self) -> bool {
        !self.interrupted && self.left_behind.is_empty() && self.count(Verdict::is_broken) == 0
    }

    /// How many findings have a verdict of a sort.
    pub fn count(&self, of: impl Fn(Verdict) -> bool) -> usize {
        self.findings.iter().filter(|finding| of(finding.verdict)).count()
    }
}
