//! `terdut_server` through the strict host: bootstrap, minting, rotation, rename, import, destroy.
//!
//! Each test has a server and a provider process of its own. What is left on the server is looked
//! at with a person's key, as an outsider does.

#[path = "server/fixture.rs"]
mod fixture;

#[path = "server/bootstrap.rs"]
mod bootstrap;
#[path = "server/change.rs"]
mod change;
#[path = "server/destroy.rs"]
mod destroy;
#[path = "server/import.rs"]
mod import;
#[path = "server/mint.rs"]
mod mint;
#[path = "server/secrecy.rs"]
mod secrecy;
