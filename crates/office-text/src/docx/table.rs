//! Tables.

use super::paragraph::{CellProperties, RowProperties};
use crate::blocks::{Block, Blocks};

/// Open tables. The cells of a nested table are written into the enclosing cell.
#[derive(Debug, Default)]
pub(super) struct Tables {
    depth: usize,
    /// Cells of the row, each with the number of further columns that it spans.
    row: Vec<(String, usize)>,
    row_properties: RowProperties,
    cell: String,
    cell_properties: CellProperties,
    /// Start of each row of nested tables in `cell`, and whether the row is omitted.
    inner_rows: Vec<(usize, bool)>,
}

impl Tables {
    pub(super) fn any(&self) -> bool {
        self.depth > 0
    }

    pub(super) fn begin_table(&mut self) {
        if self.depth == 1 {
            self.new_line();
        }
        self.depth += 1;
    }

    pub(super) fn end_table(&mut self, blocks: &mut Blocks) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            blocks.part();
        }
    }

    pub(super) fn begin_row(&mut self) {
        if self.depth == 1 {
            self.row.clear();
            self.row_properties = RowProperties::default();
        } else {
            self.inner_rows.push((self.cell.len(), false));
        }
    }

    pub(super) fn set_row(&mut self, properties: RowProperties) {
        if self.depth == 1 {
            self.row_properties = properties;
        } else if let Some((_, omitted)) = self.inner_rows.last_mut() {
            *omitted = properties.omitted;
        }
    }

    pub(super) fn end_row(&mut self, blocks: &mut Blocks) {
        if self.depth > 1 {
            if let Some((from, true)) = self.inner_rows.pop() {
                self.cell.truncate(from);
                return;
            }
            trim_tabs(&mut self.cell);
            self.new_line();
            return;
        }
        let row = std::mem::take(&mut self.row);
        if self.row_properties.omitted {
            return;
        }
        // Many documents are one table with one column, and would otherwise become one long line.
        if let [(cell, _)] = row.as_slice() {
            blocks.push(Block::Row, cell.trim_end());
            return;
        }
        let cells: Vec<String> = row.iter().map(flattened).collect();
        let (free, line) = ("\t".repeat(self.row_properties.free), cells.join("\t"));
        let line = line.trim_end();
        if !line.is_empty() {
            blocks.push_with(&free, Block::Row, line);
        }
    }

    pub(super) fn begin_cell(&mut self) {
        if self.depth == 1 {
            self.cell.clear();
            self.cell_properties = CellProperties::default();
        }
    }

    pub(super) fn set_cell(&mut self, properties: CellProperties) {
        if self.depth == 1 {
            self.cell_properties = properties;
        }
    }

    pub(super) fn end_cell(&mut self) {
        if self.depth > 1 {
            self.cell.push('\t');
            return;
        }
        if self.cell_properties.empty {
            self.cell.clear();
        }
        let cell = std::mem::take(&mut self.cell);
        self.row.push((cell, self.cell_properties.more_columns));
    }

    /// Adds a paragraph to the cell.
    pub(super) fn paragraph(&mut self, prefix: &str, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if self.depth == 1 {
            self.new_line();
        } else if !self.cell.is_empty() && !self.cell.ends_with(['\t', '\n']) {
            self.cell.push_str(" / ");
        }
        self.cell.push_str(prefix);
        self.cell.push_str(text);
    }

    fn new_line(&mut self) {
        if !self.cell.is_empty() && !self.cell.ends_with('\n') {
            self.cell.push('\n');
        }
    }
}

fn trim_tabs(text: &mut String) {
    text.truncate(text.trim_end_matches('\t').len());
}

/// Returns a cell on one line, followed by a tab for each further column, so that later cells keep theirs.
fn flattened((cell, more_columns): &(String, usize)) -> String {
    let lines = cell.lines().map(str::trim).filter(|text| !text.is_empty());
    let lines: Vec<&str> = lines.collect();
    lines.join(" / ").replace('\t', " ") + &"\t".repeat(*more_columns)
}
