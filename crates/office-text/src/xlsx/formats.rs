//! Number formats and dates.

use std::collections::HashSet;

use crate::error::{DocumentError, DocumentLimits};
use crate::xml::{Namespace, Xml};

/// Number formats of cell styles.
#[derive(Debug, Default)]
pub(super) struct Formats {
    /// Format id of each style.
    styles: Vec<u32>,
    dates: HashSet<u32>,
    /// Date formats that show more than a time.
    days: HashSet<u32>,
}

/// End of the year 9999, the last date in Excel.
const LAST_DAY: f64 = 2_958_466.0;
const SECONDS: i64 = 24 * 60 * 60;

impl Formats {
    pub(super) fn parse(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut formats = Self::default();
        while let Some(element) = xml.next_start()? {
            if element.namespace != Namespace::Spreadsheet {
                continue;
            }
            let id = element.attribute("numFmtId").unwrap_or_default();
            let id: u32 = id.parse().unwrap_or_default();
            match element.local() {
                "numFmt" => {
                    let code = element.attribute("formatCode").unwrap_or_default();
                    formats.add(id, &code);
                }
                // `cellStyleXfs` comes first and has the same elements, but cells refer to `cellXfs`.
                "cellXfs" => formats.styles.clear(),
                "xf" => formats.styles.push(id),
                "cellStyles" | "dxfs" => break,
                _ => {}
            }
        }
        Ok(formats)
    }

    fn add(&mut self, id: u32, code: &str) {
        let shown = displayed(code);
        if shown.is_some() {
            self.dates.insert(id);
        }
        if shown == Some(DateFormat::Day) {
            self.days.insert(id);
        }
    }

    /// Formats a number as a date if its style is a date format.
    pub(super) fn date(&self, style: usize, number: f64, since_1904: bool) -> Option<String> {
        let format = *self.styles.get(style)?;
        // The built-in formats of dates. 27 to 36 and 50 to 58 belong to East Asian locales.
        let is_date =
            matches!(format, 14..=22 | 27..=36 | 45..=47 | 50..=58) || self.dates.contains(&format);
        if !is_date || !(0.0..LAST_DAY).contains(&number) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the number is in the range of days"
        )]
        let seconds = (number * 86_400.0).round() as i64;
        let (days, time) = (seconds / SECONDS, seconds % SECONDS);
        let clock = format!("{:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60);
        let shows_day = matches!(format, 14..=17 | 22) || self.days.contains(&format);
        let date = match days {
            0 if !since_1904 && !shows_day => return Some(clock),
            // Excel shows these two days, which do not exist.
            0 if !since_1904 => "1900-01-00".to_owned(),
            60 if !since_1904 => "1900-02-29".to_owned(),
            _ => calendar(days_since_1970(days, since_1904)),
        };
        Some(if time == 0 {
            date
        } else {
            format!("{date} {clock}")
        })
    }
}

fn days_since_1970(days: i64, since_1904: bool) -> i64 {
    if since_1904 {
        days - 24_107
    } else if days < 60 {
        days - 25_568
    } else {
        // Excel counts 29 February 1900, which does not exist.
        days - 25_569
    }
}

/// Formats a day as a date, by Howard Hinnant's algorithm: years start in March, so that leap days
/// come last.
fn calendar(days: i64) -> String {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateFormat {
    Day,
    Time,
}

/// Returns whether a format shows a date or a time: it contains one of their letters outside quotes
/// and brackets.
fn displayed(code: &str) -> Option<DateFormat> {
    let mut shown = None;
    let mut quoted = false;
    let mut bracketed = false;
    let mut escaped = false;
    for letter in code.chars() {
        match letter {
            _ if std::mem::take(&mut escaped) => {}
            '"' => quoted = !quoted,
            _ if quoted => {}
            '\\' | '_' | '*' => escaped = true,
            '[' => bracketed = true,
            ']' => bracketed = false,
            // Only the first section counts, which is for positive numbers.
            ';' => return shown,
            'y' | 'Y' | 'd' | 'D' if !bracketed => return Some(DateFormat::Day),
            'm' | 'M' if !bracketed => shown = Some(DateFormat::Time),
            'h' | 'H' | 's' | 'S' => shown = Some(DateFormat::Time),
            _ => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_date_and_number_formats() {
        for (code, expected) in [
            ("yyyy-mm-dd", Some(DateFormat::Day)),
            ("[$-409]d/m/yy", Some(DateFormat::Day)),
            ("[h]:mm", Some(DateFormat::Time)),
            ("hh:mm:ss d", Some(DateFormat::Day)),
            ("0.00", None),
            ("General", None),
            ("0.00\" dry\"", None),
            ("\\d0", None),
            ("[Red]0", None),
            ("#,##0_);(#,##0)", None),
        ] {
            assert_eq!(displayed(code), expected, "{code}");
        }
    }

    #[test]
    fn formats_days_as_dates() {
        let formats = Formats {
            styles: vec![0, 14, 21],
            ..Formats::default()
        };
        for (number, since_1904, expected) in [
            (1.0, false, Some("1900-01-01")),
            (59.0, false, Some("1900-02-28")),
            (60.0, false, Some("1900-02-29")),
            (60.5, false, Some("1900-02-29 12:00:00")),
            (61.0, false, Some("1900-03-01")),
            (45_351.0, false, Some("2024-02-29")),
            (45_351.5, false, Some("2024-02-29 12:00:00")),
            (0.0, false, Some("1900-01-00")),
            (60.0, true, Some("1904-03-01")),
            (0.0, true, Some("1904-01-01")),
            (43_889.0, true, Some("2024-02-29")),
            (2_958_465.0, false, Some("9999-12-31")),
            (1e300, false, None),
            (-1.0, false, None),
            (f64::NAN, false, None),
        ] {
            let date = formats.date(1, number, since_1904);

            assert_eq!(date.as_deref(), expected, "{number}");
        }
        assert_eq!(formats.date(0, 45_351.0, false), None);
        assert_eq!(formats.date(2, 0.75, false).as_deref(), Some("18:00:00"));
    }
}
