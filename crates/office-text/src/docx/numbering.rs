//! Numbers and bullets of lists.

use std::collections::{HashMap, HashSet};

use super::styles::Styles;
use crate::error::{DocumentError, DocumentLimits};
use crate::xml::{Element, Namespace, Xml};

const LEVELS: usize = 9;
/// Maximum length of a number's pattern in characters.
const MAX_PATTERN: usize = 64;

/// Lists of a document and their counters.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    lists: HashMap<String, List>,
    patterns: HashMap<String, Pattern>,
    counters: HashMap<String, [Option<u32>; LEVELS]>,
    begun: HashSet<String>,
}

/// List that paragraphs refer to.
#[derive(Debug, Default)]
struct List {
    pattern: String,
    starts: [Option<u32>; LEVELS],
    levels: [Option<Level>; LEVELS],
}

/// Abstract list that lists refer to.
#[derive(Debug, Default)]
struct Pattern {
    levels: [Option<Level>; LEVELS],
    /// Style that defines the levels instead.
    style: Option<String>,
}

#[derive(Debug, Clone, Default)]
struct Level {
    start: Option<u32>,
    format: String,
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
        let mut pattern = Pattern::default();
        let mut at = 0;
        xml.within(|_, element| match element.local() {
            "lvl" => at = index_of(element, "ilvl"),
            "numStyleLink" => pattern.style = element.attribute("val").map(Into::into),
            _ => note_level(&mut pattern.levels, at, element),
        })?;
        let id = start.attribute("abstractNumId").unwrap_or_default();
        self.patterns.insert(id.into_owned(), pattern);
        Ok(())
    }

    fn add_list(&mut self, start: &Element<'_>, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        let mut list = List::default();
        let mut at = 0;
        xml.within(|_, element| match element.local() {
            "abstractNumId" => {
                list.pattern = element.attribute("val").unwrap_or_default().into_owned();
            }
            "lvlOverride" | "lvl" => at = index_of(element, "ilvl"),
            "startOverride" => {
                if let Some(slot) = list.starts.get_mut(at) {
                    *slot = number_of(element);
                }
            }
            _ => note_level(&mut list.levels, at, element),
        })?;
        let id = start.attribute("numId").unwrap_or_default();
        self.lists.insert(id.into_owned(), list);
        Ok(())
    }

    /// Counts an item and returns its label.
    pub(super) fn label(&mut self, id: &str, level: usize, styles: &Styles) -> Option<String> {
        let list = self.lists.get(id)?;
        let level = level.min(LEVELS - 1);
        let own = self.patterns.get(&list.pattern)?;
        let linked = own.style.as_deref().and_then(|style| {
            let list = self.lists.get(styles.number(style)?)?;
            self.patterns.get(&list.pattern)
        });
        let levels = Levels {
            list,
            pattern: linked.unwrap_or(own),
        };
        let counters = self.counters.entry(list.pattern.clone()).or_default();
        // A start value counts once per list. Without one, the list continues the numbers of its pattern.
        if self.begun.insert(id.to_owned()) {
            for (counter, start) in counters.iter_mut().zip(list.starts) {
                if start.is_some() {
                    *counter = None;
                }
            }
        }
        count(counters, level, &levels);
        Some(levels.label(level, counters))
    }
}

fn count(counters: &mut [Option<u32>; LEVELS], level: usize, levels: &Levels<'_>) {
    for (at, counter) in counters.iter_mut().enumerate() {
        match (at.cmp(&level), &counter) {
            (std::cmp::Ordering::Greater, _) => *counter = None,
            (std::cmp::Ordering::Equal, Some(number)) => *counter = Some(number.saturating_add(1)),
            (_, None) => *counter = Some(levels.start(at)),
            (std::cmp::Ordering::Less, Some(_)) => {}
        }
    }
}

/// Levels of a list and of its pattern.
struct Levels<'l> {
    list: &'l List,
    pattern: &'l Pattern,
}

impl Levels<'_> {
    fn get(&self, at: usize) -> Option<&Level> {
        let own = self.list.levels.get(at)?.as_ref();
        own.or_else(|| self.pattern.levels.get(at)?.as_ref())
    }

    fn start(&self, at: usize) -> u32 {
        let over = self.list.starts.get(at).copied().flatten();
        over.or_else(|| self.get(at)?.start).unwrap_or(1)
    }

    /// Returns the label of an item: `-`, or its formatted number.
    fn label(&self, at: usize, counters: &[Option<u32>; LEVELS]) -> String {
        let Some(level) = self.get(at) else {
            return "-".to_owned();
        };
        if level.format == "bullet" {
            return "-".to_owned();
        }
        let mut label = String::new();
        let mut letters = level.text.chars().take(MAX_PATTERN).peekable();
        while let Some(letter) = letters.next() {
            // `%2` is the number of the second level.
            let digit = letters.peek().and_then(|next| next.to_digit(10));
            match digit {
                Some(which @ 1..=9) if letter == '%' => {
                    letters.next();
                    label += &self.number(which as usize - 1, counters);
                }
                _ => label.push(letter),
            }
        }
        label.trim().to_owned()
    }

    fn number(&self, at: usize, counters: &[Option<u32>; LEVELS]) -> String {
        let number = counters.get(at).copied().flatten();
        let number = number.unwrap_or_else(|| self.start(at));
        let format = self.get(at).map_or("decimal", |level| &level.format);
        formatted(number, format)
    }
}

fn note_level(levels: &mut [Option<Level>; LEVELS], at: usize, element: &Element<'_>) {
    let Some(slot) = levels.get_mut(at) else {
        return;
    };
    let value = || element.attribute("val").unwrap_or_default().into_owned();
    match element.local() {
        "start" => slot.get_or_insert_default().start = number_of(element),
        "numFmt" => slot.get_or_insert_default().format = value(),
        "lvlText" => slot.get_or_insert_default().text = value(),
        _ => {}
    }
}

fn index_of(element: &Element<'_>, attribute: &str) -> usize {
    let value = element.attribute(attribute).unwrap_or_default();
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
    const SIGNS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    // Word itself has no larger Roman numbers.
    if number > 32_767 {
        return number.to_string();
    }
    let mut rest = number;
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while rest >= value {
            text += sign;
            rest -= value;
        }
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
