//! Numbers and bullets of lists.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::error::{DocumentError, DocumentLimits};
use crate::xml::{Element, Namespace, Xml};

const LEVELS: usize = 9;
/// Maximum length of a number's pattern in characters.
const MAX_PATTERN: usize = 64;

/// Lists of a document and their counters.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    lists: HashMap<String, List>,
    /// Levels of abstract lists, which several lists can share.
    patterns: HashMap<String, [Level; LEVELS]>,
}

/// List that paragraphs refer to.
#[derive(Debug, Default)]
struct List {
    pattern: String,
    starts: [Option<u32>; LEVELS],
    counters: [Option<u32>; LEVELS],
}

#[derive(Debug, Default)]
struct Level {
    start: Option<u32>,
    format: String,
    /// Text with `%1` for the number of the first level, `%2` for that of the second and so on.
    text: String,
}

impl Numbering {
    pub(super) fn parse(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut numbering = Self::default();
        while let Some(element) = xml.next_start()? {
            if element.namespace == Namespace::Word {
                match element.local() {
                    "abstractNum" => numbering.add_pattern(&element, &mut xml)?,
                    "num" => numbering.add_list(&element, &mut xml)?,
                    _ => {}
                }
            }
        }
        Ok(numbering)
    }

    fn add_pattern(&mut self, start: &Element<'_>, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        let mut levels: [Level; LEVELS] = Default::default();
        let mut at = 0;
        xml.within(|_, element| {
            if element.local() == "lvl" {
                at = index_of(element);
            } else if let Some(level) = levels.get_mut(at) {
                level.note(element);
            }
        })?;
        let id = start.attribute("abstractNumId").unwrap_or_default();
        self.patterns.insert(id.into_owned(), levels);
        Ok(())
    }

    fn add_list(&mut self, start: &Element<'_>, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        let mut list = List::default();
        let mut at = 0;
        xml.within(|_, element| match element.local() {
            "abstractNumId" => {
                list.pattern = element.attribute("val").unwrap_or_default().into_owned();
            }
            "lvlOverride" => at = index_of(element),
            "startOverride" => {
                if let Some(start) = list.starts.get_mut(at) {
                    *start = number_of(element);
                }
            }
            _ => {}
        })?;
        let id = start.attribute("numId").unwrap_or_default();
        self.lists.insert(id.into_owned(), list);
        Ok(())
    }

    /// Counts an item and returns its label: `-`, or its number.
    pub(super) fn label(&mut self, id: &str, level: usize) -> Option<String> {
        let list = self.lists.get_mut(id)?;
        let levels = self.patterns.get(&list.pattern)?;
        let at = level.min(LEVELS - 1);
        list.count(at, levels);
        let format = &levels.get(at)?.format;
        if format.is_empty() || format == "bullet" {
            return Some("-".to_owned());
        }
        let mut label = levels.get(at)?.text.clone();
        for (at, (number, level)) in list.counters.iter().zip(levels).enumerate() {
            let place = format!("%{}", at + 1);
            if label.contains(&place) {
                let number = formatted(number.unwrap_or(1), &level.format);
                label = label.replace(&place, &number);
            }
        }
        Some(label.trim().to_owned())
    }
}

impl List {
    fn count(&mut self, item: usize, levels: &[Level; LEVELS]) {
        let starts = self.starts.iter().zip(levels);
        let starts = starts.map(|(start, level)| start.or(level.start).unwrap_or(1));
        for (at, (counter, start)) in self.counters.iter_mut().zip(starts).enumerate() {
            *counter = match (at.cmp(&item), *counter) {
                (Ordering::Greater, _) => None,
                (Ordering::Equal, Some(number)) => Some(number.saturating_add(1)),
                (_, number) => number.or(Some(start)),
            };
        }
    }
}

impl Level {
    fn note(&mut self, element: &Element<'_>) {
        let value = || element.attribute("val").unwrap_or_default();
        match element.local() {
            "start" => self.start = number_of(element),
            "numFmt" => self.format = value().into_owned(),
            // A damaged document could repeat a long pattern for each item.
            "lvlText" => self.text = value().chars().take(MAX_PATTERN).collect(),
            _ => {}
        }
    }
}

fn index_of(level: &Element<'_>) -> usize {
    let value = level.attribute("ilvl").unwrap_or_default();
    value.parse().unwrap_or_default()
}

fn number_of(element: &Element<'_>) -> Option<u32> {
    element.attribute("val")?.parse().ok()
}

/// Formats a number. Unknown formats use decimal digits.
fn formatted(number: u32, format: &str) -> String {
    match format {
        "lowerLetter" => letters(number),
        "upperLetter" => letters(number).to_ascii_uppercase(),
        "lowerRoman" => roman(number).to_ascii_lowercase(),
        "upperRoman" => roman(number),
        "decimalZero" => format!("{number:02}"),
        "none" => String::new(),
        _ => number.to_string(),
    }
}

/// Returns a, b, … z, aa, bb, … as in Word.
fn letters(number: u32) -> String {
    let Some(from_zero) = number.checked_sub(1) else {
        return String::new();
    };
    let letter = char::from_digit(from_zero % 26 + 10, 36).unwrap_or('?');
    // A damaged start value would repeat the letter millions of times.
    let times = (from_zero / 26 + 1).min(32);
    std::iter::repeat_n(letter, times as usize).collect()
}

fn roman(number: u32) -> String {
    const VALUES: [u32; 13] = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];
    const SIGNS: [&str; 13] = [
        "M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I",
    ];
    // Word itself has no larger Roman numbers.
    if number > 32_767 {
        return number.to_string();
    }
    let mut rest = number;
    let mut text = String::new();
    for (value, sign) in VALUES.into_iter().zip(SIGNS) {
        text += &sign.repeat((rest / value) as usize);
        rest %= value;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_numbers() {
        for (number, format, expected) in [
            (4, "decimal", "4"),
            (4, "decimalZero", "04"),
            (1, "lowerLetter", "a"),
            (26, "upperLetter", "Z"),
            (28, "lowerLetter", "bb"),
            (1994, "upperRoman", "MCMXCIV"),
            (9, "lowerRoman", "ix"),
            (4_000_000_000, "upperRoman", "4000000000"),
            (3, "none", ""),
            (3, "chineseCounting", "3"),
        ] {
            assert_eq!(formatted(number, format), expected, "{number} {format}");
        }
        assert_eq!(letters(u32::MAX).len(), 32);
    }
}
