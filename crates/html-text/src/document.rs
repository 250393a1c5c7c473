//! Visible content of a page, in source order.

/// Text of a page, and the start and end of the elements around it.
#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    pub(super) events: Vec<Event<'a>>,
    /// Link targets as written. [`Format::link`] is an index from 1.
    pub(super) links: Vec<&'a str>,
    pub(super) tables: Vec<TableProperties>,
    pub(super) title: &'a str,
    pub(super) language: &'a str,
    pub(super) description: &'a str,
    pub(super) base: &'a str,
    /// Content of the `<meta>` that redirects.
    pub(super) refresh: &'a str,
    /// HTML of the first `<noscript>`, and whether there is a `<script>`.
    pub(super) noscript: &'a str,
    pub(super) has_script: bool,
    /// Whether a limit was reached.
    pub(super) truncated: bool,
}

/// Step through a page. Each `Open` has a matching `Close`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Event<'a> {
    /// Text as written, with character references unless `is_literal`.
    Text {
        text: &'a str,
        is_literal: bool,
        format: Format,
    },
    LineBreak,
    /// Separates lines without adding a blank line.
    Break,
    Rule,
    Image {
        text: &'a str,
        format: Format,
    },
    Open(Element<'a>),
    Close,
}

/// Formatting of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Format {
    pub(super) marks: Marks,
    /// Index of the link from 1, or 0 if there is none.
    pub(super) link: u32,
}

/// Set of text styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marks(u8);

impl Marks {
    pub(super) const STRONG: Self = Self(1);
    pub(super) const EMPHASIS: Self = Self(2);
    pub(super) const STRUCK: Self = Self(4);
    pub(super) const CODE: Self = Self(8);
    /// All styles in the order in which they are opened.
    pub(super) const ALL: [Self; 4] = [Self::STRONG, Self::EMPHASIS, Self::STRUCK, Self::CODE];

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// Visible element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element<'a> {
    /// Block on separate lines.
    Block,
    /// Block with blank lines around it.
    Paragraph,
    Heading(u8),
    Quote,
    /// List, with its first number if it is ordered.
    List(Option<i64>),
    /// List item, with its `value` attribute.
    Item(Option<i64>),
    Preformatted {
        language: &'a str,
    },
    /// Table, as an index into [`Document::tables`].
    Table(u32),
    Row,
    Cell {
        columns: u16,
        rows: u16,
    },
    Term,
    Definition,
    Summary,
    Superscript,
    /// Ruby annotation.
    Reading,
    Quotation,
    /// Form control, separated from adjacent text by spaces.
    Control,
}

/// Properties of a complete table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TableProperties {
    /// Number of cells in the longest row.
    pub(super) columns: u16,
    /// Whether the table is used for layout: it contains tables or long cells, or declares the role.
    pub(super) is_layout: bool,
    /// Whether a cell contains a list, heading, quote or code. Without header cells, that is layout too.
    pub(super) has_blocks: bool,
    pub(super) has_header: bool,
    row_columns: u16,
    cell_bytes: usize,
}

/// Maximum length of a cell's text in bytes in a data table.
const MAX_CELL: usize = 2000;
/// Maximum number of columns of a table.
pub(super) const MAX_COLUMNS: u16 = 64;

impl TableProperties {
    pub(super) fn begin_row(&mut self) {
        self.row_columns = 0;
    }

    pub(super) fn begin_cell(&mut self, columns: u16) {
        self.cell_bytes = 0;
        self.row_columns = self.row_columns.saturating_add(columns).min(MAX_COLUMNS);
        self.columns = self.columns.max(self.row_columns);
    }

    pub(super) fn add_text(&mut self, bytes: usize) {
        self.cell_bytes = self.cell_bytes.saturating_add(bytes);
        // Old pages put everything into tables. A cell with this much text is not data, and a
        // column would not fit it.
        self.is_layout |= self.cell_bytes > MAX_CELL;
    }

    /// Returns whether the table is rendered in columns.
    pub(super) fn is_grid(&self) -> bool {
        !self.is_layout && self.columns > 1 && (self.has_header || !self.has_blocks)
    }
}
