//! Points in time, written in RFC 3339.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Maximum duration for which the monotonic clock replaces the system clock.
const ANCHOR_HOLDS: Duration = Duration::from_secs(1);
/// Milliseconds of the last time that RFC 3339 can express.
const LAST: u64 = 253_402_300_799_999;

thread_local! {
    /// One moment on both clocks.
    static ANCHOR: Cell<Option<(Instant, Timestamp)>> = const { Cell::new(None) };
}

/// A point in time in UTC with milliseconds, such as `2025-11-10T10:05:00.000Z`.
///
/// Times after 9999-12-31T23:59:59.999Z are written as that time. The default is the start of 1970.
///
/// # Examples
/// ```
/// use tool_core::Timestamp;
///
/// let time = Timestamp::parse("2025-11-10T10:05:00Z").ok_or("not a time")?;
/// assert_eq!(time.to_string(), "2025-11-10T10:05:00.000Z");
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    milliseconds: u64,
}

impl Timestamp {
    /// Returns the current time of the system clock.
    pub fn now() -> Self {
        Self::from(SystemTime::now())
    }

    /// Returns the time of a recent moment. Cheaper than [`Timestamp::now`] if the moment is known.
    #[inline]
    pub(crate) fn at(moment: Instant) -> Self {
        if let Some((anchor, time)) = ANCHOR.get()
            && let Some(since) = moment.checked_duration_since(anchor)
            // The clock of the system may be set at any time.
            && since < ANCHOR_HOLDS
        {
            return time.after(since);
        }
        let now = Self::now();
        ANCHOR.set(Some((moment, now)));
        now
    }

    /// Returns the time `duration` later.
    #[must_use]
    #[inline]
    pub fn after(self, duration: Duration) -> Self {
        let added = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self {
            milliseconds: self.milliseconds.saturating_add(added),
        }
    }

    /// Returns the milliseconds since the start of 1970.
    pub fn as_milliseconds(self) -> u64 {
        self.milliseconds
    }

    /// Parses an RFC 3339 time with `Z` or a numeric offset. Returns `None` if `text` is not one, or is before 1970.
    pub fn parse(text: &str) -> Option<Self> {
        let (local, minutes) = match text.strip_suffix('Z') {
            Some(local) => (local, 0),
            None => text
                .split_at_checked(text.len().checked_sub("+00:00".len())?)
                .and_then(|(local, offset)| Some((local, offset_in_minutes(offset)?)))?,
        };
        let milliseconds = since_1970(local)?.checked_add_signed(-minutes * 60_000)?;
        Some(Self { milliseconds })
    }
}

/// Returns the milliseconds from the start of 1970 to a time without offset.
fn since_1970(local: &str) -> Option<u64> {
    let (date, time) = local.split_once('T')?;
    let (time, fraction) = match time.split_once('.') {
        Some((time, fraction)) => (time, Some(fraction)),
        None => (time, None),
    };
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let is_date = year >= 1970 && (1..=12).contains(&month) && day >= 1;
    if !is_date || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let before = days_to(year, month);
    if before + day > days_to(year + month / 12, month % 12 + 1) {
        return None;
    }
    // A leap second counts as the second before it.
    let seconds = ((before + day - 1) * 24 + hour) * 3600 + minute * 60 + second.min(59);
    let milliseconds = fraction.map_or(Some(0), |fraction| {
        let digits = format!("{:0<3}", fraction.get(..3).unwrap_or(fraction));
        numbers(fraction, '-', [fraction.len().max(1)]).and(digits.parse().ok())
    })?;
    Some(seconds * 1000 + milliseconds)
}

/// Parses numbers with so many digits.
fn numbers<const N: usize>(text: &str, separator: char, widths: [usize; N]) -> Option<[u64; N]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; N];
    for (number, width) in numbers.iter_mut().zip(widths) {
        let part = parts.next()?;
        if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // A fraction of a second may have more digits than a number.
        *number = part.parse().unwrap_or_default();
    }
    parts.next().is_none().then_some(numbers)
}

/// Returns the minutes of an offset such as `+02:00`.
fn offset_in_minutes(offset: &str) -> Option<i64> {
    let (sign, rest) = offset.split_at_checked(1)?;
    let [hours, minutes] = numbers(rest, ':', [2, 2])?;
    if hours > 23 || minutes > 59 {
        return None;
    }
    let minutes = i64::try_from(hours * 60 + minutes).ok()?;
    match sign {
        "+" => Some(minutes),
        "-" => Some(-minutes),
        _ => None,
    }
}

