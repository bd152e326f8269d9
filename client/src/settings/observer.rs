//! Who is told what became of each attempt, to count and to time it.
//!
//! Told by the transport after every attempt, repeated ones too. It is told the route's template
//! and never a path: keys are in some.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt<'a> {
    /// The HTTP method.
    pub method: &'a str,
    /// The route's template.
    pub route: &'static str,
    /// The HTTP status, where an answer arrived.
    pub status: Option<u16>,
    /// How long it took.
    pub took: Duration,
}

/// Is told of attempts. Clones share it.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(&Attempt<'_>) + Send + Sync>);

impl Observer {
    /// It is called often and must not block.
    pub fn new(told: impl Fn(&Attempt<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
    }

    /// Tells it of one attempt.
    pub fn tell(&self, attempt: &Attempt<'_>) {
        (self.0)(attempt);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Observer")
    }
}
