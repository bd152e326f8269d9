//! The bridge's kinds and the bridge itself against a real Kubernetes API server.

mod attack;
mod consent;
mod crash;
mod crds;
mod deletion;
mod events;
mod export;
mod faces;
mod harness;
mod life;
mod packages;
mod parity;
mod process;
mod proxies;
mod quiet;
mod reasons;
mod rights;
mod scene;
mod server;
mod settled;
mod sites;
mod turns;
