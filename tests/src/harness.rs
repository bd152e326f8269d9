//! The programs that suites run, and how they wait for what they expect.
//!
//! Nothing here sleeps a fixed time, and nothing is skipped without saying so.

mod binary;
mod wait;

pub use binary::Binary;
pub use wait::{wait_for, wait_for_value};
