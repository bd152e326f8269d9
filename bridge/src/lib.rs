//! The Kubernetes bridge: a controller for terdut's five custom resources, which also runs the
//! server itself.
//!
//! [`cli`] reads the command line, [`settings`] checks it, [`run`] wires the parts together. Under
//! them: [`engine`] (when which object is passed over), [`kube`] (every word to the Kubernetes
//! API), [`lease`] and [`fence`] (whose turn it is), and the controllers (what is done). It never
//! speaks terdut's JSON itself; that is the client's.

pub mod access;
pub mod cli;
pub mod clock;
pub mod context;
pub mod controllers;
pub mod crd;
pub mod engine;
pub mod events;
pub mod fence;
pub mod health;
pub mod kube;
pub mod lease;
pub mod logging;
pub mod manifest;
pub mod metrics;
pub mod rbac;
pub mod run;
pub mod secrets;
pub mod servers;
pub mod settings;
pub mod status;
#[cfg(test)]
mod testing;
