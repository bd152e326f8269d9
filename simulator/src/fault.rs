//! Faults by script. Tests and the admin port add rules, the pipeline asks for one per request; a
//! rule must never change the store by itself.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// One rule: on which requests something goes wrong, and what.
///
/// A rule made with [`Fault::on`] strikes once, at the first request that fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fault {
    /// The method; `None` or `*`: any.
    pub method: Option<String>,
    /// The route's template, the names in its braces aside, or an exact path; `None` or `*`: any.
    pub route: Option<String>,
    /// How many requests that fit pass before the rule strikes.
    pub skip: u32,
    /// How often it strikes; `None`: always.
    pub times: Option<u32>,
    /// A wait: before acting, or with `acted` between acting and answering.
    pub delay_ms: u64,
    /// The server goes on when whoever asked is no longer there to hear of it.
    pub deaf: bool,
    /// The server acts as if nothing were wrong; only its answer is hit.
    pub acted: bool,
    /// What goes wrong.
    pub action: Action,
}

/// What goes wrong.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Action {
    /// Nothing but the delay.
    #[default]
    Pass,
    /// Another answer than the server's.
    Answer {
        /// Its status.
        status: u16,
        /// Further headers.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// Its body.
        #[serde(default)]
        body: FaultBody,
    },
    /// The connection is closed without an answer.
    Drop,
    /// The connection is reset without an answer.
    Reset,
    /// The server acts, and its own answer breaks off after some bytes of the body.
    CutOff {
        /// How many bytes of the body are sent.
        bytes: usize,
    },
    /// An old server's router: the text `404 page not found`.
    NoRoute,
    /// 429 with `Retry-After` in seconds.
    RateLimit {
        /// How many seconds.
        seconds: u64,
    },
    /// 429 with `Retry-After` as a date.
    RateLimitUntil {
        /// How many seconds from now the date is.
        seconds: u64,
    },
    /// The server answers as if nothing were wrong, and is gone after that: it refuses every
    /// connection until it is told to come back. What comes after this request is not answered
    /// any more, however long this one takes.
    Leave,
    /// The server restarts: every connection is dropped, the store stays.
    Restart {
        /// How long nobody listens.
        #[serde(default)]
        downtime_ms: u64,
    },
}

/// The body of a faulty answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultBody {
    /// No body at all.
    #[default]
    Empty,
    /// JSON.
    Json(Json),
    /// Plain text.
    Text(String),
    /// A proxy's page.
    Html(String),
    /// The beginning of JSON; the connection breaks before the promised end.
    CutOff(String),
    /// `{"error": …}` that repeats the whole request: its headers, its body, its address.
    Echo,
}

impl Default for Fault {
    fn default() -> Self {
        Self {
            method: None,
            route: None,
            skip: 0,
            times: Some(1),
            delay_ms: 0,
            deaf: false,
            acted: false,
            action: Action::Pass,
        }
    }
}

impl Fault {
    /// A rule for a route, or with `*` for any; it strikes once.
    pub fn on(method: &str, route: &str) -> Self {
        let (method, route) = (Some(method.to_owned()), Some(route.to_owned()));
        Self { method, route, ..Self::default() }
    }

    /// Strikes first at the `nth` request that fits, counted from 1.
    #[must_use]
    pub fn nth(self, nth: u32) -> Self {
        Self { skip: nth.saturating_sub(1), ..self }
    }

    /// Strikes so often.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        Self { times: Some(times), ..self }
    }

    /// Strikes at every request that fits.
    #[must_use]
    pub fn always(self) -> Self {
        Self { times: None, ..self }
    }

    /// Waits: before acting, or after [`Fault::after_acting`] before answering.
    #[must_use]
    pub fn delay(self, delay: Duration) -> Self {
        Self { delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX), ..self }
    }

    /// Lets the server act first.
    #[must_use]
    pub fn after_acting(self) -> Self {
        Self { acted: true, ..self }
    }

    /// Acts even if whoever asked has hung up during the wait.
    #[must_use]
    pub fn deaf(self) -> Self {
        Self { deaf: true, ..self }
    }

    /// Does this.
    #[must_use]
    pub fn action(self, action: Action) -> Self {
        Self { action, ..self }
    }

    /// Closes the connection before the server acts.
    #[must_use]
    pub fn drop_before(self) -> Self {
        self.action(Action::Drop)
    }

    /// Closes the connection after the server has acted: the lost answer.
    #[must_use]
    pub fn drop_after(self) -> Self {
        self.after_acting().action(Action::Drop)
    }

    /// Resets the connection before the server acts.
    #[must_use]
    pub fn reset(self) -> Self {
        self.action(Action::Reset)
    }

    /// Answers this.
    #[must_use]
    pub fn answer(self, status: u16, body: FaultBody) -> Self {
        self.action(Action::Answer { status, headers: BTreeMap::new(), body })
    }

    /// Answers this status with `{"error": …}`.
    #[must_use]
    pub fn error(self, status: u16, error: &str) -> Self {
        self.answer(status, FaultBody::Json(serde_json::json!({ "error": error })))
    }

    /// Breaks the server's own answer off after some bytes.
    #[must_use]
    pub fn cut_off(self, bytes: usize) -> Self {
        self.action(Action::CutOff { bytes })
    }

    /// Is an old server without the route, at every request.
    #[must_use]
    pub fn no_route(self) -> Self {
        self.always().action(Action::NoRoute)
    }

    /// 429 with seconds to wait.
    #[must_use]
    pub fn rate_limit(self, seconds: u64) -> Self {
        self.action(Action::RateLimit { seconds })
    }

    /// Whether the server acts on a request that this hits.
    pub(crate) fn acts(&self) -> bool {
        self.acted || matches!(self.action, Action::Pass | Action::CutOff { .. } | Action::Leave)
    }

    fn fits(&self, method: &str, route: &str, path: &str) -> bool {
        let any = |text: &Option<String>| text.as_deref().is_none_or(|text| text == "*");
        let method_fits = any(&self.method)
            || self.method.as_deref().is_some_and(|m| m.eq_ignore_ascii_case(method));
        let wanted = self.route.as_deref().unwrap_or_default();
        method_fits && (any(&self.route) || wanted == path || same_template(wanted, route))
    }
}

