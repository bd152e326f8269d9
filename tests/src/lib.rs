//! Harness and strict host for the suites in `tests/tests`.
//!
//! [`host`] plays Terraform's part against a provider binary and turns every broken rule of the
//! protocol into a failure that names the rule. [`harness`] runs the real programs, the simulator
//! and waits with deadlines. [`cluster`] runs the bridge against a real Kubernetes API; [`mod@bench`] is what the benches share. Nothing of the project may depend on this crate, and the host shares
//! no code with `terdut-plugin`: a shared codec would share the mistake.

#![allow(
    clippy::missing_panics_doc,
    reason = "a harness fails by panicking, and says so once, here"
)]

pub mod bench;
pub mod cluster;
pub mod harness;
pub mod host;
