//! `terdut_server` through the strict host: bootstrap, minting, rotation, rename, import, destroy.
//!
//! Each test has a server and a provider process of its own. What is left on the server is looked
//! at with a person's key, as an outsider does.

mod bootstrap;
mod change;
mod destroy;
mod faults;
mod fixture;
mod import;
mod mint;
mod secrecy;
mod spelling;
