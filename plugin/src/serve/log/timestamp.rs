//! Points in time as hosts expect them: `2006-01-02T15:04:05.000000Z`, always six decimals.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// `time` in UTC. A clock before 1970 counts as 1970.
pub(super) fn format(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (year, month, day) = date(since.as_secs() / DAY);
    let second = since.as_secs() % DAY;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let micros = since.subsec_micros();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

/// Year, month and day of a count of days since 1970.
///
/// Counts in years from March on, whose last day is a leap day, and in spans of 400 such years,
/// which are all alike.
fn date(days: u64) -> (u64, u64, u64) {
    const TO_MARCH_OF_YEAR_0: u64 = 719_468;
    const SPAN: u64 = 146_097;
    let days = days + TO_MARCH_OF_YEAR_0;
    let (span, day) = (days / SPAN, days % SPAN);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (span * 400 + year + later, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(seconds: u64, micros: u32) -> String {
        format(UNIX_EPOCH + Duration::new(seconds, micros * 1000))
    }

    #[test]
    fn known_moments_read_right() {
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(at(951_782_400, 1), "2000-02-29T00:00:00.000001Z");
        assert_eq!(at(951_868_800, 0), "2000-03-01T00:00:00.000000Z");
        assert_eq!(at(1_795_957_199, 999_999), "2026-11-29T12:59:59.999999Z");
        assert_eq!(at(4_107_542_400, 0), "2100-03-01T00:00:00.000000Z");
    }
}
