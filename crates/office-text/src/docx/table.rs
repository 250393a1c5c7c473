//! Tables.

use crate::blocks::{Block, Blocks};
use crate::error::DocumentError;
use crate::xml::Xml;

/// Open tables, the innermost last. The rows of a nested table become lines of the enclosing cell.
#[derive(Debug, Default)]
pub(super) struct Tables(Vec<Table>);

#[derive(Debug, Default)]
struct Table {
    /// Cells of the row, each with the number of further columns that it spans.
    row: Vec<(String, usize)>,
    is_row_omitted: bool,
    cell: String,
    more_columns: usize,
}

impl Tables {
    pub(super) fn any(&self) -> bool {
        !self.0.is_empty()
    }

    pub(super) fn begin_table(&mut self) {
        self.0.push(Table::default());
    }

    pub(super) fn end_table(&mut self, blocks: &mut Blocks) {
        self.0.pop();
        if self.0.is_empty() {
            blocks.part();
        }
    }

    pub(super) fn read_row_properties(&mut self, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        let mut is_omitted = false;
        xml.within(|depth, element| match (depth, element.local()) {
            (0, "del") => is_omitted = true,
            (0, "hidden") => is_omitted |= element.is_on(),
            _ => {}
        })?;
        if let Some(table) = self.0.last_mut() {
            table.is_row_omitted = is_omitted;
        }
        Ok(())
    }

    pub(super) fn end_row(&mut self, blocks: &mut Blocks) {
        let Some(table) = self.0.last_mut() else {
            return;
        };
        let row = std::mem::take(&mut table.row);
        if std::mem::take(&mut table.is_row_omitted) {
            return;
        }
        let line = match row.as_slice() {
            // Many documents are one table with one column, and would otherwise become one long line.
            [(cell, _)] => cell.clone(),
            cells => cells.iter().map(flattened).collect::<Vec<_>>().join("\t"),
        };
        match self.0.as_mut_slice() {
            [.., around, _] => around.add_line(line.trim_end()),
            _ => blocks.push(Block::Row, line.trim_end()),
        }
    }

    pub(super) fn read_cell_properties(&mut self, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        let mut columns = 1;
        xml.within(|depth, element| {
            if (depth, element.local()) == (0, "gridSpan") {
                let value = element.attribute("val").unwrap_or_default();
                columns = value.parse().unwrap_or(1);
            }
        })?;
        if let Some(table) = self.0.last_mut() {
            // Each column costs a tab in the text, and a damaged document can claim millions.
            table.more_columns = columns.min(MAX_SPAN).saturating_sub(1);
        }
        Ok(())
    }

    pub(super) fn end_cell(&mut self) {
        if let Some(table) = self.0.last_mut() {
            let cell = std::mem::take(&mut table.cell);
            let more_columns = std::mem::take(&mut table.more_columns);
            table.row.push((cell, more_columns));
        }
    }

    /// Adds a paragraph to the cell.
    pub(super) fn paragraph(&mut self, text: &str) {
        if let Some(table) = self.0.last_mut() {
            table.add_line(text);
        }
    }
}

/// Maximum number of columns that a cell spans.
const MAX_SPAN: usize = 64;

impl Table {
    fn add_line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        if !self.cell.is_empty() {
            self.cell.push('\n');
        }
        self.cell.push_str(line);
    }
}

/// Returns a cell on one line, followed by a tab for each further column, so that later cells keep theirs.
fn flattened((cell, more_columns): &(String, usize)) -> String {
    let lines = cell.lines().map(str::trim).filter(|text| !text.is_empty());
    let lines: Vec<&str> = lines.collect();
    lines.join(" / ").replace('\t', " ") + &"\t".repeat(*more_columns)
}
