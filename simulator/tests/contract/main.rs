//! The contract, line by line: every route, every scope, every fault. `cargo test` runs it; it must
//! never use the simulator's own types for what goes over the wire.

#![expect(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod accounts;
mod admin;
mod alerts;
mod assumptions;
mod bootstrap;
mod faults;
mod peer;
mod program;
mod restart;
mod scale;
mod schedule;
mod scope;
mod teams;
mod users;
