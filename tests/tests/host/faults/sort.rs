//! What can go wrong with one request: the columns of the matrix.

use std::time::Duration;

use terdut_simulator::{Action, Fault, FaultBody};

/// How long the provider waits for an answer where none comes in time.
pub(crate) const PATIENCE: Duration = Duration::from_millis(400);

/// A sort of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Unauthorized,
    Forbidden,
    NotFound,
    NoRoute,
    Conflict,
    TooManySeconds,
    TooManyDate,
    Internal,
    BadGateway,
    Unavailable,
    CutOff,
    Empty,
    Slow,
    Late,
    Refused,
    Reset,
}

use Sort as S;

impl Sort {
    pub(crate) const ALL: [Self; 16] = [
        S::Unauthorized,
        S::Forbidden,
        S::NotFound,
        S::NoRoute,
        S::Conflict,
        S::TooManySeconds,
        S::TooManyDate,
        S::Internal,
        S::BadGateway,
        S::Unavailable,
        S::CutOff,
        S::Empty,
        S::Slow,
        S::Late,
        S::Refused,
        S::Reset,
    ];

    /// The head of its column.
    pub(crate) fn title(self) -> &'static str {
        match self {
            S::Unauthorized => "401",
            S::Forbidden => "403",
            S::NotFound => "404 JSON",
            S::NoRoute => "404 text",
            S::Conflict => "409",
            S::TooManySeconds => "429 seconds",
            S::TooManyDate => "429 date",
            S::Internal => "500",
            S::BadGateway => "502 HTML",
            S::Unavailable => "503",
            S::CutOff => "cut off",
            S::Empty => "empty",
            S::Slow => "slow",
            S::Late => "late",
            S::Refused => "refused",
            S::Reset => "reset",
        }
    }

    /// What names it in an error.
    pub(crate) fn words(self) -> &'static [&'static str] {
        match self {
            S::Unauthorized => &["401"],
            S::Forbidden => &["403"],
            S::NotFound | S::NoRoute => &["404"],
            S::Conflict => &["409", "exists already"],
            S::TooManySeconds | S::TooManyDate => &["429"],
            S::Internal => &["500"],
            S::BadGateway => &["502"],
            S::Unavailable => &["503"],
            S::CutOff => &["cut off", "closed"],
            S::Empty => &["empty body"],
            S::Slow | S::Late => &["no answer within"],
            S::Refused => &["refused", "closed", "reset"],
            S::Reset => &["reset", "closed"],
        }
    }

    /// Whether the provider has to give up waiting.
    pub(crate) fn is_slow(self) -> bool {
        matches!(self, S::Slow | S::Late)
    }

    /// Whether the server may act and only its answer be hit.
    pub(crate) fn may_act(self) -> bool {
        matches!(
            self,
            S::Internal
                | S::BadGateway
                | S::Unavailable
                | S::CutOff
                | S::Empty
                | S::Slow
                | S::Reset
        )
    }

    /// The rule at these requests. A server that refuses connections is no matter of a rule.
    pub(crate) fn rule(self, at: Fault, acted: bool) -> Fault {
        let at = if acted { at.after_acting() } else { at };
        match self {
            S::Unauthorized => at.error(401, "invalid key"),
            S::Forbidden => at.error(403, "out of scope"),
            S::NotFound => at.error(404, "not found"),
            S::NoRoute => at.action(Action::NoRoute),
            S::Conflict => at.error(409, "taken"),
            S::TooManySeconds => at.rate_limit(0),
            S::TooManyDate => at.action(Action::RateLimitUntil { seconds: 0 }),
            S::Internal => at.error(500, "out of luck"),
            S::BadGateway => at.answer(502, FaultBody::Html("<html>Bad gateway</html>".into())),
            S::Unavailable => at.error(503, "starting"),
            S::CutOff => at.answer(200, FaultBody::CutOff("[{\"id\":1".into())),
            S::Empty => at.answer(200, FaultBody::Empty),
            S::Slow => at.delay(PATIENCE * 3),
            S::Late => at.delay(PATIENCE * 3).deaf(),
            S::Refused => at.action(Action::Leave),
            S::Reset => at.reset(),
        }
    }
}
