//! What the benches share: limits, how they are printed, numbers.
//!
//! Called by the programs `bench-bridge` and `bench-provider`. Only the result goes to standard
//! output, and a limit is never rounded in favour of what is measured.

use std::process::ExitCode;

use serde_json::{Value as Json, json};

/// A limit and what was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// What is limited.
    pub what: String,
    /// What it is.
    pub measured: f64,
    /// What it may be.
    pub bound: f64,
    at_least: bool,
}

impl Limit {
    /// No more than that.
    pub fn at_most(what: impl Into<String>, measured: f64, bound: f64) -> Self {
        Self { what: what.into(), measured, bound, at_least: false }
    }

    /// No less than that.
    pub fn at_least(what: impl Into<String>, measured: f64, bound: f64) -> Self {
        Self { what: what.into(), measured, bound, at_least: true }
    }

    /// Whether it holds. What could not be measured does not.
    pub fn is_kept(&self) -> bool {
        if self.at_least { self.measured >= self.bound } else { self.measured <= self.bound }
    }

    /// As it is read.
    pub fn sign(&self) -> &'static str {
        if self.at_least { ">=" } else { "<=" }
    }
}

/// Prints every limit with what was measured.
pub fn print_limits(limits: &[Limit]) {
    say("\nlimits                                         measured     limit");
    for limit in limits {
        let mark = if limit.is_kept() { "kept" } else { "MISSED" };
        let Limit { what, measured, bound, .. } = limit;
        say(&format!("{what:<44} {measured:>10.2}  {} {bound:<7.2} {mark}", limit.sign()));
    }
}

/// Names each limit that is missed on standard error; the exit code of a bench.
pub fn judge(limits: &[Limit]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for limit in limits.iter().filter(|limit| !limit.is_kept()) {
        let (what, measured, sign, bound) =
            (&limit.what, limit.measured, limit.sign(), limit.bound);
        complain(&format!("MISSED: {what}: {measured:.2}, the limit is {sign} {bound:.2}"));
        code = ExitCode::FAILURE;
    }
    code
}

/// Says what is measured now.
pub fn progress(line: &str) {
    complain(&format!("-- {line}"));
}

/// A line of the result.
#[expect(clippy::print_stdout, reason = "the result")]
pub fn say(line: &str) {
    println!("{line}");
}

#[expect(
    clippy::print_stderr,
    reason = "what is wrong with the result, and what a person waits for"
)]
fn complain(line: &str) {
    eprintln!("{line}");
}

/// A figure with two decimals.
pub fn rounded(value: f64) -> Json {
    json!((value * 100.0).round() / 100.0)
}

/// A count of bytes or events as a figure.
#[expect(clippy::cast_precision_loss, reason = "figures are far below 2^52")]
pub fn number(value: u64) -> f64 {
    value as f64
}

/// A count of things as a figure.
#[expect(clippy::cast_precision_loss, reason = "figures are far below 2^52")]
pub fn count(value: usize) -> f64 {
    value as f64
}

/// The one in the middle, or what lies between the two that are.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
    f64::midpoint(at(last / 2), at(last.div_ceil(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_on_its_side_and_for_no_unknown_figure() {
        assert!(Limit::at_most("a", 3.0, 3.0).is_kept());
        assert!(!Limit::at_most("a", 3.1, 3.0).is_kept());
        assert!(!Limit::at_least("a", 0.59, 0.6).is_kept());
        assert!(!Limit::at_most("a", f64::NAN, 3.0).is_kept());
        assert!(!Limit::at_most("a", 3.0, f64::NAN).is_kept());
    }

    #[test]
    fn the_median_does_not_depend_on_the_order() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < f64::EPSILON);
        assert!(median(Vec::new()).is_nan());
    }
}
