//! Values with a meaning of their own: what they may hold and when two of them mean the same.
//!
//! The models are made of them. Equality is by meaning everywhere in this module; the user's
//! spelling is kept by whoever holds the text.

mod duration;
mod email;
mod field;
mod matcher;
mod name;
mod url;
mod word;

pub use duration::{
    Bounds, EPHEMERAL_AGE, GoDuration, InvalidDuration, LEVEL_TIMEOUT, OPERATION, SETTING,
    SWITCH_TIMEOUT,
};
pub use email::{Email, InvalidEmail};
pub use field::{Field, Input};
pub use matcher::{InvalidMatcher, Matcher};
pub use name::{InvalidName, InvalidText, Name, check_text};
pub use url::{InvalidServerUrl, ServerUrl};
pub use word::{InvalidWord, KindWord, SEVERITIES, Severity};
