//! The two kinds of text that the server reads by meaning. Routes call it; it must never keep the
//! user's spelling of a duration, nor lose that of a matcher.

mod duration;
mod matcher;

pub(crate) use duration::canonical as canonical_duration;
pub(crate) use matcher::Matcher;
