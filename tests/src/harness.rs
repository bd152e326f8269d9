//! The programs that suites run, and how they wait for what they expect.
//!
//! Nothing here sleeps a fixed time, and nothing is skipped without saying so.

mod api;
mod binary;
mod faults;
mod program;
mod running;
mod shown;
mod wait;
mod workspace;

pub use api::Api;
pub use binary::Binary;
pub use faults::not_gone;
pub use program::missing;
pub(crate) use program::on_path;
pub use program::{Product, Program};
pub use running::{Run, Running};
pub use shown::{ResourceChange, ShownPlan, ShownState};
pub use wait::{wait_for, wait_for_value};
pub use workspace::{Workspace, platform};
