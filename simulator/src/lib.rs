//! terdut's REST API as a program: the server of the tests, the examples and the demo. It must
//! never use a type of the client or the core: a shared type would share the mistake.
//!
//! ```
//! use terdut_simulator::{Fault, Options, Simulator};
//!
//! let simulator = Simulator::start(Options::default());
//! let key = simulator.seed_admin();
//! simulator.fault(Fault::on("POST", "/api/teams").drop_after());
//! // … a client talks to `simulator.url()` with `key` …
//! assert_eq!(simulator.count("POST", "/api/teams"), 0);
//! assert!(simulator.state().teams().is_empty());
//! # assert_eq!(key.len(), 64);
//! ```

mod access;
mod admin;
mod call;
mod clock;
mod fault;
mod log;
mod options;
mod routes;
mod server;
mod shared;
mod simulator;
mod state;
mod store;
mod value;

pub use clock::Clock;
pub use fault::{Action, Fault, FaultBody, FaultState};
pub use log::Logged;
pub use options::{AccountAnswer, AccountLookup, Assumptions, NoPolicy, Options};
pub use routes::routes;
pub use simulator::Simulator;
pub use state::{State, TeamState};
pub use store::{
    Alert, Incident, Integration, Key, Level, Owner, Policy, ScheduleEntry, Scope, ServiceAccount,
    Switch, Target, Team, User,
};
