//! Go durations: `90m`, `1h30m`, `1.5h`.
//!
//! The server reads and answers them in Go's syntax, in its own canonical form; `60m` and `1h` are
//! the same value. Display is what Go's `Duration.String()` writes.

use std::fmt;
use std::str::FromStr;

/// A text that is no Go duration, or one outside its bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDuration {
    /// Not Go's syntax.
    #[error("{text:?} is not a duration: write numbers with units, as 90s, 15m or 1h30m")]
    Syntax {
        /// What was given.
        text: String,
    },
    /// More than int64 nanoseconds.
    #[error("{text:?} is longer than a duration can be (about 292 years)")]
    TooLong {
        /// What was given.
        text: String,
    },
    /// Outside the bounds of its field.
    #[error("{value} is outside {bounds}")]
    OutOfBounds {
        /// What was given.
        value: GoDuration,
        /// What is allowed.
        bounds: Bounds,
    },
}

/// A duration; equal when as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoDuration(i64);

/// What a field allows, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The shortest.
    pub least: GoDuration,
    /// The longest.
    pub most: GoDuration,
}

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// A dead man's switch's timeout.
pub const SWITCH_TIMEOUT: Bounds = Bounds::new(MINUTE, 30 * 24 * HOUR);
/// A level's timeout.
pub const LEVEL_TIMEOUT: Bounds = Bounds::new(MINUTE, 24 * HOUR);
/// A duration in a server's settings.
pub const SETTING: Bounds = Bounds::new(SECOND, 8760 * HOUR);
/// How long a whole operation may take (`timeouts`).
pub const OPERATION: Bounds = Bounds::new(SECOND, 24 * HOUR);
/// How old an ephemeral key may become.
pub const EPHEMERAL_AGE: Bounds = Bounds::new(10 * MINUTE, 720 * HOUR);

impl Bounds {
    const fn new(least: i64, most: i64) -> Self {
        Self { least: GoDuration(least), most: GoDuration(most) }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} to {}", self.least.short(), self.most.short())
    }
}

impl GoDuration {
    /// A duration of that many nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Its length in nanoseconds.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// The same for `std`; zero for a negative one.
    pub fn to_std(self) -> std::time::Duration {
        std::time::Duration::from_nanos(u64::try_from(self.0).unwrap_or(0))
    }

    /// Whether it is within the bounds.
    pub fn within(self, bounds: Bounds) -> Result<Self, InvalidDuration> {
        if bounds.least <= self && self <= bounds.most {
            Ok(self)
        } else {
            Err(InvalidDuration::OutOfBounds { value: self, bounds })
        }
    }

    /// Whether the server's text means this duration.
    pub fn is(&self, text: &str) -> bool {
        text.trim().parse() == Ok(*self)
    }

    /// As people write it: `1h` where Go writes `1h0m0s`.
    pub fn short(self) -> String {
        let mut text = self.to_string();
        for (tail, keep) in [("m0s", 1), ("h0m", 1)] {
            if text.ends_with(tail) {
                text.truncate(text.len() - tail.len() + keep);
            }
        }
        text
    }
}

impl FromStr for GoDuration {
    type Err = InvalidDuration;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (negative, rest) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        if rest == "0" {
            return Ok(Self(0));
        }
        let nanos = total(rest).map_err(|error| error.of(text))?;
        let signed = if negative { -nanos } else { nanos };
        i64::try_from(signed).map(Self).map_err(|_| Fault::TooLong.of(text))
    }
}

#[derive(Debug, Clone, Copy)]
enum Fault {
    Syntax,
    TooLong,
}

impl Fault {
    fn of(self, text: &str) -> InvalidDuration {
        let text = text.to_owned();
        match self {
            Self::Syntax => InvalidDuration::Syntax { text },
            Self::TooLong => InvalidDuration::TooLong { text },
        }
    }
}

/// The sum of all `number unit` pairs.
fn total(mut rest: &str) -> Result<i128, Fault> {
    if rest.is_empty() {
        return Err(Fault::Syntax);
    }
    let mut sum: i128 = 0;
    while !rest.is_empty() {
        let number = prefix(rest, |byte| byte.is_ascii_digit() || byte == b'.');
        let after = &rest[number.len()..];
        let unit = prefix(after, |byte| !byte.is_ascii_digit() && byte != b'.');
        sum += nanos(number, unit_nanos(unit).ok_or(Fault::Syntax)?)?;
        // One more than int64 holds is allowed here: its negative is int64's least.
        if sum > i128::from(i64::MAX) + 1 {
            return Err(Fault::TooLong);
        }
        rest = &after[unit.len()..];
    }
    Ok(sum)
}

