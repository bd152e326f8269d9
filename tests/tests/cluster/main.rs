//! The bridge's kinds and the bridge itself against a real Kubernetes API server.

mod crds;
mod faces;
mod harness;
mod life;
mod packages;
mod parity;
mod process;
mod proxies;
mod quiet;
mod rights;
mod server;
mod sites;
mod turns;
