//! Matrices over every kind, run by the strict host against the simulator.
//!
//! Each test starts a provider process and a simulator of its own. What a kind has is said once,
//! in `kinds`; each matrix goes over all of it.

#[macro_use]
mod matrix;

mod actions;
mod adoption;
mod assumptions;
mod bad_values;
mod by_hand;
mod cheap;
mod children;
mod complete;
mod contract;
mod crash;
mod crowd;
mod data_sources;
mod drift;
mod ephemeral;
mod export;
mod faults;
mod hints;
mod hosts;
mod inventory;
mod keys;
mod kinds;
mod life_cycle;
mod limits;
mod lists;
mod lost;
mod manifests;
mod moves;
mod not_gone;
mod odd;
mod partial;
mod refused;
mod scene;
mod secrets;
mod server;
mod settings;
mod spelling;
mod states;
mod stop;
mod taken;
mod unknown;
mod walks;
