//! terdut's REST client.
//!
//! [`Client`] turns core's requests into HTTP and answers into core's replies; [`Settings`] says
//! how. Called by the provider and the bridge. It never decides what an object should be,
//! never prints, and reads neither the environment nor any file but the PEM files that the
//! settings name.

mod answer;
mod caller;
mod claims;
mod client;
pub mod contract;
pub mod execute;
pub mod export;
mod reads;
mod said;
mod settings;
mod transport;
mod typed;
mod webhook;
mod wire;

pub use answer::read_answer;
pub use caller::Caller;
pub use claims::{ClaimGuard, Claims};
pub use client::Client;
pub use reads::Clock;
pub use settings::{
    Attempt, Gate, Observer, ProxyEnvironment, SettingProblem, Settings, SettingsError,
};
pub use webhook::{Webhook, secrets_of};
