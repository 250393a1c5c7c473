//! Number formats and dates.

use std::collections::HashMap;

use crate::error::{DocumentError, DocumentLimits};
use crate::xml::{Namespace, Xml};

/// Number formats of cell styles.
#[derive(Debug, Default)]
pub(super) struct Formats {
    /// Format id of each style.
    styles: Vec<u32>,
    /// What the formats of this workbook show, other than plain numbers.
    own: HashMap<u32, Shown>,
}

/// First day after the last date in Excel, in the year 9999.
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
                    let shown = displayed(&code).map(|shown| (id, shown));
                    formats.own.extend(shown);
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

    /// Returns a number as its style shows it; `None` if that is a plain number.
    pub(super) fn shown(&self, style: usize, number: f64, since_1904: bool) -> Option<String> {
        let format = *self.styles.get(style)?;
        let shown = self.own.get(&format).copied().or(built_in(format))?;
        match shown {
            Shown::Percent => Some(format!("{}%", rounded(number * 100.0))),
            _ if !(0.0..LAST_DAY).contains(&number) => None,
            Shown::Duration => Some(clock(seconds(number))),
            Shown::Date => Some(date(seconds(number), since_1904)),
        }
    }
}

/// What a format shows, other than a plain number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Date,
    /// Hours, minutes or seconds that count on, such as `[h]:mm`.
    Duration,
    Percent,
}

/// Returns what a built-in format shows. 27 to 36 and 50 to 58 belong to East Asian locales.
fn built_in(format: u32) -> Option<Shown> {
    match format {
        9 | 10 => Some(Shown::Percent),
        46 => Some(Shown::Duration),
        14..=22 | 27..=36 | 45 | 47 | 50..=58 => Some(Shown::Date),
        _ => None,
    }
}

/// Returns what a format shows. Letters in quotes and after a backslash are text.
fn displayed(code: &str) -> Option<Shown> {
    let mut letters = code.chars();
    while let Some(letter) = letters.next() {
        match letter.to_ascii_lowercase() {
            '\\' | '_' | '*' => {
                letters.next();
            }
            '"' => {
                letters.find(|other| *other == '"');
            }
            '[' => {
                let inside: String = letters.by_ref().take_while(|other| *other != ']').collect();
                // Others are colors, conditions and locales.
                if ["h", "hh", "m", "mm", "s", "ss"].contains(&inside.to_ascii_lowercase().as_str())
                {
                    return Some(Shown::Duration);
                }
            }
            'y' | 'd' | 'm' | 'h' | 's' => return Some(Shown::Date),
            '%' => return Some(Shown::Percent),
            _ => {}
        }
    }
    None
}

/// Formats a number without the digits that only a binary fraction has, such as those of 0.07 * 100.
fn rounded(number: f64) -> String {
    let text = format!("{number:.10}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is in the range of days"
)]
fn seconds(days: f64) -> i64 {
    (days * 86_400.0).round() as i64
}

/// Formats seconds as hours, minutes and seconds.
fn clock(seconds: i64) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

/// Formats a date, a time of day, or both.
fn date(seconds: i64, since_1904: bool) -> String {
    let (days, time) = (seconds / SECONDS, seconds % SECONDS);
    if days == 0 && !since_1904 {
        return clock(time);
    }
    // Days since 1970. Excel counts 29 February 1900, which does not exist, so that earlier dates are a day off.
    let date = calendar(days - if since_1904 { 24_107 } else { 25_569 });
    if time == 0 {
        date
    } else {
        format!("{date} {}", clock(time))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_formats() {
        for (code, expected) in [
            ("yyyy-mm-dd", Some(Shown::Date)),
            ("[$-409]d/m/yy", Some(Shown::Date)),
            ("hh:mm", Some(Shown::Date)),
            ("[h]:mm", Some(Shown::Duration)),
            ("[MM]:ss", Some(Shown::Duration)),
            ("hh:mm:ss d", Some(Shown::Date)),
            ("0.00", None),
            ("General", None),
            ("0.00\" dry\"", None),
            ("\\d0", None),
            ("[Red]0", None),
            ("#,##0_);(#,##0)", None),
            ("0.0%", Some(Shown::Percent)),
            ("#,##0.00 [$€-407]", None),
            ("_(\"$\"* #,##0.00_)", None),
        ] {
            assert_eq!(displayed(code), expected, "{code}");
        }
    }

    #[test]
    fn formats_days_as_dates() {
        let formats = Formats {
            styles: vec![0, 14, 21, 46, 9, 200],
            own: HashMap::new(),
        };
        for (number, since_1904, expected) in [
            (61.0, false, Some("1900-03-01")),
            (45_351.0, false, Some("2024-02-29")),
            (45_351.5, false, Some("2024-02-29 12:00:00")),
            (0.0, true, Some("1904-01-01")),
            (60.0, true, Some("1904-03-01")),
            (43_889.0, true, Some("2024-02-29")),
            (2_958_465.0, false, Some("9999-12-31")),
            (1e300, false, None),
            (-1.0, false, None),
            (f64::NAN, false, None),
        ] {
            let date = formats.shown(1, number, since_1904);

            assert_eq!(date.as_deref(), expected, "{number}");
        }
        for (style, number, expected) in [
            (0, 45_351.0, None),
            (2, 0.75, Some("18:00:00")),
            (3, 1.5, Some("36:00:00")),
            (4, 0.07, Some("7%")),
            (4, 1.255, Some("125.5%")),
            (5, 1.0, None),
            (6, 1.0, None),
        ] {
            let shown = formats.shown(style, number, false);

            assert_eq!(shown.as_deref(), expected, "{style} {number}");
        }
    }
}
