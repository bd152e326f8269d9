//! Whether a request may be sent at all.
//!
//! A process that shares its work with another may lose the right to go on at any moment. So the
//! transport asks right before each attempt, after every wait, and again when a new connection is
//! ready. It never takes back what has left.

use std::fmt;
use std::sync::Arc;

/// Says whether requests may be sent now. Clones share it.
#[derive(Clone)]
pub struct Gate(Arc<dyn Fn() -> bool + Send + Sync>);

impl Gate {
    /// A gate that is open while `is_open` says so. It is asked often and must not block.
    pub fn new(is_open: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_open))
    }

    /// Whether a request may be sent now.
    pub fn is_open(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Gate")
    }
}
