//! Rendering of a [`Document`] as text.

mod blocks;
mod escape;
mod inline;
mod table;
mod writer;

use std::ops::ControlFlow;

use super::characters::CharFilter;
use super::document::{Document, Element, Event, Format, Marks, TableProperties};
use super::options::Options;
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

/// Renderer that writes a document in chunks.
pub(super) struct Renderer<'o, 'a> {
    options: &'o Options,
    flavor: Flavor,
    writer: Writer,
    inline: Inline,
    open: Vec<Element<'a>>,
    lists: Vec<List>,
    grids: Vec<TableWriter>,
    code: Option<Code>,
    in_summary: usize,
    in_heading: usize,
    superscript: bool,
    filter: CharFilter,
    links: Vec<&'a str>,
    tables: Vec<TableProperties>,
    base: &'a str,
    is_cut: bool,
}

/// Open list and the number of its next item.
struct List {
    next: Option<i64>,
    is_empty: bool,
}

impl<'o, 'a> Renderer<'o, 'a> {
    pub(super) fn new(flavor: Flavor, options: &'o Options) -> Self {
        Self {
            options,
            flavor,
            writer: Writer::new(flavor),
            inline: Inline::default(),
            open: Vec::new(),
            lists: Vec::new(),
            grids: Vec::new(),
            code: None,
            in_summary: 0,
            in_heading: 0,
            superscript: false,
            filter: CharFilter::default(),
            links: Vec::new(),
            tables: Vec::new(),
            base: "",
            is_cut: false,
        }
    }

    /// Writes the current events of the document and copies its new links and tables. Breaks when
    /// the output limit is reached.
    pub(super) fn write(&mut self, document: &Document<'a>) -> ControlFlow<()> {
        self.base = document.base;
        let links = document.links.get(self.links.len()..);
        self.links.extend_from_slice(links.unwrap_or_default());
        let tables = document.tables.get(self.tables.len()..);
        self.tables.extend_from_slice(tables.unwrap_or_default());
        for event in &document.events {
            if self.is_cut {
                return ControlFlow::Break(());
            }
            self.event(event);
            self.is_cut = self.writer.len() > self.options.max_output_bytes;
        }
        ControlFlow::Continue(())
    }

    /// Returns the text and whether it was truncated.
    pub(super) fn finish(mut self) -> (String, bool) {
        while let Some(element) = self.open.pop() {
            self.close(element);
        }
        self.close_marks();
        let mut text = self.writer.into_text();
        let most = self.options.max_output_bytes;
        let is_long = text.len() > most;
        if is_long {
            text.truncate(text.floor_char_boundary(most));
        }
        (text, self.is_cut || is_long)
    }

    fn event(&mut self, event: &Event<'a>) {
        match *event {
            Event::Text {
                text,
                is_literal,
                format,
            } => self.text(text, is_literal, format),
            Event::LineBreak => self.line_break(),
            Event::Break => {
                self.open(Element::Block);
                self.close(Element::Block);
            }
            Event::Rule => self.rule(),
            Event::Image { text, format } => self.image(text, format),
            Event::Open(element) => {
                self.open.push(element);
                self.open(element);
            }
            Event::Close => {
                if let Some(element) = self.open.pop() {
                    self.close(element);
                }
            }
        }
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
