//! Table cells in columns.

use super::Renderer;
use crate::table::{MAX_COLUMNS, TableProperties};

/// Table that is being written.
#[derive(Debug, Default)]
pub(super) struct TableWriter {
    properties: TableProperties,
    /// Number of written rows.
    rows: usize,
    /// Position of the first character of the row.
    row_start: usize,
    /// Number of written cells in the row.
    cells: u16,
    /// Number of tabs before the next text, in plain text.
    tabs: u16,
    /// Number of further rows that the last cell of each column spans.
    spans: Vec<u16>,
}

impl TableWriter {
    pub(super) fn new(properties: TableProperties) -> Self {
        Self {
            properties,
            ..Self::default()
        }
    }

    pub(super) fn is_grid(&self) -> bool {
        self.properties.is_grid
    }

    /// Returns whether a cell of an earlier row spans the next position.
    fn is_taken(&mut self) -> bool {
        let span = self.spans.get_mut(usize::from(self.cells));
        match span {
            Some(rows) if *rows > 0 => {
                *rows -= 1;
                true
            }
            _ => false,
        }
    }

    fn take(&mut self, rows: u16) {
        let place = usize::from(self.cells);
        if self.spans.len() <= place {
            self.spans.resize(place + 1, 0);
        }
        if let Some(span) = self.spans.get_mut(place) {
            *span = rows.saturating_sub(1);
        }
    }
}

impl Renderer<'_> {
    pub(super) fn open_table(&mut self, properties: TableProperties) {
        self.block_break(2);
        self.grids.push(TableWriter::new(properties));
    }

    pub(super) fn close_table(&mut self) {
        self.grids.pop();
        self.block_break(2);
    }

    pub(super) fn open_row(&mut self) {
        self.block_break(1);
        let is_markdown = self.is_markdown();
        let Some(grid) = self.grids.last_mut().filter(|grid| grid.is_grid()) else {
            return;
        };
        grid.cells = 0;
        grid.tabs = 0;
        self.writer.begin_one_line();
        // An enclosing element may keep the row on one line with other text.
        if is_markdown && self.writer.one_line_depth() == 1 {
            self.begin_markdown_row();
        }
    }

    fn begin_markdown_row(&mut self) {
        self.writer.begin_row();
        let start = self.writer.len();
        if let Some(grid) = self.grids.last_mut() {
            grid.row_start = start;
        }
        self.writer.push("|");
    }

    pub(super) fn open_cell(&mut self) {
        let is_markdown = self.is_markdown();
        let Some(grid) = self.grids.last_mut().filter(|grid| grid.is_grid()) else {
            self.block_break(if is_markdown { 2 } else { 1 });
            return;
        };
        let mut empty = 0;
        while grid.cells < MAX_COLUMNS && grid.is_taken() {
            grid.cells += 1;
            empty += 1;
        }
        grid.tabs += empty + u16::from(grid.cells > empty);
        if is_markdown {
            for _ in 0..empty {
                self.writer.push(" |");
            }
            self.writer.drop_space();
            self.writer.space();
        }
    }

    pub(super) fn close_cell(&mut self, columns: u16, rows: u16) {
        self.close_marks();
        let is_markdown = self.is_markdown();
        let Some(grid) = self.grids.last_mut().filter(|grid| grid.is_grid()) else {
            self.block_break(if is_markdown { 2 } else { 1 });
            return;
        };
        let columns = columns.min(MAX_COLUMNS.saturating_sub(grid.cells)).max(1);
        for _ in 0..columns {
            grid.take(rows);
            grid.cells += 1;
        }
        grid.tabs += columns - 1;
        self.writer.drop_space();
        if is_markdown {
            for _ in 0..columns {
                self.writer.push(" |");
            }
        }
    }

    pub(super) fn close_row(&mut self) {
        let is_markdown = self.is_markdown();
        let is_grid = self.grids.last().is_some_and(TableWriter::is_grid);
        if is_grid {
            self.writer.end_one_line();
        }
        if is_grid && is_markdown && !self.writer.is_one_line() {
            self.end_markdown_row();
        }
        self.block_break(1);
    }

    fn end_markdown_row(&mut self) {
        let Some(grid) = self.grids.last_mut() else {
            return;
        };
        let columns = usize::from(grid.properties.columns);
        let row = self.writer.text().get(grid.row_start..).unwrap_or_default();
        let is_empty = row.bytes().all(|byte| matches!(byte, b'|' | b' '));
        // Rows without text are spacers.
        if is_empty {
            let start = grid.row_start;
            self.writer.take_back(start);
            return;
        }
        grid.rows += 1;
        let missing = columns.saturating_sub(usize::from(grid.cells));
        // A table in Markdown needs a header, so its first row becomes one.
        if grid.rows == 1 {
            self.writer.push(&" |".repeat(missing));
            self.writer.new_line();
            self.writer.push("|");
            self.writer.push(&" --- |".repeat(columns));
        }
    }

    /// Writes the pending tabs in plain text.
    pub(super) fn flush_tabs(&mut self) {
        if self.is_markdown() {
            return;
        }
        let Some(grid) = self.grids.last_mut().filter(|grid| grid.tabs > 0) else {
            return;
        };
        let tabs = usize::from(std::mem::take(&mut grid.tabs));
        self.writer.drop_space();
        self.writer.begin();
        self.writer.push(&"\t".repeat(tabs));
    }
}
