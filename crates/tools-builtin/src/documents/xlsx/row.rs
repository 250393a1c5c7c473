//! The cells of one row.

use std::ops::Range;

/// The cells of a row so far: their texts one behind the other, and in which column each stands.
#[derive(Debug, Default)]
pub(super) struct Row {
    text: String,
    cells: Vec<(usize, Range<usize>)>,
}

impl Row {
    /// How long the texts are together.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds a cell, wherever in the row it stands.
    pub(super) fn add(&mut self, column: usize, show: impl FnOnce(&mut String)) {
        let from = self.text.len();
        show(&mut self.text);
        self.cells.push((column, from..self.text.len()));
    }

    /// The row as a line; a second cell in a column stands behind the first one.
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
