//! A Terraform provider with one resource, to measure ours beside: terdut's dead man's switch on
//! the crate tf-provider, over reqwest, written as such a provider usually is.
//!
//! Built and run by `cargo xtask bench provider`. It is no product and nothing depends on it.

mod client;
mod deadman_switch;
mod provider;

use provider::TerdutProvider;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tf_provider::serve("terdut", TerdutProvider::default()).await
}
