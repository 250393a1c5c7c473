//! Rendering of a [`Tree`] as text.

mod blocks;
mod escape;
mod inline;
mod table;
mod walk;
mod writer;

use super::characters::CharFilter;
use super::role::{Format, Marks};
use super::tree::Tree;
use blocks::Code;
use inline::Inline;
use table::TableWriter;
use writer::Writer;

/// Output format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Flavor {
    #[default]
    Plain,
    Markdown,
}

/// Renderer of a tree.
pub(super) struct Renderer<'t> {
    tree: &'t Tree,
    /// Address that relative addresses refer to.
    base: Option<&'t str>,
    max_bytes: usize,
    flavor: Flavor,
    writer: Writer,
    inline: Inline,
    lists: Vec<List>,
    grids: Vec<TableWriter>,
    code: Option<Code>,
    in_summary: usize,
    in_heading: usize,
    superscript: bool,
    filter: CharFilter,
}

/// Open list and the number of its next item.
struct List {
    next: Option<i64>,
    is_empty: bool,
}

impl<'t> Renderer<'t> {
    pub(super) fn new(
        tree: &'t Tree,
        flavor: Flavor,
        base: Option<&'t str>,
        max_bytes: usize,
    ) -> Self {
        Self {
            tree,
            base,
            max_bytes,
            flavor,
            writer: Writer::new(flavor),
            inline: Inline::default(),
            lists: Vec::new(),
            grids: Vec::new(),
            code: None,
            in_summary: 0,
            in_heading: 0,
            superscript: false,
            filter: CharFilter::default(),
        }
    }

    /// Returns the text of a node, and whether it was truncated.
    pub(super) fn render(mut self, root: usize) -> (String, bool) {
        self.walk(root);
        self.close_marks();
        let is_cut = self.is_full();
        let mut text = self.writer.into_text();
        let is_long = text.len() > self.max_bytes;
        if is_long {
            text.truncate(text.floor_char_boundary(self.max_bytes));
        }
        (text, is_cut || is_long)
    }

    fn is_full(&self) -> bool {
        self.writer.len() > self.max_bytes
    }

    fn is_markdown(&self) -> bool {
        self.flavor == Flavor::Markdown
    }

    fn line_break(&mut self) {
        if let Some(code) = &mut self.code {
            code.line_break();
        } else {
            self.writer.line_break();
        }
    }

    fn rule(&mut self) {
        if let Some(code) = &mut self.code {
            code.end_line();
            return;
        }
        self.block_break(2);
        if !self.writer.is_one_line() {
            self.writer.begin();
            self.writer.push("---");
            self.block_break(2);
        }
    }

    fn image(&mut self, text: &str, format: Format) {
        let words = self.filter.one_line(text);
        if let Some(code) = &mut self.code {
            code.push(&words);
        } else if !self.is_markdown() {
            self.write_words(&words, format);
        } else if !words.is_empty() {
            let format = Format {
                marks: Marks::default(),
                ..format
            };
            self.mark(format);
            // Brackets would end the label.
            let label = words.replace(['[', ']'], " ");
            let label = escape::label(&label, self.in_cell());
            self.writer.push(&format!("![{label}]"));
        }
    }

    fn in_cell(&self) -> bool {
        self.is_markdown() && self.grids.last().is_some_and(TableWriter::is_grid)
    }
}
