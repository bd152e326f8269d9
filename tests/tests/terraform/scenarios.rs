//! What happens to people: names that are taken, objects deleted outside, servers that answer
//! nonsense, settings that are not known yet, values that are wrong. One file a concept.

mod absent;
mod bad_values;
mod cut_short;
mod ephemeral;
mod functions;
mod hints;
mod identities;
mod moving;
mod not_gone;
mod old_states;
mod outside;
mod pending;
mod query;
mod schemas;
mod settings;
mod successor;
mod taken;
mod test_alert;
mod trace;
