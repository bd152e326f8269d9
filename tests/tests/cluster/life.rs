//! The life of each kind: created, changed in every field, put right after drift, deleted.

mod killed;
mod rule;
mod server;
mod source;
mod stage;
mod switch;
mod team;
