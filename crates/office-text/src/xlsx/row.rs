//! Cells of one row.

use std::ops::Range;

/// Cells of a row: their concatenated text, and the column and range of each.
#[derive(Debug, Default)]
pub(super) struct Row {
    text: String,
    cells: Vec<(usize, Range<usize>)>,
}

impl Row {
    /// Returns the length of the text in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn add(&mut self, column: usize, show: impl FnOnce(&mut String)) {
        let from = self.text.len();
        show(&mut self.text);
        self.cells.push((column, from..self.text.len()));
    }

    /// Returns the row as a line. Cells of the same column are separated by a space.
    pub(super) fn line(mut self) -> String {
        self.cells.sort_by_key(|(column, _)| *column);
        let mut line = String::with_capacity(self.text.len() + self.cells.len());
        let mut at = 0;
        let mut last = None;
        for (column, range) in self.cells {
            while at < column {
                line.push('\t');
                at += 1;
            }
            if last == Some(column) {
                line.push(' ');
            }
            line.push_str(self.text.get(range).unwrap_or_default());
            last = Some(column);
        }
        line
    }
}
