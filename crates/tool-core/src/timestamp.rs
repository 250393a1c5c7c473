//! Points in time as RFC 3339 text.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const DAY: u64 = 86_400;

/// How long the system's clock is not read again, for times that a monotonic clock can tell.
const ANCHOR_HOLDS: Duration = Duration::from_secs(1);

/// The shortest time that a timestamp tells.
const MILLISECOND: Duration = Duration::from_millis(1);

thread_local! {
    static ANCHOR: Cell<Option<Anchor>> = const { Cell::new(None) };
}

/// One moment by both clocks, and the millisecond that was told last: subtracting moments takes longer than comparing.
#[derive(Clone, Copy)]
struct Anchor {
    moment: Instant,
    time: Timestamp,
    begins: Instant,
    ends: Instant,
    told: Timestamp,
}

impl Anchor {
    /// The time at a moment, where that is sure.
    fn time_at(&mut self, moment: Instant) -> Option<Timestamp> {
        let since = moment.checked_duration_since(self.moment)?;
        if since >= ANCHOR_HOLDS {
            return None;
        }
        let whole = Duration::from_millis(u64::try_from(since.as_millis()).ok()?);
        self.begins = self.moment.checked_add(whole)?;
        self.ends = self.begins.checked_add(MILLISECOND)?;
        self.told = self.time.after(whole);
        Some(self.told)
    }
}

/// A point in time in UTC with milliseconds, as `2025-11-10T10:05:00.000Z`.
///
/// # Examples
/// ```
/// use tool_core::Timestamp;
///
/// let time = Timestamp::parse("2025-11-10T10:05:00Z").ok_or("not a time")?;
/// assert_eq!(time.to_string(), "2025-11-10T10:05:00.000Z");
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    milliseconds: u64,
}

impl Timestamp {
    /// The beginning of 1970.
    pub(crate) const EPOCH: Self = Self { milliseconds: 0 };

    /// The time now, by the system's clock.
    #[must_use]
    pub fn now() -> Self {
        Self::from(SystemTime::now())
    }

    /// The time at a moment that has just been: cheaper than [`Timestamp::now`] for who has the moment already.
    #[inline]
    pub(crate) fn at(moment: Instant) -> Self {
        match ANCHOR.get() {
            Some(anchor) if anchor.begins <= moment && moment < anchor.ends => anchor.told,
            anchor => Self::by(anchor, moment),
        }
    }

    #[inline(never)]
    fn by(anchor: Option<Anchor>, moment: Instant) -> Self {
        let mut anchor = anchor.unwrap_or_else(|| Self::anchor(moment));
        let told = anchor.time_at(moment).unwrap_or_else(|| {
            anchor = Self::anchor(moment);
            anchor.told
        });
        ANCHOR.set(Some(anchor));
        told
    }

    fn anchor(moment: Instant) -> Anchor {
        let time = Self::now();
        Anchor {
            moment,
            time,
            begins: moment,
            ends: moment,
            told: time,
        }
    }

    /// This time, later by `duration`.
    #[must_use]
    #[inline]
    pub fn after(self, duration: Duration) -> Self {
        let added = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self {
            milliseconds: self.milliseconds.saturating_add(added),
        }
    }

    /// Milliseconds since the beginning of 1970.
    #[must_use]
    pub fn as_milliseconds(self) -> u64 {
        self.milliseconds
    }

    /// Reads an RFC 3339 text with `Z` or a numeric offset; `None` when it is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let rest = rest.strip_prefix(['T', 't', ' '])?;
        let (time, rest) = rest.split_at_checked(8)?;
        let (fraction, zone) = split_fraction(rest)?;
        let [year, month, day] = numbers(date, '-')?;
        let [hour, minute, second] = numbers(time, ':')?;
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let seconds = days_from_civil(year, month, day)? * DAY + hour * 3600 + minute * 60 + second;
        let seconds = seconds.checked_add_signed(-zone_offset(zone)?)?;
        Some(Self {
            milliseconds: seconds * 1000 + fraction,
        })
    }
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
        let seconds = self.milliseconds / 1000;
        let (year, month, day) = civil_from_days(seconds / DAY);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let milliseconds = self.milliseconds % 1000;
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
            D::Error::custom("a time must be RFC 3339, such as 2025-11-10T10:05:00Z")
        })
    }
}

// Years are counted from March, so that the leap day is the last day of a year; an era is 400 years.
fn civil_from_days(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

fn days_from_civil(year: u64, month: u64, day: u64) -> Option<u64> {
    if year < 1970 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = year - u64::from(month <= 2);
    let (era, year_of_era) = (year / 400, year % 400);
    let month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era).checked_sub(719_468)
}

fn numbers(text: &str, separator: char) -> Option<[u64; 3]> {
    let mut parts = text.split(separator).map(digits);
    let found = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(found)
}

fn digits(text: &str) -> Option<u64> {
    text.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| text.parse().ok())?
}

/// Splits `.123456Z` into 123 milliseconds and the zone.
fn split_fraction(text: &str) -> Option<(u64, &str)> {
    let Some(rest) = text.strip_prefix('.') else {
        return Some((0, text));
    };
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let (fraction, zone) = rest.split_at_checked(end)?;
    let milliseconds = fraction
        .bytes()
        .chain(*b"000")
        .take(3)
        .fold(0, |sum, byte| sum * 10 + u64::from(byte - b'0'));
    (!fraction.is_empty()).then_some((milliseconds, zone))
}

fn zone_offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = match zone.strip_prefix('+') {
        Some(rest) => (1, rest),
        None => (-1, zone.strip_prefix('-')?),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let seconds = digits(hours)? * 3600 + digits(minutes)? * 60;
    i64::try_from(seconds)
        .ok()
        .filter(|seconds| *seconds <= 86_400)
        .map(|seconds| sign * seconds)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_times_are_written_and_read() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_827_696_789, "2000-02-29T12:34:56.789Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(Timestamp { milliseconds }.to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp { milliseconds }));
        }
    }

    #[test]
    fn the_time_of_a_moment_is_that_of_the_clock() {
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
    fn an_offset_is_taken_off() {
        assert_eq!(
            Timestamp::parse("2025-11-10T12:05:00.5+02:00"),
            Timestamp::parse("2025-11-10T10:05:00.500Z")
        );
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2025-11-10",
            "2025-13-10T10:05:00Z",
            "2025-11-10T25:05:00Z",
            "2025-11-10T10:05:00",
            "x",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn reading_takes_back_what_writing_gave(milliseconds in 0_u64..253_402_300_800_000) {
            let time = Timestamp { milliseconds };

            prop_assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        }
    }
}
