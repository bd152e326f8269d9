//! Whole life cycles by every real terraform and tofu on this machine, against the simulator.
//!
//! The matrices of the strict host go into every corner; here the real programs prove that the
//! corners are where the strict host believes them to be. `lives` takes each kind through each of
//! its changes (`case` is the table's form, `life` lives it), `kinds` all kinds in one
//! configuration, `examples` and `guides` what stands in the examples, `imports` how their objects
//! are imported, `compatibility` which feature works in which program, `export` a configuration of
//! what is there, `attach` a process under a debugger, `load` many objects on a busy server,
//! `manifests` a server that a configuration runs,
//! `scenarios` what else happens to people.

mod attach;
mod bootstrap;
mod case;
mod compatibility;
mod examples;
mod export;
mod guides;
mod imports;
mod kinds;
mod life;
mod lives;
mod load;
mod logs;
mod manifests;
mod scenarios;
mod scene;
