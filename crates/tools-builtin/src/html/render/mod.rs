//! From a [`Document`] to text.

mod blocks;
mod code;
mod escape;
mod inline;
mod table;
mod writer;

use super::document::{Document, Element, Event, Format, Marks};
use super::letters::Letters;
use super::{Images, Options};
use code::Code;
use inline::Inline;
use table::Grid;
use writer::Writer;

/// How a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    Plain,
    Markdown,
}

/// The text of a document, and whether it had to be cut.
pub(super) fn render(
    document: &Document<'_>,
    flavour: Flavour,
    options: &Options,
) -> (String, bool) {
    let mut renderer = Renderer {
        document,
        options,
        flavour,
        writer: Writer::new(flavour),
        inline: Inline::default(),
        open: Vec::new(),
        lists: Vec::new(),
        grids: Vec::new(),
        code: None,
        in_summary: 0,
        in_heading: 0,
        superscript: false,
        letters: Letters::default(),
    };
    let mut is_cut = false;
    for event in &document.events {
        renderer.event(event);
        if renderer.writer.len() > options.max_output_bytes {
            is_cut = true;
            break;
        }
    }
    while let Some(element) = renderer.open.pop() {
        renderer.close(element);
    }
    renderer.close_marks();
    let mut text = renderer.writer.into_text();
    if text.len() > options.max_output_bytes {
        is_cut = true;
        text.truncate(text.floor_char_boundary(options.max_output_bytes));
    }
    (text, is_cut)
}

/// What is open while a document is written.
struct Renderer<'d, 'a> {
    document: &'d Document<'a>,
    options: &'d Options,
    flavour: Flavour,
    writer: Writer,
    inline: Inline,
    open: Vec<Element<'a>>,
    lists: Vec<List>,
    grids: Vec<Grid>,
    code: Option<Code>,
    in_summary: usize,
    in_heading: usize,
    superscript: bool,
    letters: Letters,
}

/// A list, and the number of its next item.
struct List {
    next: Option<i64>,
    is_empty: bool,
}

impl<'a> Renderer<'_, 'a> {
    fn event(&mut self, event: &Event<'a>) {
        match *event {
            Event::Text {
                text,
                is_literal,
                format,
            } => self.text(text, is_literal, format),
            Event::LineBreak => self.line_break(),
            Event::Rule => self.rule(),
            Event::Image {
                text,
                source,
                format,
            } => self.image(text, source, format),
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
        self.flavour == Flavour::Markdown
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

    fn image(&mut self, text: &str, source: &str, format: Format) {
        if self.options.images == Images::Omitted {
            return;
        }
        let mut letters = std::mem::take(&mut self.letters);
        let words = letters
            .seen(text, false)
            .split_ascii_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        self.letters = letters;
        let is_linked = self.is_markdown() && self.options.images == Images::Linked;
        let address = if is_linked {
            self.address(source)
        } else {
            None
        };
        if let Some(code) = &mut self.code {
            code.push(&words);
        } else if !self.is_markdown() {
            self.write_words(&words, format);
        } else if !words.is_empty() || address.is_some() {
            let format = Format {
                marks: Marks::default(),
                ..format
            };
            self.mark(format);
            let label = words.replace(['[', ']'], " ");
            let target = address.map_or(String::new(), |address| format!("({address})"));
            self.writer.push(&format!(
                "![{}]{target}",
                escape::label(&label, self.in_cell())
            ));
        }
    }

    fn in_cell(&self) -> bool {
        self.is_markdown() && self.grids.last().is_some_and(Grid::is_grid)
    }
}
