//! Times. The store calls it for every time that it writes; it must never be read for anything
//! that a seeded run has to repeat, unless it is a counting clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Where times come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The system's clock.
    #[default]
    System,
    /// Starts at these seconds since 1970 and is a second later each time that it is read.
    Counting(u64),
    /// Stands still at these seconds since 1970.
    Fixed(u64),
}

impl Clock {
    /// Seconds since 1970.
    pub(crate) fn seconds(&mut self) -> u64 {
        match self {
            Self::System => since_epoch(SystemTime::now()),
            Self::Fixed(seconds) => *seconds,
            Self::Counting(seconds) => {
                *seconds += 1;
                *seconds - 1
            }
        }
    }

    /// Now, as RFC 3339.
    pub(crate) fn rfc3339(&mut self) -> String {
        let seconds = self.seconds();
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        format!("{}T{hour:02}:{minute:02}:{second:02}Z", date(seconds))
    }

    /// Today, as `YYYY-MM-DD`.
    pub(crate) fn today(&mut self) -> String {
        date(self.seconds())
    }
}

fn since_epoch(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Some seconds from now, as the date of an HTTP header.
pub(crate) fn http_date(seconds: u64) -> String {
    httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(seconds))
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn date(seconds: u64) -> String {
    let (mut days, mut year, mut month) = (seconds / 86_400, 1970, 1);
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    while days >= days_of(year, month) {
        days -= days_of(year, month);
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days + 1)
}

/// Whether a text is a day of the calendar, as `YYYY-MM-DD`.
pub(crate) fn is_date(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |text: &str, width: usize| {
        let digits = text.len() == width && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u64>().ok().filter(|_| digits)
    };
    match (number(year, 4), number(month, 2), number(day, 2)) {
        (Some(year), Some(month @ 1..=12), Some(day)) => (1..=days_of(year, month)).contains(&day),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, is_date};

    #[test]
    fn times_are_written_as_rfc_3339() {
        assert_eq!(Clock::Fixed(0).rfc3339(), "1970-01-01T00:00:00Z");
        assert_eq!(Clock::Fixed(951_827_696).rfc3339(), "2000-02-29T12:34:56Z");
        assert_eq!(Clock::Fixed(1_798_761_599).rfc3339(), "2026-12-31T23:59:59Z");
    }

    #[test]
    fn a_counting_clock_never_says_the_same_twice() {
        let mut clock = Clock::Counting(0);
        assert_eq!(clock.seconds(), 0);
        assert_eq!(clock.seconds(), 1);
    }

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        assert!(is_date("2028-02-29"));
        for bad in ["2026-02-29", "2026-13-01", "2026-1-01", "2026-01-00", "today", "2026-01-01x"] {
            assert!(!is_date(bad), "{bad}");
        }
    }
}
