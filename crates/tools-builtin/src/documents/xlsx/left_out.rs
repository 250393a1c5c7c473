//! Rows and columns that the reader of a sheet does not see.

use std::collections::HashSet;

use super::super::xml::Element;
use super::sheet::MAX_COLUMNS;

/// The hidden columns of a sheet, and what was left out of it.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    hidden: HashSet<usize>,
    noted: usize,
    rows: usize,
    columns: HashSet<usize>,
}

impl LeftOut {
    /// Notes what the sheet says of some columns. No more are noted than there can be.
    pub(super) fn note_columns(&mut self, element: &Element<'_>) {
        let number = |name: &str| -> Option<usize> { element.attribute(name)?.parse().ok() };
        let (Some(first), Some(last)) = (number("min"), number("max")) else {
            return;
        };
        let last = last.min(MAX_COLUMNS);
        self.noted += (last + 1).saturating_sub(first);
        if is_hidden(element) && self.noted <= MAX_COLUMNS + 1 {
            self.hidden.extend(first.saturating_sub(1)..last);
        }
    }

    /// Whether a column is hidden, in which there is something.
    pub(super) fn has_column(&mut self, column: usize) -> bool {
        let is_hidden = self.hidden.contains(&column);
        if is_hidden {
            self.columns.insert(column);
        }
        is_hidden
    }

    pub(super) fn add_row(&mut self) {
        self.rows += 1;
    }

    /// What to say of it, if there is anything.
    pub(super) fn note(&self) -> Option<String> {
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
        (!counted.is_empty()).then(|| format!("[left out: {}]", counted.join(", ")))
    }
}

pub(super) fn is_hidden(element: &Element<'_>) -> bool {
    matches!(element.attribute("hidden").as_deref(), Some("1" | "true"))
}
