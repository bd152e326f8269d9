//! Carries out what core decides: its plans, its create machine, its credential machine.
//!
//! Called by the provider's resources. It makes no decision of its own: what comes next is always
//! core's word, and what happened is reported back as facts.

mod credential;

pub use credential::carry_out_order;
