//! Whether and when an attempt is repeated.
//!
//! GET, PUT and DELETE are repeated after connection errors, 429 and 502-504. POST and PATCH only
//! when the server provably did not act: nothing was sent, or it refused with 429. All else is for
//! the caller, who looks first, and not before the pause that the server asked for.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, Method, StatusCode, header};

use super::lost::Lost;
use super::{Answer, is_repeatable};

/// The longest pause between attempts that the server did not ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A server that asks for more than this is not waited for.
pub(super) const LONGEST_ASKED: Duration = Duration::from_mins(2);

/// How many times as often a request is repeated that the server asks to wait for: it is alive, and
/// says when.
const PATIENCE: u32 = 5;

/// How often, and from which pause on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policy {
    pub(super) retries: u32,
    pub(super) base: Duration,
}

/// A pause before the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pause {
    pub(super) length: Duration,
    /// Whether the server asked for it: then no request starts before its end.
    pub(super) is_for_all: bool,
}

impl Policy {
    /// The pause before the attempt after this one; `None` ends it.
    pub(super) fn pause(
        self,
        method: &Method,
        outcome: &Result<Answer, Lost>,
        attempt: u32,
    ) -> Option<Pause> {
        let asked = outcome.as_ref().ok().and_then(asked);
        let most = self.retries.saturating_mul(if asked.is_some() { PATIENCE } else { 1 });
        if attempt >= most || !is_worth_it(method, outcome) {
            return None;
        }
        if asked.is_some_and(|asked| asked > LONGEST_ASKED) {
            return None;
        }
        // Who asks for a pause has said how long; the jitter only spreads those who wait.
        let length = asked.map_or_else(|| self.jitter(attempt), |asked| asked + self.jitter(0));
        Some(Pause { length, is_for_all: asked.is_some() })
    }

    /// Full jitter: anything between nothing and the doubled base.
    fn jitter(self, attempt: u32) -> Duration {
        let ceiling = self.base.saturating_mul(2_u32.saturating_pow(attempt)).min(LONGEST_PAUSE);
        ceiling.mul_f64(rand::random_range(0.0..=1.0))
    }
}

fn is_worth_it(method: &Method, outcome: &Result<Answer, Lost>) -> bool {
    match outcome {
        Ok(answer) => match answer.status.as_u16() {
            429 => true,
            502..=504 => is_repeatable(method),
            _ => false,
        },
        Err(lost) if lost.is_hopeless() => false,
        Err(lost) => lost.is_unsent() || is_repeatable(method),
    }
}

/// How long an answer asks to be left alone.
pub(super) fn asked(answer: &Answer) -> Option<Duration> {
    let is_busy = answer.status.is_server_error() || answer.status == StatusCode::TOO_MANY_REQUESTS;
    if is_busy { retry_after(&answer.headers, SystemTime::now()) } else { None }
}

/// What `Retry-After` asks for: seconds, or a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    const POLICY: Policy = Policy { retries: 4, base: Duration::from_millis(500) };

    fn answer(status: u16, retry_after: &str) -> Answer {
        let mut headers = HeaderMap::new();
        if !retry_after.is_empty() {
            headers.insert(header::RETRY_AFTER, retry_after.parse().unwrap());
        }
        let status = StatusCode::from_u16(status).unwrap();
        Answer { status, headers, body: Bytes::new(), repeated: false }
    }

    #[test]
    fn only_what_may_be_repeated_is() {
        let lost = || Err(Lost::timed_out(Duration::from_secs(1)));
        for (method, outcome, expected) in [
            (Method::GET, Ok(answer(503, "")), true),
            (Method::PUT, Ok(answer(502, "")), true),
            (Method::DELETE, Ok(answer(504, "")), true),
            (Method::GET, Ok(answer(500, "")), false),
            (Method::GET, Ok(answer(404, "")), false),
            (Method::POST, Ok(answer(503, "")), false),
            (Method::POST, Ok(answer(429, "")), true),
            (Method::PATCH, Ok(answer(429, "1")), true),
            (Method::PATCH, Ok(answer(502, "")), false),
            (Method::GET, lost(), true),
            (Method::POST, lost(), false),
            (Method::GET, Ok(answer(429, "3600")), false),
        ] {
            let pause = POLICY.pause(&method, &outcome, 0);
            assert_eq!(pause.is_some(), expected, "{method} {outcome:?}");
        }
    }

    #[test]
    fn the_pause_is_random_bounded_and_ends() {
        for (attempt, ceiling) in [(0, 500), (1, 1000), (3, 4000)] {
            let pause = POLICY.pause(&Method::GET, &Ok(answer(503, "")), attempt).unwrap();
            assert!(pause.length <= Duration::from_millis(ceiling), "{attempt}: {pause:?}");
        }
        assert_eq!(POLICY.pause(&Method::GET, &Ok(answer(503, "")), 4), None);
        let asked = |attempt| POLICY.pause(&Method::POST, &Ok(answer(429, "1")), attempt);
        let pause = asked(19).expect("it is waited for").length;
        assert!((1.0..=1.5).contains(&pause.as_secs_f64()), "{pause:?}");
        assert_eq!(asked(20), None);
        let long = Policy { retries: u32::MAX, base: Duration::from_secs(1) };
        let pause = long.pause(&Method::GET, &Ok(answer(503, "")), 1000).unwrap();
        assert!(pause.length <= LONGEST_PAUSE, "{pause:?}");
    }

    #[test]
    fn only_who_is_busy_asks_for_a_pause() {
        for (status, expected) in
            [(429, true), (503, true), (500, true), (200, false), (404, false)]
        {
            assert_eq!(asked(&answer(status, "7")).is_some(), expected, "{status}");
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (text, expected) in [
            ("7", Some(7)),
            ("Sun, 06 Nov 1994 08:49:42 GMT", Some(5)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("soon", None),
        ] {
            let headers = answer(429, text).headers;
            assert_eq!(retry_after(&headers, now), expected.map(Duration::from_secs), "{text}");
        }
    }
}
