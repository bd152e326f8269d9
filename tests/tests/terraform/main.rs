//! Real terraform and tofu against the provider's binary and the simulator.
//!
//! One full life of each kind with each program at hand. What needs a matrix is the strict host's
//! (`tests/host`): a program takes a second for what the host does in a millisecond.

mod case;
mod examples;
mod kinds;
mod life;