fn prefix(text: &str, belongs: impl Fn(u8) -> bool) -> &str {
    let end = text.bytes().position(|byte| !belongs(byte)).unwrap_or(text.len());
    &text[..end]
}

fn nanos(number: &str, unit: i64) -> Result<i128, Fault> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return Err(Fault::Syntax);
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let whole: i64 = whole.parse().map_err(|_| Fault::TooLong)?;
    // Digits below a nanosecond of an hour are of no meaning.
    let fraction = &fraction[..fraction.len().min(18)];
    let digits: i128 = if fraction.is_empty() { 0 } else { parse(fraction)? };
    let scale = 10_i128.pow(u32::try_from(fraction.len()).unwrap_or(18));
    Ok(i128::from(whole) * i128::from(unit) + digits * i128::from(unit) / scale)
}

fn parse(digits: &str) -> Result<i128, Fault> {
    digits.parse().map_err(|_| Fault::Syntax)
}

fn unit_nanos(unit: &str) -> Option<i64> {
    Some(match unit {
        "ns" => 1,
        // Both the micro sign and the Greek letter, as Go takes them.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => SECOND,
        "m" => MINUTE,
        "h" => HOUR,
        _ => return None,
    })
}

impl fmt::Display for GoDuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.unsigned_abs();
        if self.0 < 0 {
            formatter.write_str("-")?;
        }
        match nanos {
            0 => formatter.write_str("0s"),
            1..1_000 => write!(formatter, "{nanos}ns"),
            1_000..1_000_000 => write!(formatter, "{}\u{b5}s", decimal(nanos, 1_000)),
            1_000_000..1_000_000_000 => write!(formatter, "{}ms", decimal(nanos, 1_000_000)),
            _ => long(formatter, nanos),
        }
    }
}

fn long(formatter: &mut fmt::Formatter<'_>, nanos: u64) -> fmt::Result {
    let (hour, minute, second) =
        (HOUR.unsigned_abs(), MINUTE.unsigned_abs(), SECOND.unsigned_abs());
    let (hours, minutes) = (nanos / hour, nanos % hour / minute);
    if hours > 0 {
        write!(formatter, "{hours}h")?;
    }
    if hours > 0 || minutes > 0 {
        write!(formatter, "{minutes}m")?;
    }
    write!(formatter, "{}s", decimal(nanos % minute, second))
}

/// `nanos / unit` with as many decimals as it takes.
fn decimal(nanos: u64, unit: u64) -> String {
    let (whole, mut rest, mut place) = (nanos / unit, nanos % unit, unit / 10);
    let mut text = whole.to_string();
    if rest > 0 {
        text.push('.');
    }
    while rest > 0 {
        text.push_str(&(rest / place).to_string());
        (rest, place) = (rest % place, place / 10);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<GoDuration>().unwrap().to_string()
    }

    #[test]
    fn it_is_written_as_go_writes_it() {
        for (given, expected) in [
            ("60m", "1h0m0s"),
            ("1.5h", "1h30m0s"),
            ("90s", "1m30s"),
            ("0", "0s"),
            ("-1h", "-1h0m0s"),
            (".5s", "500ms"),
            ("1.", ""),
            ("1500us", "1.5ms"),
            ("1h0m0.001s", "1h0m0.001s"),
            ("2562047h47m16.854775807s", "2562047h47m16.854775807s"),
        ] {
            match expected {
                "" => assert!(given.parse::<GoDuration>().is_err(), "{given}"),
                _ => assert_eq!(canonical(given), expected),
            }
        }
    }

    #[test]
    fn what_go_refuses_is_refused() {
        for text in ["", " ", "1", "1d", "h", "1h ", ".s", "1..2s", "3000000h", "1.2.3s", "+", "-"]
        {
            assert!(text.parse::<GoDuration>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn bounds_include_both_ends() {
        for (text, ok) in [("59s", false), ("1m", true), ("720h", true), ("720h1s", false)] {
            let value: GoDuration = text.parse().unwrap();
            assert_eq!(value.within(SWITCH_TIMEOUT).is_ok(), ok, "{text}");
        }
        assert_eq!(SWITCH_TIMEOUT.to_string(), "1m to 720h");
    }

    proptest! {
        #[test]
        fn writing_and_reading_gives_the_same(nanos: i64) {
            let value = GoDuration::from_nanos(nanos);
            prop_assert_eq!(value.to_string().parse::<GoDuration>().unwrap(), value);
            prop_assert_eq!(value.short().parse::<GoDuration>().unwrap(), value);
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = text.parse::<GoDuration>();
        }

        #[test]
        fn near_misses_do_not_panic(text in "[-+]?([0-9.]{0,22}(h|m|s|ms|us|µs|ns|x)?){0,4}") {
            let _ = text.parse::<GoDuration>();
        }
    }
}
