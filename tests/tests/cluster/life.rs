//! The life of a team and of each kind below it: created, changed in every field, put right after drift, deleted.

mod killed;
mod rule;
mod source;
mod stage;
mod switch;
mod team;
