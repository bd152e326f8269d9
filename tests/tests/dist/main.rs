//! A release's files, installed by real terraform and tofu in each way that users have.
//!
//! `set` has the files: made by `cargo xtask dist` of the program that the other suites test, or
//! those that `TERDUT_DIST` names. `user` is who installs, plans and looks into the lock file;
//! `web` is an HTTPS server, which `mirror` and `registry` fill. `files` needs none.

mod files;
mod key;
mod mirror;
mod registry;
mod set;
mod user;
mod web;