/// Whether two templates mean the same route, whatever stands in their braces.
pub(crate) fn same_template(one: &str, other: &str) -> bool {
    let is_place = |part: &str| part.starts_with('{') && part.ends_with('}');
    let (mut ones, mut others) = (one.split('/'), other.split('/'));
    loop {
        match (ones.next(), others.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || (is_place(a) && is_place(b)) => {}
            _ => return false,
        }
    }
}

/// A rule with how often it was met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FaultState {
    /// The rule.
    pub fault: Fault,
    /// How many requests fitted.
    pub seen: u32,
    /// How often it struck.
    pub struck: u32,
    /// How often the server has acted on a request that it struck.
    pub acted: u32,
}

/// All rules, in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct FaultBook {
    rules: Vec<FaultState>,
    /// Whether a rule has made the server leave.
    gone: bool,
}

impl FaultBook {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.rules.push(FaultState { fault, seen: 0, struck: 0, acted: 0 });
    }

    pub(crate) fn clear(&mut self) {
        self.rules.clear();
    }

    pub(crate) fn rules(&self) -> &[FaultState] {
        &self.rules
    }

    /// Whether the server is gone for what comes now. Asked under the same lock as
    /// [`Self::strike`], so that there is an order of what came before and after.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// The server is back.
    pub(crate) fn come_back(&mut self) {
        self.gone = false;
    }

    /// What goes wrong with this request: the first rule that strikes, with its place. Every rule
    /// that fits counts.
    pub(crate) fn strike(
        &mut self,
        method: &str,
        route: &str,
        path: &str,
    ) -> Option<(usize, Fault)> {
        let mut strikes = None;
        let rules = self.rules.iter_mut().enumerate();
        for (place, rule) in rules.filter(|(_, rule)| rule.fault.fits(method, route, path)) {
            rule.seen += 1;
            let spent = rule.fault.times.is_some_and(|times| rule.struck >= times);
            if strikes.is_none() && rule.seen > rule.fault.skip && !spent {
                rule.struck += 1;
                self.gone |= rule.fault.action == Action::Leave;
                strikes = Some((place, rule.fault.clone()));
            }
        }
        strikes
    }

    /// Notes that the server has acted on a request that the rule at that place struck.
    pub(crate) fn acted(&mut self, place: usize) {
        self.rules.iter_mut().skip(place).take(1).for_each(|rule| rule.acted += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, FaultBook, same_template};

    fn strikes(book: &mut FaultBook, method: &str, path: &str) -> bool {
        book.strike(method, "/api/teams/{id}", path).is_some()
    }

    #[test]
    fn a_rule_strikes_at_its_requests_only() {
        let mut book = FaultBook::default();
        book.add(Fault::on("PUT", "/api/teams/{}").nth(2).times(2).drop_before());
        let hits: Vec<_> = (0..5).map(|_| strikes(&mut book, "PUT", "/api/teams/1")).collect();
        assert_eq!(hits, [false, true, true, false, false]);
        assert!(!strikes(&mut book, "GET", "/api/teams/1"));
        assert_eq!((book.rules()[0].seen, book.rules()[0].struck), (5, 2));
    }

    #[test]
    fn an_exact_path_hits_one_object() {
        let mut book = FaultBook::default();
        book.add(Fault::on("*", "/api/teams/7").always());
        assert!(strikes(&mut book, "PUT", "/api/teams/7"));
        assert!(!strikes(&mut book, "PUT", "/api/teams/8"));
    }

    #[test]
    fn names_in_braces_do_not_matter() {
        assert!(same_template("/a/{id}/b/{id}", "/a/{x}/b/{y}"));
        assert!(!same_template("/a/{id}", "/a/{id}/b"));
        assert!(!same_template("/a/b", "/a/{id}"));
    }

    #[test]
    fn a_rule_can_be_written_as_json() {
        let text = r#"{"method":"GET","route":"/api/teams","times":null,
            "action":{"kind":"answer","status":502,"body":{"html":"<p>"}}}"#;
        let fault: Fault = serde_json::from_str(text).unwrap();
        assert_eq!(fault.times, None);
        assert!(!fault.acts());
    }
}
