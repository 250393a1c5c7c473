//! Properties of tables.

use super::hidden::shown;
use super::tree::{Node, Tree};

/// Maximum length of a cell's text in bytes in a data table.
const MAX_CELL: usize = 2000;
/// Maximum number of columns of a table.
pub(super) const MAX_COLUMNS: u16 = 64;

/// Properties of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TableProperties {
    /// Number of cells in the longest row.
    pub(super) columns: u16,
    /// Whether the table is rendered in columns, because it contains data. Otherwise, it is used for
    /// layout.
    pub(super) is_grid: bool,
}

impl TableProperties {
    pub(super) fn of(tree: &Tree, id: usize) -> Self {
        let role = tree.get(id).attribute("role").unwrap_or_default();
        let mut table = Self {
            columns: 0,
            is_grid: !matches!(role, "presentation" | "none"),
        };
        let (mut row_columns, mut cell_bytes) = (0_u16, 0);
        let (mut has_header, mut has_blocks) = (false, false);
        for node in shown(tree, id).skip(1) {
            match node.tag() {
                "tr" => row_columns = 0,
                "td" | "th" => {
                    has_header |= node.tag() == "th";
                    cell_bytes = 0;
                    row_columns = (row_columns + span(node, "colspan")).min(MAX_COLUMNS);
                    table.columns = table.columns.max(row_columns);
                }
                "blockquote" | "dir" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "menu" | "ol"
                | "pre" | "ul" => has_blocks = true,
                _ => cell_bytes += node.text.len(),
            }
            // Old pages put everything into tables. A cell with a table or this much text is not
            // data, and a column would not fit it.
            if node.tag() == "table" || cell_bytes > MAX_CELL {
                table.is_grid = false;
                return table;
            }
        }
        table.is_grid &= table.columns > 1 && (has_header || !has_blocks);
        table
    }
}

/// Returns the number of columns or rows that a cell spans.
pub(super) fn span(node: &Node, name: &str) -> u16 {
    let number = node
        .attribute(name)
        .and_then(|text| text.trim().parse::<u64>().ok());
    let number = number.map_or(1, |number| number.clamp(1, u64::from(MAX_COLUMNS)));
    u16::try_from(number).unwrap_or(1)
}
