//! `MessagePack`: what hosts send and what we always answer.
//!
//! [`codec`](super) calls it for every value of every message. It never guesses a type: the schema
//! says what is expected, and anything else is an error.

mod read;
mod reader;
mod refine;
mod write;

#[cfg(test)]
mod tests;

pub use read::decode;
pub use write::encode;
