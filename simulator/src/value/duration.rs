//! Go's durations: read as `time.ParseDuration` does, written as `Duration.String` does. The routes
//! of policies and switches call it; it must never lose a nanosecond.

use std::iter;

const SECOND: u128 = 1_000_000_000;

/// Reads a duration that must be longer than nothing, and writes it the server's own way.
pub(crate) fn canonical(text: &str) -> Result<String, String> {
    let bad = || format!("{text:?} is not a duration");
    let nanoseconds = parse(text).ok_or_else(bad)?;
    if nanoseconds == 0 {
        return Err(format!("duration {text:?} must be longer than zero"));
    }
    Ok(write(nanoseconds))
}

fn parse(text: &str) -> Option<u128> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut sum = 0_u128;
    while !rest.is_empty() {
        let (amount, after) = take_part(rest)?;
        sum = sum.checked_add(amount)?;
        rest = after;
    }
    (sum <= u128::from(i64::MAX.unsigned_abs())).then_some(sum)
}

/// One number with its unit, and what follows it.
fn take_part(text: &str) -> Option<(u128, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, rest) = text.split_at(end);
    let unit_end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(unit_end);
    Some((scale(number, unit_size(unit)?)?, rest))
}

fn unit_size(unit: &str) -> Option<u128> {
    Some(match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => 3_600 * SECOND,
        _ => return None,
    })
}

fn scale(number: &str, unit: u128) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut sum = whole.checked_mul(unit)?;
    let mut place = unit;
    for digit in fraction.bytes() {
        place /= 10;
        sum = sum.checked_add(place * u128::from(digit.checked_sub(b'0')?))?;
    }
    Some(sum)
}

fn write(nanoseconds: u128) -> String {
    if nanoseconds < SECOND {
        return write_short(nanoseconds);
    }
    let seconds = nanoseconds / SECOND;
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    let rest = format!("{}s", decimal(nanoseconds % (60 * SECOND), SECOND));
    match (hours, minutes) {
        (0, 0) => rest,
        (0, minutes) => format!("{minutes}m{rest}"),
        (hours, minutes) => format!("{hours}h{minutes}m{rest}"),
    }
}

fn write_short(nanoseconds: u128) -> String {
    match nanoseconds {
        0 => "0s".to_owned(),
        1..1_000 => format!("{nanoseconds}ns"),
        1_000..1_000_000 => format!("{}µs", decimal(nanoseconds, 1_000)),
        _ => format!("{}ms", decimal(nanoseconds, 1_000_000)),
    }
}

/// `amount / unit` without trailing zeros.
fn decimal(amount: u128, unit: u128) -> String {
    let digits = iter::successors(Some(unit), |u| Some(u / 10)).take_while(|u| *u > 1).count();
    let fraction = format!("{:0digits$}", amount % unit);
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{}{dot}{fraction}", amount / unit)
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn durations_are_written_as_go_writes_them() {
        for (given, written) in [
            ("90m", "1h30m0s"),
            ("60m", "1h0m0s"),
            ("1h", "1h0m0s"),
            ("300s", "5m0s"),
            ("45s", "45s"),
            ("1.5h", "1h30m0s"),
            ("1m30.25s", "1m30.25s"),
            ("1500ms", "1.5s"),
            ("1500us", "1.5ms"),
            ("12ns", "12ns"),
            ("720h", "720h0m0s"),
        ] {
            assert_eq!(canonical(given).as_deref(), Ok(written), "{given}");
        }
    }

    #[test]
    fn what_go_does_not_read_is_refused() {
        for bad in ["", "5", "m", "5 m", "5d", "-5m", "0s", ".h", "1e9h", "9999999999h", "1..5h"] {
            assert!(canonical(bad).is_err(), "{bad}");
        }
    }
}
