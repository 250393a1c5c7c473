//! Text of one sheet: its rows and cells.

use super::Workbook;
use crate::blocks::{Block, Blocks};
use crate::error::{DocumentError, DocumentLimits};
use crate::xml::{Element, Token, Xml};

/// Reader of a sheet.
#[derive(Debug)]
pub(super) struct SheetReader<'b> {
    book: &'b Workbook,
    blocks: &'b mut Blocks,
    /// Text of the current row.
    line: String,
    /// Number of tabs in the line.
    tabs: usize,
    /// Column of the next cell without a reference.
    next: usize,
    row: usize,
    /// Number of the last row with a value.
    last_row: usize,
}

impl<'b> SheetReader<'b> {
    pub(super) fn new(book: &'b Workbook, blocks: &'b mut Blocks) -> Self {
        Self {
            book,
            blocks,
            line: String::new(),
            tabs: 0,
            next: 0,
            row: 0,
            last_row: 0,
        }
    }

    pub(super) fn read(mut self, text: &str, limits: &DocumentLimits) -> Result<(), DocumentError> {
        let mut xml = Xml::new(text, limits);
        while let Some(element) = xml.next_start()? {
            match element.local() {
                "row" => {
                    self.end_row();
                    let number = element.attribute("r").and_then(|row| row.parse().ok());
                    self.row = number.unwrap_or(self.row.saturating_add(1));
                }
                "c" => self.read_cell(&element, &mut xml, limits.max_text_bytes)?,
                _ => {}
            }
            if self.blocks.is_full() {
                return Ok(());
            }
        }
        self.end_row();
        Ok(())
    }

    fn end_row(&mut self) {
        self.next = 0;
        self.tabs = 0;
        let line = std::mem::take(&mut self.line);
        if line.trim().is_empty() {
            return;
        }
        if self.row > self.last_row.saturating_add(1) {
            self.blocks.part();
        }
        self.last_row = self.row;
        self.blocks.push(Block::Row, line.trim_end_matches('\t'));
    }

    fn read_cell(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
        most: usize,
    ) -> Result<(), DocumentError> {
        let style = element.attribute("s").unwrap_or_default();
        let mut cell = Cell {
            kind: element.attribute("t").unwrap_or_default().into_owned(),
            style: style.parse().unwrap_or_default(),
            ..Cell::default()
        };
        let place = element.attribute("r").unwrap_or_default();
        let column = column_of(&place).unwrap_or(self.next);
        // The cells of a damaged sheet can be in any order.
        let column = column.min(MAX_COLUMNS).max(self.next);
        self.next = column + 1;
        read_inside(&mut cell, xml)?;
        let is_empty = cell.value.is_empty() && cell.formula.is_empty();
        // Longer rows are truncated in any case.
        if !is_empty && self.line.len() <= most {
            self.line.push_str(&"\t".repeat(column - self.tabs));
            self.line.push_str(&cell.shown(self.book));
            self.tabs = column;
        }
        Ok(())
    }
}

fn read_inside(cell: &mut Cell, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
    loop {
        match xml.next()? {
            Token::Start(element) => match element.local() {
                "v" => cell.value = xml.text_within()?,
                "is" => cell.value = rich_text(xml)?,
                "f" => cell.formula = xml.text_within()?,
                _ => xml.skip()?,
            },
            Token::Text(_) => {}
            Token::End(_) | Token::Done => return Ok(()),
        }
    }
}

/// Returns the column of a reference such as `AB12`, counted from 0.
fn column_of(place: &str) -> Option<usize> {
    // References in Excel have at most three. More than four could overflow, and the caller bounds four.
    let letters = place.chars().take_while(char::is_ascii_alphabetic).take(4);
    let digits = letters.filter_map(|letter| letter.to_digit(36));
    let column = digits.fold(0, |column, digit| column * 26 + digit as usize - 9);
    column.checked_sub(1)
}

/// Returns the text of a rich string in the current element. Phonetic readings are omitted.
pub(super) fn rich_text(xml: &mut Xml<'_>) -> Result<String, DocumentError> {
    let mut text = String::new();
    loop {
        match xml.next()? {
            Token::Start(element) if element.local() == "rPh" => xml.skip()?,
            Token::Start(element) if element.local() == "t" => text.push_str(&xml.text_within()?),
            Token::End(element) if matches!(element.local(), "si" | "is") => break,
            Token::Done => break,
            Token::Start(_) | Token::Text(_) | Token::End(_) => {}
        }
    }
    // The escaped carriage return of a line break. The newline after it is kept.
    Ok(text.replace("_x000D_", ""))
}

/// Cell under construction.
#[derive(Debug, Default)]
struct Cell {
    kind: String,
    style: usize,
    value: String,
    formula: String,
}

impl Cell {
    /// Returns the displayed value on one line.
    fn shown(&self, book: &Workbook) -> String {
        let value = self.value.as_str();
        match self.kind.as_str() {
            "s" => {
                let at: Option<usize> = value.trim().parse().ok();
                let shared = at.and_then(|at| book.strings.get(at));
                one_line(shared.map_or("", String::as_str))
            }
            "b" if value.trim() == "1" => "TRUE".to_owned(),
            "b" => "FALSE".to_owned(),
            "str" | "inlineStr" | "e" | "d" => one_line(value),
            _ if value.is_empty() && !self.formula.is_empty() => {
                format!("={}", one_line(&self.formula))
            }
            _ => one_line(&self.number(book)),
        }
    }

    fn number(&self, book: &Workbook) -> String {
        let text = self.value.trim();
        let Ok(number) = text.parse::<f64>() else {
            return text.to_owned();
        };
        if let Some(shown) = book.formats.shown(self.style, number, book.since_1904) {
            return shown;
        }
        // Excel stores 0.1 with 17 digits, as 0.10000000000000001.
        if text.len() > 15 && (1e-5..1e16).contains(&number.abs()) {
            return number.to_string();
        }
        text.to_owned()
    }
}

fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_ascii_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Maximum number of columns in Excel.
const MAX_COLUMNS: usize = 16_384;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_column_letters() {
        for (place, expected) in [
            ("A1", Some(0)),
            ("Z9", Some(25)),
            ("AA1", Some(26)),
            ("XFD1", Some(16_383)),
            ("1", None),
            ("", None),
        ] {
            assert_eq!(column_of(place), expected, "{place}");
        }
    }
}
