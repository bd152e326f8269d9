//! The process side of a plugin, played through by a host: handshake, encryption, the services
//! beside the provider, and every way to end it.
//!
//! `calls` runs plugins inside the test's own process; `process` starts real ones, by running this
//! test program again for the one test that serves.

#![expect(clippy::unwrap_used, reason = "a failed step fails its test")]

mod calls;
mod fixture;
mod host;
#[cfg(unix)]
mod process;
