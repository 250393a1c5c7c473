//! Hidden rows and columns.

use std::collections::HashSet;

use crate::xml::Element;

/// Maximum number of columns in Excel.
pub(super) const MAX_COLUMNS: usize = 16_384;

/// Hidden columns of a sheet, and the number of omitted rows and columns.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    all_columns: HashSet<usize>,
    listed: usize,
    rows: usize,
    columns: HashSet<usize>,
}

impl Hidden {
    /// Reads the visibility of columns. Columns beyond the maximum number are ignored.
    pub(super) fn read_columns(&mut self, element: &Element<'_>) {
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
    pub(super) fn is_hidden_column(&mut self, column: usize) -> bool {
        let is_hidden = self.all_columns.contains(&column);
        if is_hidden {
            self.columns.insert(column);
        }
        is_hidden
    }

    pub(super) fn add_row(&mut self) {
        self.rows += 1;
    }

    /// Returns a summary of the omitted rows and columns, if any.
    pub(super) fn summary(&self) -> Option<String> {
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
