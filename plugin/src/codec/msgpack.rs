//! `MessagePack`: what hosts send and what we always answer.

mod read;
mod reader;
mod refine;
mod write;

#[cfg(test)]
mod tests;

pub use read::decode;
pub use write::encode;
