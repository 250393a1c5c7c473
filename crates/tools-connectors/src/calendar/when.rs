//! Dates and times of arguments.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, ZonedDateTime};
use tool_core::ToolError;

/// Date or time that a model passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum When {
    Date(Date),
    /// Time in the zone of the call.
    Local(DateTime),
    /// Time with an offset, and its original form.
    Exact(Timestamp, String),
}

impl When {
    pub(super) fn parse(parameter: &str, text: &str) -> Result<Self, ToolError> {
        let text = text.trim();
        // jiff would also accept `2026-11-02T14:00[Europe/Berlin]`, which Google does not.
        let is_plain = text.len() <= 40 && text.is_ascii() && !text.contains(['[', ' ']);
        if is_plain {
            if text.len() == 10
                && let Ok(date) = text.parse()
            {
                return Ok(Self::Date(date));
            }
            if let Ok(time) = text.parse() {
                return Ok(Self::Exact(time, text.to_owned()));
            }
            if text.len() > 10
                && let Ok(time) = text.parse()
            {
                return Ok(Self::Local(time));
            }
        }
        Err(ToolError::invalid_arguments(parameter, "is not a date or time").suggest(
            "Use `2026-11-02`, `2026-11-02T14:00`, or a time with an offset such as `2026-11-02T14:00:00+01:00`.",
        ))
    }

    /// Returns the first moment. A local time in a gap of the clock moves forward.
    pub(super) fn start(&self, zone: &TimeZone) -> Result<ZonedDateTime, jiff::Error> {
        match self {
            Self::Date(date) => date.to_zoned_datetime(zone.clone()),
            Self::Local(time) => zone.to_ambiguous_zoned_datetime(*time).compatible(),
            Self::Exact(time, _) => Ok(time.to_zoned_datetime(zone.clone())),
        }
    }

    /// Returns the end of a range. A date includes its day.
    pub(super) fn end(&self, zone: &TimeZone) -> Result<ZonedDateTime, jiff::Error> {
        match self {
            Self::Date(date) => date.checked_add(1.day())?.to_zoned_datetime(zone.clone()),
            _ => self.start(zone),
        }
    }
}

/// Returns the error for a date outside the calendar.
pub(super) fn out_of_range(parameter: &str) -> ToolError {
    ToolError::invalid_arguments(parameter, "is outside the supported years")
        .suggest("Use a date from year 1 to 9998.")
}

/// Returns a time with its offset, without the zone.
pub(super) fn rfc3339(time: &ZonedDateTime) -> String {
    time.timestamp()
        .display_with_offset(time.offset())
        .to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str, zone: &str) -> (String, String) {
        let (when, zone) = (
            When::parse("start", text).unwrap(),
            TimeZone::get(zone).unwrap(),
        );
        (
            rfc3339(&when.start(&zone).unwrap()),
            rfc3339(&when.end(&zone).unwrap()),
        )
    }

    #[test]
    fn days_have_23_to_25_hours() {
        for (day, zone, start, end) in [
            (
                "2026-11-02",
                "Europe/Berlin",
                "2026-11-02T00:00:00+01:00",
                "2026-11-03T00:00:00+01:00",
            ),
            (
                "2026-03-29",
                "Europe/Berlin",
                "2026-03-29T00:00:00+01:00",
                "2026-03-30T00:00:00+02:00",
            ),
            (
                "2026-10-25",
                "Europe/Berlin",
                "2026-10-25T00:00:00+02:00",
                "2026-10-26T00:00:00+01:00",
            ),
            (
                "2026-11-02",
                "Asia/Kathmandu",
                "2026-11-02T00:00:00+05:45",
                "2026-11-03T00:00:00+05:45",
            ),
            // Midnight does not exist on this day.
            (
                "2026-04-24",
                "Africa/Cairo",
                "2026-04-24T01:00:00+03:00",
                "2026-04-25T00:00:00+03:00",
            ),
        ] {
            assert_eq!(
                at(day, zone),
                (start.to_owned(), end.to_owned()),
                "{day} {zone}"
            );
        }
    }

    #[test]
    fn times_are_local_or_exact() {
        assert_eq!(
            at("2026-11-02T14:00", "Europe/Berlin").0,
            "2026-11-02T14:00:00+01:00"
        );
        assert_eq!(
            at("2026-11-02T14:00:00Z", "Europe/Berlin").0,
            "2026-11-02T15:00:00+01:00"
        );
        let gap = When::parse("start", "2026-03-29T02:30").unwrap();
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        assert_eq!(
            rfc3339(&gap.start(&berlin).unwrap()),
            "2026-03-29T03:30:00+02:00"
        );
        for text in [
            "",
            "tomorrow",
            "2026-13-01",
            "2026-11-02 14:00",
            "2026-11-02T14:00[Europe/Berlin]",
            "02.11.2026",
        ] {
            assert!(When::parse("start", text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "[-0-9T:+Z.]{0,30}") {
            if let Ok(when) = When::parse("start", &text) {
                let _ = (when.start(&TimeZone::UTC), when.end(&TimeZone::UTC));
            }
        }
    }
}
