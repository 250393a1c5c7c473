//! Text of one sheet: its rows, cells, and what is hidden.

use std::collections::HashSet;

use super::Workbook;
use crate::blocks::{Block, Blocks};
use crate::error::{DocumentError, DocumentLimits};
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
            self.hidden.rows += 1;
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
        if is_empty || self.cells.bytes > self.most || self.hidden.is_hidden_column(column) {
            return Ok(());
        }
        self.cells.add(column, cell.shown(self.book));
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

/// Cells of a row, each with its column.
#[derive(Debug, Default)]
struct Row {
    cells: Vec<(usize, String)>,
    /// Bytes of the cells.
    bytes: usize,
}

impl Row {
    fn add(&mut self, column: usize, text: String) {
        self.bytes += text.len();
        self.cells.push((column, text));
    }

    /// Returns the row as a line. Cells of the same column are separated by a space.
    fn line(mut self) -> String {
        // The cells of a damaged sheet can be in any order.
        self.cells.sort_by_key(|(column, _)| *column);
        let mut line = String::with_capacity(self.bytes + self.cells.len());
        let mut last = None;
        for (column, text) in self.cells {
            match last {
                Some(last) if last == column => line.push(' '),
                _ => line.extend(std::iter::repeat_n('\t', column - last.unwrap_or_default())),
            }
            line.push_str(&text);
            last = Some(column);
        }
        line
    }
}

/// Maximum number of columns in Excel.
const MAX_COLUMNS: usize = 16_384;

/// Hidden columns of a sheet, and the number of omitted rows and columns.
#[derive(Debug, Default)]
struct Hidden {
    all_columns: HashSet<usize>,
    listed: usize,
    rows: usize,
    columns: HashSet<usize>,
}

impl Hidden {
    /// Reads the visibility of columns. Columns beyond the maximum number are ignored.
    fn read_columns(&mut self, element: &Element<'_>) {
        let number = |name: &str| -> Option<usize> { element.attribute(name)?.parse().ok() };
        let (Some(first), Some(last)) = (number("min"), number("max")) else {
            return;
        };
        let last = last.min(MAX_COLUMNS);
        self.listed += (last + 1).saturating_sub(first);
        // For all ranges together: a damaged sheet can list all columns thousands of times.
        if element.is_hidden() && self.listed <= MAX_COLUMNS + 1 {
            self.all_columns.extend(first.saturating_sub(1)..last);
        }
    }

    /// Returns whether a column with a value is hidden.
    fn is_hidden_column(&mut self, column: usize) -> bool {
        let is_hidden = self.all_columns.contains(&column);
        if is_hidden {
            self.columns.insert(column);
        }
        is_hidden
    }

    /// Returns a summary of the omitted rows and columns, if any.
    fn summary(&self) -> Option<String> {
        let counted = [(self.rows, "row"), (self.columns.len(), "column")];
        let counted: Vec<String> = counted
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| {
                format!(
                    "{count} hidden {what}{}",
                    if *count == 1 { "" } else { "s" }
                )
            })
            .collect();
        (!counted.is_empty()).then(|| format!("[omitted: {}]", counted.join(", ")))
    }
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
