//! Paragraphs under construction, and the numbers of notes.

use std::collections::HashMap;

use super::properties::ParagraphProperties;

/// Paragraph under construction.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) properties: ParagraphProperties,
    /// Ruby annotation of the following base text.
    pub(super) reading: String,
    /// Text of anchored text boxes.
    pub(super) boxes: Vec<String>,
}

/// Maximum length of a link's address in bytes.
const MAX_ADDRESS: usize = 2_000;

impl Paragraph {
    /// Encloses the text from `from` in parentheses unless it is a single character.
    pub(super) fn enclose(&mut self, from: usize) {
        let several = self
            .text
            .get(from..)
            .is_some_and(|since| since.chars().nth(1).is_some());
        if several {
            self.text.insert(from, '(');
            self.text.push(')');
        }
    }

    /// Moves the text from `from` to `reading`.
    pub(super) fn keep_reading(&mut self, from: usize) {
        if let Some(since) = self.text.get(from..) {
            self.reading = since.trim().to_owned();
            self.text.truncate(from);
        }
    }

    /// Writes the ruby annotation after its base text.
    pub(super) fn add_reading(&mut self) {
        let reading = std::mem::take(&mut self.reading);
        if !reading.is_empty() {
            self.text.push('(');
            self.text.push_str(&reading);
            self.text.push(')');
        }
    }

    /// Makes the text from `from` a link unless it is the address itself.
    pub(super) fn link(&mut self, from: usize, address: &str) {
        let Some(since) = self.text.get(from..) else {
            return;
        };
        let is_said = since.trim() == address || address.strip_prefix("mailto:") == Some(since);
        if since.trim().is_empty() || is_said || !leads_out(address) {
            return;
        }
        self.text.insert(from, '[');
        self.text.push_str("](");
        self.text.push_str(address);
        self.text.push(')');
    }
}

fn leads_out(address: &str) -> bool {
    let lower = address.get(..8).unwrap_or(address).to_ascii_lowercase();
    let known = ["http://", "https://", "mailto:"];
    address.len() <= MAX_ADDRESS
        && known.iter().any(|start| lower.starts_with(start))
        && !address.contains(char::is_whitespace)
}

/// Numbers of notes in the order of their first reference.
#[derive(Debug, Default)]
pub(super) struct NoteNumbers {
    footnotes: HashMap<String, usize>,
    endnotes: HashMap<String, usize>,
}

impl NoteNumbers {
    /// Returns the number of a referenced note. `kind` is `footnotes` or `endnotes`.
    pub(super) fn call(&mut self, kind: &str, id: &str) -> usize {
        let next = self.footnotes.len() + self.endnotes.len() + 1;
        let numbers = match kind {
            "footnotes" => &mut self.footnotes,
            _ => &mut self.endnotes,
        };
        *numbers.entry(id.to_owned()).or_insert(next)
    }

    pub(super) fn called(&self, kind: &str, id: &str) -> Option<usize> {
        self.of(kind).get(id).copied()
    }

    pub(super) fn any_of(&self, kind: &str) -> bool {
        !self.of(kind).is_empty()
    }

    fn of(&self, kind: &str) -> &HashMap<String, usize> {
        match kind {
            "footnotes" => &self.footnotes,
            _ => &self.endnotes,
        }
    }
}
