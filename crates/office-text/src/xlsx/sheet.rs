//! Text of one sheet.

use super::Workbook;
use super::cell::{Cell, rich_text};
use super::hidden::{Hidden, MAX_COLUMNS};
use super::row::Row;
use crate::blocks::{Block, Blocks};
use crate::error::DocumentError;
use crate::limits::DocumentLimits;
use crate::xml::{Element, Token, Xml};

/// Reader of a sheet.
#[derive(Debug)]
pub(super) struct SheetReader<'b> {
    book: &'b Workbook,
    rows_left: &'b mut usize,
    cells: Row,
    is_hidden_row: bool,
    hidden: Hidden,
    /// Maximum number of bytes of text in a row.
    most: usize,
    /// Column of the next cell without a reference.
    next: usize,
    /// Number of the last row with a value.
    last_row: Option<usize>,
    row: usize,
}

impl<'b> SheetReader<'b> {
    pub(super) fn new(
        book: &'b Workbook,
        rows_left: &'b mut usize,
        limits: &DocumentLimits,
    ) -> Self {
        Self {
            book,
            rows_left,
            cells: Row::default(),
            is_hidden_row: false,
            hidden: Hidden::default(),
            most: limits.max_text_bytes,
            next: 0,
            last_row: None,
            row: 0,
        }
    }

    pub(super) fn read(
        mut self,
        text: &str,
        limits: &DocumentLimits,
        blocks: &mut Blocks,
    ) -> Result<(), DocumentError> {
        let mut xml = Xml::new(text, limits);
        loop {
            match xml.next()? {
                Token::Start(element) => match element.local() {
                    "row" => {
                        self.end_row(blocks);
                        self.begin_row(&element);
                    }
                    "col" => self.hidden.read_columns(&element),
                    "c" => self.read_cell(&element, &mut xml)?,
                    "oddHeader" | "oddFooter" | "extLst" => xml.skip()?,
                    _ => {}
                },
                Token::Done => {
                    self.end_row(blocks);
                    if let Some(summary) = self.hidden.summary() {
                        blocks.push(Block::Apart, &summary);
                    }
                    return Ok(());
                }
                Token::Text(_) | Token::End => {}
            }
            if blocks.is_full() {
                return Ok(());
            }
        }
    }

    fn begin_row(&mut self, element: &Element<'_>) {
        let number = element
            .attribute("r")
            .and_then(|number| number.parse().ok());
        self.row = number.unwrap_or(self.row.saturating_add(1));
        self.is_hidden_row = element.is_hidden();
    }

    fn end_row(&mut self, blocks: &mut Blocks) {
        self.next = 0;
        let line = std::mem::take(&mut self.cells).line();
        if line.trim().is_empty() {
            return;
        }
        if std::mem::take(&mut self.is_hidden_row) {
            self.hidden.add_row();
            return;
        }
        let Some(left) = self.rows_left.checked_sub(1) else {
            blocks.cut();
            return;
        };
        *self.rows_left = left;
        let follows = self
            .last_row
            .is_none_or(|last| last.saturating_add(1) >= self.row);
        if !follows {
            blocks.part();
        }
        self.last_row = Some(self.row);
        blocks.push(Block::Row, line.trim_end_matches('\t'));
    }

    fn read_cell(&mut self, element: &Element<'_>, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        let style = element.attribute("s").unwrap_or_default();
        let mut cell = Cell {
            kind: element.attribute("t").unwrap_or_default().into_owned(),
            style: style.parse().unwrap_or_default(),
            ..Cell::default()
        };
        let place = element.attribute("r").unwrap_or_default();
        let column = column_of(&place).unwrap_or(self.next).min(MAX_COLUMNS);
        self.next = column + 1;
        read_inside(&mut cell, xml)?;
        let is_empty = cell.value.is_empty() && cell.formula.is_empty();
        // Longer rows are truncated in any case.
        if is_empty || self.cells.len() > self.most || self.hidden.is_hidden_column(column) {
            return Ok(());
        }
        let book = self.book;
        self.cells.add(column, |line| cell.show(book, line));
        Ok(())
    }
}

fn read_inside(cell: &mut Cell, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
    let mut depth = 1;
    while depth > 0 {
        match xml.next()? {
            Token::Start(element) => match element.local() {
                "v" => cell.value = xml.text_within()?,
                "is" => cell.value = rich_text(xml)?,
                "f" => cell.formula = xml.text_within()?,
                _ => depth += 1,
            },
            Token::End => depth -= 1,
            Token::Text(_) | Token::Done => {}
        }
    }
    Ok(())
}

/// Returns the column of a reference such as `AB12`, counted from 0.
fn column_of(place: &str) -> Option<usize> {
    // References in Excel have at most three. More than four could overflow, and the caller bounds four.
    let letters = place.chars().take_while(char::is_ascii_alphabetic).take(4);
    let digits = letters.filter_map(|letter| letter.to_digit(36));
    let column = digits.fold(0, |column, digit| column * 26 + digit as usize - 9);
    column.checked_sub(1)
}

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
