//! Requests and replies as values.
//!
//! A [`Request`] says what is asked of the server, a [`Reply`] what it answered; neither knows of
//! HTTP or JSON. Core's machines make requests and read replies; the client turns the one into the
//! other and owns the wire types. One variant is one route of the server's REST API.

mod facts;
mod request;

pub use facts::{
    Account, Alert, ApiKey, Bootstrapped, Integration, Level, Me, NewAccount, NewIntegration,
    Policy, ScheduleEntry, Shared, Switch, Target, Team, User,
};
pub use request::{AccountScope, NewSwitch, Reply, Request};
