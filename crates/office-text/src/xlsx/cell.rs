//! Value of a cell.

use super::Workbook;
use crate::error::DocumentError;
use crate::xml::{Token, Xml};

/// Returns the text of a rich string in the current element. Phonetic readings are omitted.
pub(super) fn rich_text(xml: &mut Xml<'_>) -> Result<String, DocumentError> {
    let mut text = String::new();
    let mut depth = 1;
    let mut in_text = false;
    while depth > 0 {
        match xml.next()? {
            Token::Start(element) if element.local() == "rPh" => xml.skip()?,
            Token::Start(element) => {
                depth += 1;
                in_text = element.local() == "t";
            }
            Token::Text(piece) if in_text => text.push_str(&piece),
            Token::End => {
                depth -= 1;
                in_text = false;
            }
            Token::Text(_) | Token::Done => {}
        }
    }
    // The escaped carriage return of a line break. The newline after it is kept.
    Ok(text.replace("_x000D_", ""))
}

/// Cell under construction.
#[derive(Debug, Default)]
pub(super) struct Cell {
    pub(super) kind: String,
    pub(super) style: usize,
    pub(super) value: String,
    pub(super) formula: String,
}

impl Cell {
    /// Appends the displayed value on one line.
    pub(super) fn show(&self, book: &Workbook, line: &mut String) {
        let value = self.value.as_str();
        match self.kind.as_str() {
            "s" => {
                let at: Option<usize> = value.trim().parse().ok();
                let shared = at.and_then(|at| book.strings.get(at));
                put(shared.map_or("", String::as_str), line);
            }
            "b" => line.push_str(if value.trim() == "1" { "TRUE" } else { "FALSE" }),
            "str" | "inlineStr" | "e" | "d" => put(value, line),
            _ if value.is_empty() && !self.formula.is_empty() => {
                line.push('=');
                put(&self.formula, line);
            }
            _ => put(&self.number(book), line),
        }
    }

    fn number(&self, book: &Workbook) -> String {
        let text = self.value.trim();
        let Ok(number) = text.parse::<f64>() else {
            return text.to_owned();
        };
        if let Some(date) = book.formats.date(self.style, number, book.since_1904) {
            return date;
        }
        // Excel stores 0.1 with 17 digits, as 0.10000000000000001.
        if text.len() > 15 && (1e-5..1e16).contains(&number.abs()) {
            return number.to_string();
        }
        text.to_owned()
    }
}

fn put(text: &str, line: &mut String) {
    if text.contains(|letter: char| letter.is_ascii_control()) {
        let mut words = text.split(|letter: char| letter.is_ascii_control());
        line.push_str(words.next().unwrap_or_default());
        for word in words.filter(|word| !word.is_empty()) {
            line.push(' ');
            line.push_str(word);
        }
    } else {
        line.push_str(text);
    }
}