/// Returns the days from 1970 to the first day of a month.
fn days_to(year: u64, month: u64) -> u64 {
    // Days from the start of a common year.
    const MONTHS: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap_years = |year: u64| year / 4 - year / 100 + year / 400;
    let is_leap = leap_years(year) > leap_years(year - 1);
    let months = usize::try_from(month - 1).ok();
    let months = months.and_then(|month| MONTHS.get(month)).copied();
    (year - 1970) * 365 + leap_years(year - 1) - leap_years(1969)
        + months.unwrap_or_default()
        + u64::from(is_leap && month > 2)
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            milliseconds: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.milliseconds.min(LAST);
        let (seconds, milliseconds) = (time / 1000, time % 1000);
        let (days, minutes) = (seconds / 86_400, seconds / 60);
        let mut year = 1970 + days / 366;
        while days_to(year + 1, 1) <= days {
            year += 1;
        }
        let month = (1..=12).rev().find(|month| days_to(year, *month) <= days);
        let month = month.unwrap_or(1);
        let day = days - days_to(year, month) + 1;
        let (hour, minute, second) = (minutes / 60 % 24, minutes % 60, seconds % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z"
        )
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            D::Error::custom("invalid time; use RFC 3339, such as 2025-11-10T10:05:00Z")
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formats_and_parses_known_times() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_827_696_789, "2000-02-29T12:34:56.789Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp { milliseconds }.to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp { milliseconds }));
        }
    }

    #[test]
    fn time_of_moment_follows_system_clock() {
        for pause in [0, 2, 1100] {
            std::thread::sleep(Duration::from_millis(pause));
            let before = Timestamp::now();

            let time = Timestamp::at(Instant::now());

            let slack = Duration::from_millis(1);
            assert!(before <= time.after(slack), "{before} {time}");
            assert!(time <= Timestamp::now().after(slack), "{time}");
        }
    }

    #[test]
    fn later_times_are_written_as_the_last() {
        let time = Timestamp::default().after(Duration::MAX);

        assert_eq!(time.to_string(), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn parse_subtracts_offset() {
        for text in [
            "2025-11-10T12:05:00.5+02:00",
            "2025-11-10T04:35:00.500-05:30",
            "2025-11-10T10:05:00.5+00:00",
        ] {
            assert_eq!(
                Timestamp::parse(text),
                Timestamp::parse("2025-11-10T10:05:00.500Z"),
                "{text}"
            );
        }
    }

    #[test]
    fn rejects_invalid_times() {
        for text in [
            "",
            "2025-11-10",
            "2025-13-10T10:05:00Z",
            "2025-11-10T25:05:00Z",
            "2025-11-10T10:05:00",
            "1969-12-31T23:59:59Z",
            "1970-01-01T01:00:00+02:00",
            "2025-11-10T10:05:00+24:00",
            "2025-11-10T10:05:00+02:60",
            "2025-11-10T10:05:00+2:000",
            "2025-11-10T10:05:00 02:00",
            "2025-11-10T10:05:00++2:00",
            "2025-11-10T10:05:00Zä+01:00",
            "2025-11-10T10:05:00ZZ",
            "2025-11-10T10:05:00Za1Z",
            "2025-11-10T10:05:00.Z",
            "2025-11-10T10:05:00.5",
            "2025-11-10T10:05:00+00:00Z",
            "2025-02-29T10:05:00Z",
            "2025-04-31T10:05:00Z",
            "2025-12-32T10:05:00Z",
            "2025-00-10T10:05:00Z",
            "2025-11-00T10:05:00Z",
            "+025-11-10T10:05:00Z",
            "2025-11-10T10:05:61Z",
            "2025-11-10T10:05:00.ä5Z",
            "x",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn parse_inverts_display(milliseconds in 0..=LAST) {
            let time = Timestamp { milliseconds };

            prop_assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        }

        #[test]
        fn display_is_that_of_jiff(milliseconds in 0..253_402_200_000_000_i64) {
            let ours = Timestamp { milliseconds: milliseconds.cast_unsigned() };
            let theirs = jiff::Timestamp::from_millisecond(milliseconds).unwrap();

            prop_assert_eq!(ours.to_string(), format!("{theirs:.3}"));
        }
    }
}
