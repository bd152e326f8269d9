//! The log of requests. The pipeline writes it, tests count in it; it must never be the reason
//! why a request fails.

use serde::Serialize;
use serde_json::Value as Json;

use crate::fault::same_template;

/// One request. Bodies are kept as they came, passwords and all: this is a simulator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Logged {
    /// Counted from 1.
    pub number: u64,
    /// When it came, in milliseconds since the simulator started.
    pub at_ms: u64,
    /// The method.
    pub method: String,
    /// The route's template; empty for an unknown route.
    pub route: String,
    /// The path with its query.
    pub path: String,
    /// The status that was answered; `None` while there is no answer, and when there never is one.
    pub status: Option<u16>,
    /// The key that was shown.
    pub key_id: Option<i64>,
    /// The body as text.
    pub body: String,
    /// Whether a rule struck.
    pub fault: bool,
}

impl Logged {
    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or(Json::Null)
    }

    /// Whether it is of this method and route; `*` is any.
    pub fn is(&self, method: &str, route: &str) -> bool {
        (method == "*" || self.method.eq_ignore_ascii_case(method))
            && (route == "*" || same_template(route, &self.route))
    }

    /// Whether it may change something.
    pub fn writes(&self) -> bool {
        self.method != "GET" && self.method != "HEAD"
    }
}

/// All requests since the start or the last clearing.
#[derive(Debug, Default)]
pub(crate) struct RequestLog {
    first: u64,
    rows: Vec<Logged>,
}

impl RequestLog {
    /// Adds a request; its number.
    pub(crate) fn begin(&mut self, request: Logged) -> u64 {
        let number = self.first + self.rows.len() as u64 + 1;
        self.rows.push(Logged { number, ..request });
        number
    }

    pub(crate) fn answered(&mut self, number: u64, status: u16) {
        let index =
            number.checked_sub(self.first + 1).and_then(|index| usize::try_from(index).ok());
        if let Some(row) = index.and_then(|index| self.rows.get_mut(index)) {
            row.status = Some(status);
        }
    }

    pub(crate) fn rows(&self) -> &[Logged] {
        &self.rows
    }

    pub(crate) fn clear(&mut self) {
        self.first += self.rows.len() as u64;
        self.rows.clear();
    }
}
