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
                    formats
                        .own
                        .extend(displayed(&code).map(|shown| (id, shown)));
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
        match self.own.get(&format).or(built_in(format).as_ref())? {
            Shown::Percent => Some(format!("{}%", rounded(number * 100.0))),
            Shown::Currency(symbol) => {
                let sign = if number < 0.0 { "-" } else { "" };
                Some(format!("{sign}{symbol}{}", rounded(number.abs())))
            }
            Shown::Duration if number.abs() < LAST_DAY => Some(duration(number)),
            _ if !(0.0..LAST_DAY).contains(&number) => None,
            shown => Some(date(number, since_1904, *shown == Shown::Day)),
        }
    }
}

/// Returns what a built-in format shows. 27 to 36 and 50 to 58 belong to East Asian locales.
fn built_in(format: u32) -> Option<Shown> {
    match format {
        9 | 10 => Some(Shown::Percent),
        46 => Some(Shown::Duration),
        14..=17 | 22 => Some(Shown::Day),
        18..=21 | 27..=36 | 45 | 47 | 50..=58 => Some(Shown::Time),
        _ => None,
    }
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

/// Formats a number of days as hours, minutes and seconds.
fn duration(number: f64) -> String {
    let (sign, time) = (if number < 0.0 { "-" } else { "" }, seconds(number.abs()));
    format!(
        "{sign}{}:{:02}:{:02}",
        time / 3600,
        time / 60 % 60,
        time % 60
    )
}

fn date(number: f64, since_1904: bool, shows_day: bool) -> String {
    let seconds = seconds(number);
    let (days, time) = (seconds / SECONDS, seconds % SECONDS);
    let clock = format!("{:02}:{:02}:{:02}", time / 3600, time / 60 % 60, time % 60);
    let date = match days {
        0 if !since_1904 && !shows_day => return clock,
        // Excel shows these two days, which do not exist.
        0 if !since_1904 => "1900-01-00".to_owned(),
        60 if !since_1904 => "1900-02-29".to_owned(),
        _ => calendar(days_since_1970(days, since_1904)),
    };
    if time == 0 {
        date
    } else {
        format!("{date} {clock}")
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

/// What a format shows, other than a plain number.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    Day,
    Time,
    /// Hours, minutes or seconds that count on, such as `[h]:mm`.
    Duration,
    Percent,
    Currency(String),
}

/// Returns what the first section of a format shows, which is for positive numbers. Letters in quotes are text.
fn displayed(code: &str) -> Option<Shown> {
    let mut shown = None;
    let mut letters = code.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' | '_' | '*' => {
                letters.next();
            }
            '"' => {
                let text: String = letters.by_ref().take_while(|other| *other != '"').collect();
                shown = shown.or(currency(text.trim()));
            }
            '[' => {
                let text: String = letters.by_ref().take_while(|other| *other != ']').collect();
                let symbol = text
                    .strip_prefix('$')
                    .and_then(|text| text.split('-').next());
                shown = shown.or(match symbol {
                    Some("") => None,
                    Some(symbol) => Some(Shown::Currency(symbol.to_owned())),
                    None => is_elapsed(&text).then_some(Shown::Duration),
                });
            }
            ';' => return shown,
            'y' | 'Y' | 'd' | 'D' => return Some(Shown::Day),
            'm' | 'M' | 'h' | 'H' | 's' | 'S' => shown = shown.or(Some(Shown::Time)),
            '%' => shown = Some(Shown::Percent),
            _ => shown = shown.or(currency(letter.encode_utf8(&mut [0; 4]))),
        }
    }
    shown
}

fn is_elapsed(text: &str) -> bool {
    let of = |unit: char| {
        text.chars()
            .all(|letter| letter.eq_ignore_ascii_case(&unit))
    };
    !text.is_empty() && ['h', 'm', 's'].into_iter().any(of)
}

/// Returns a currency if the text is its symbol.
fn currency(text: &str) -> Option<Shown> {
    let is_symbol = ["$", "€", "£", "¥", "₹", "₩", "₽", "CHF", "EUR", "USD"].contains(&text);
    is_symbol.then(|| Shown::Currency(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_formats() {
        for (code, expected) in [
            ("yyyy-mm-dd", Some(Shown::Day)),
            ("[$-409]d/m/yy", Some(Shown::Day)),
            ("hh:mm", Some(Shown::Time)),
            ("[h]:mm", Some(Shown::Duration)),
            ("[MM]:ss", Some(Shown::Duration)),
            ("hh:mm:ss d", Some(Shown::Day)),
            ("0.00", None),
            ("General", None),
            ("0.00\" dry\"", None),
            ("\\d0", None),
            ("[Red]0", None),
            ("#,##0_);(#,##0)", None),
            ("0.0%", Some(Shown::Percent)),
            ("#,##0.00 [$€-407]", Some(Shown::Currency("€".into()))),
            ("_(\"$\"* #,##0.00_)", Some(Shown::Currency("$".into()))),
            ("£0", Some(Shown::Currency("£".into()))),
        ] {
            assert_eq!(displayed(code), expected, "{code}");
        }
    }

    #[test]
    fn formats_days_as_dates() {
        let formats = Formats {
            styles: vec![0, 14, 21, 46, 9, 200],
            own: HashMap::from([(200, Shown::Currency("€".to_owned()))]),
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
            let date = formats.shown(1, number, since_1904);

            assert_eq!(date.as_deref(), expected, "{number}");
        }
        for (style, number, expected) in [
            (0, 45_351.0, None),
            (2, 0.75, Some("18:00:00")),
            (3, 1.5, Some("36:00:00")),
            (3, -0.25, Some("-6:00:00")),
            (4, 0.07, Some("7%")),
            (4, 1.255, Some("125.5%")),
            (5, -12.5, Some("-€12.5")),
            (6, 1.0, None),
        ] {
            let shown = formats.shown(style, number, false);

            assert_eq!(shown.as_deref(), expected, "{style} {number}");
        }
    }
}
