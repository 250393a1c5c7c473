//! What a reader sees of a page, in the order of the source.

/// What stands in a page: texts, and where the elements around them open and close.
#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    pub(super) events: Vec<Event<'a>>,
    /// Where links lead, as it is written; [`Format::link`] counts from 1.
    pub(super) links: Vec<&'a str>,
    pub(super) tables: Vec<TableFacts>,
    pub(super) title: &'a str,
    pub(super) language: &'a str,
    pub(super) description: &'a str,
    pub(super) base: &'a str,
    /// Whether a bound ended the reading.
    pub(super) truncated: bool,
}

/// One thing that is met when a page is read from its start to its end. Each `Open` has its `Close`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Event<'a> {
    /// Text as it is written, with character references unless it is literal.
    Text {
        text: &'a str,
        is_literal: bool,
        format: Format,
    },
    LineBreak,
    /// What stands before is not on a line with what stands behind.
    Break,
    Rule,
    Image {
        text: &'a str,
        source: &'a str,
        format: Format,
    },
    Open(Element<'a>),
    Close,
}

/// How a piece of text is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Format {
    pub(super) marks: Marks,
    /// Which link it belongs to; none is 0.
    pub(super) link: u32,
}

/// A set of marks of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marks(u8);

impl Marks {
    pub(super) const STRONG: Self = Self(1);
    pub(super) const EMPHASIS: Self = Self(2);
    pub(super) const STRUCK: Self = Self(4);
    pub(super) const CODE: Self = Self(8);
    /// Each of them, in the order in which they are opened.
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

/// An element as far as it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element<'a> {
    /// Stands on lines of its own.
    Block,
    /// Has blank lines around it.
    Paragraph,
    Heading(u8),
    Quote,
    /// A list; one with numbers begins at this one.
    List(Option<i64>),
    /// One item, with its own number where it has one.
    Item(Option<i64>),
    Preformatted {
        language: &'a str,
    },
    /// A table, and which of [`Document::tables`] it is.
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
    /// How the text before it is read aloud.
    Reading,
    Quotation,
    /// Is not run together with what stands beside it.
    Control,
}

/// What is known of a table when all of it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TableFacts {
    /// The most cells of one row.
    pub(super) columns: u16,
    /// Whether it holds more than short texts, or says itself that it is for the looks.
    pub(super) is_layout: bool,
    row_columns: u16,
    cell_bytes: usize,
}

/// The text of a cell of a table that is not for the looks is not longer.
const LONGEST_CELL: usize = 2000;
/// No table is shown with more columns.
pub(super) const MAX_COLUMNS: u16 = 64;

impl TableFacts {
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
        self.is_layout |= self.cell_bytes > LONGEST_CELL;
    }

    /// Whether cells are to be set side by side.
    pub(super) fn is_grid(&self) -> bool {
        !self.is_layout && self.columns > 1
    }
}
