//! The life of a server that the bridge runs: made, changed, put right, bootstrapped, handed a key,
//! taken over, retained, removed.

mod credential;
mod golden;
mod kinds;
mod ownership;
mod refused;
mod removal;
mod scene;
