//! Text of the body, of notes, of a header or of a footer.

mod opening;

use super::margins::Margins;
use super::numbering::Numbering;
use super::paragraph::{NoteNumbers, Paragraph};
use super::styles::Styles;
use super::table::Tables;
use crate::blocks::{Block, Blocks};
use crate::error::{DocumentError, DocumentLimits};
use crate::package::Relationships;
use crate::xml::{Token, Xml};

/// Text of a story.
pub(super) struct StoryText {
    pub(super) blocks: Blocks,
    /// Ids and text of notes.
    pub(super) notes: Vec<(String, String)>,
}

/// Reader of a story.
pub(super) struct Story<'s> {
    shared: &'s mut Shared,
    links: &'s Relationships,
    most: usize,
    blocks: Blocks,
    notes: Vec<(String, String)>,
    frames: Vec<Frame>,
    /// Open paragraphs. The last one is the current one; the others contain its text box.
    paragraphs: Vec<Paragraph>,
    /// Text of a paragraph whose mark was deleted.
    carried: String,
    tables: Tables,
    boxes: usize,
    hidden: bool,
    fields: Fields,
    written: usize,
}

/// Action at the end of an element.
#[derive(Debug)]
enum Frame {
    Other,
    Text,
    Paragraph,
    DrawnParagraph,
    Table,
    Row,
    Cell,
    TextBox,
    /// Alternatives, and whether one was selected.
    Alternatives(bool),
    Link(usize, Option<String>),
    Raised(usize),
    /// Ruby annotation, which precedes its base text.
    Ruby(usize),
    RubyBase,
    Closed(char),
    Note(String),
}

impl<'s> Story<'s> {
    pub(super) fn new(
        shared: &'s mut Shared,
        links: &'s Relationships,
        limits: &DocumentLimits,
    ) -> Self {
        Self {
            shared,
            links,
            most: limits.max_text_bytes,
            blocks: Blocks::new(limits.max_text_bytes),
            notes: Vec::new(),
            frames: Vec::new(),
            paragraphs: Vec::new(),
            carried: String::new(),
            tables: Tables::default(),
            boxes: 0,
            hidden: false,
            fields: Fields::default(),
            written: 0,
        }
    }

    pub(super) fn read(mut self, xml: &mut Xml<'_>) -> Result<StoryText, DocumentError> {
        while !self.blocks.is_full() {
            match xml.next()? {
                Token::Start(element) => {
                    if let Some(frame) = self.begin(&element, xml)? {
                        self.frames.push(frame);
                    }
                }
                Token::Text(text) if matches!(self.frames.last(), Some(Frame::Text)) => {
                    self.write_text(&text);
                }
                Token::Text(_) => {}
                Token::End => self.end(),
                Token::Done => break,
            }
        }
        Ok(StoryText {
            blocks: self.blocks,
            notes: self.notes,
        })
    }

    fn end(&mut self) {
        match self.frames.pop() {
            Some(Frame::Paragraph) => self.end_paragraph(),
            Some(Frame::DrawnParagraph) => self.write("\n"),
            Some(Frame::Table) => self.tables.end_table(&mut self.blocks),
            Some(Frame::Row) => self.tables.end_row(&mut self.blocks),
            Some(Frame::Cell) => self.tables.end_cell(),
            Some(Frame::TextBox) => {
                self.boxes -= 1;
                self.hidden = false;
            }
            Some(Frame::Link(from, Some(address))) => {
                self.written += address.len();
                self.change(|paragraph| paragraph.link(from, &address));
            }
            Some(Frame::Raised(from)) => self.change(|paragraph| paragraph.enclose(from)),
            Some(Frame::Ruby(from)) => self.change(|paragraph| paragraph.keep_reading(from)),
            Some(Frame::RubyBase) => self.change(Paragraph::add_reading),
            Some(Frame::Closed(letter)) => self.write(letter.encode_utf8(&mut [0; 4])),
            Some(Frame::Note(id)) => {
                let blocks = std::mem::replace(&mut self.blocks, Blocks::new(self.most));
                self.notes.push((id, blocks.into_text()));
            }
            Some(Frame::Other | Frame::Text | Frame::Alternatives(_) | Frame::Link(_, None))
            | None => {}
        }
    }

    fn end_paragraph(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else {
            return;
        };
        if let Some(around) = self.paragraphs.last_mut() {
            let (_, prefix) = prefix(&paragraph, self.shared, false);
            around.boxes.push(prefix + paragraph.text.trim_end());
            around.boxes.extend(paragraph.boxes);
            return;
        }
        self.fields.end_paragraph();
        // A deleted paragraph mark joins this paragraph with the next one.
        if paragraph.properties.break_deleted && paragraph.boxes.is_empty() {
            self.carried = paragraph.text;
            return;
        }
        let (block, prefix) = prefix(&paragraph, self.shared, self.tables.any());
        self.put(block, &prefix, &paragraph.text);
        for text in &paragraph.boxes {
            self.put(Block::Apart, "", text);
        }
    }

    /// Adds a paragraph to the current cell or to the text.
    fn put(&mut self, block: Block, prefix: &str, text: &str) {
        let text = text.trim_start_matches('\n').trim_end();
        if text.is_empty() {
            return;
        }
        if self.tables.any() {
            self.tables.paragraph(prefix, text);
        // A heading in Markdown has one line.
        } else if prefix.ends_with("# ") {
            self.blocks
                .push_with(prefix, block, &text.replace('\n', " "));
        } else {
            self.blocks.push_with(prefix, block, text);
        }
    }

    /// Writes text with newlines and tabs as spaces.
    fn write_text(&mut self, text: &str) {
        // Breaks and tabs are separate elements, so these belong to the layout of the XML.
        if text.contains(|letter: char| letter.is_ascii_control()) {
            self.write(&text.replace(|letter: char| letter.is_ascii_control(), " "));
        } else {
            self.write(text);
        }
    }

    fn write(&mut self, text: &str) {
        if self.hidden || self.fields.in_instruction() {
            return;
        }
        self.written += text.len();
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.text.push_str(text);
        }
        // Limit text in cells and boxes before it is added to the blocks.
        if self.written > self.most.saturating_mul(2) {
            self.blocks.cut();
        }
    }

    fn position(&self) -> usize {
        self.paragraphs.last().map_or(0, |last| last.text.len())
    }

    fn change(&mut self, change: impl FnOnce(&mut Paragraph)) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            change(paragraph);
        }
    }
}

/// Maximum heading level in Markdown.
const MAX_HEADING: usize = 6;

/// State shared by the body, notes, headers and footers.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
    pub(super) margins: Margins,
    pub(super) notes: NoteNumbers,
}

/// Returns the prefix of a paragraph and its separation from the previous block.
pub(super) fn prefix(paragraph: &Paragraph, shared: &mut Shared, in_cell: bool) -> (Block, String) {
    let properties = &paragraph.properties;
    let Shared {
        styles, numbering, ..
    } = shared;
    let style = properties.style.as_deref().unwrap_or_default();
    let level = properties
        .level
        .or_else(|| styles.level(style))
        .unwrap_or(0);
    let number = properties
        .number
        .as_deref()
        .or_else(|| styles.number(style));
    let label = number.and_then(|number| numbering.label(number, level, styles));
    let label = label.filter(|label| !label.is_empty());
    let heading = properties.outline.or_else(|| styles.heading(style));
    match (heading.filter(|_| !in_cell), label) {
        (Some(heading), label) => {
            let marks = "#".repeat(heading.min(MAX_HEADING));
            // Bullets of headings are omitted.
            match label.filter(|label| label != "-") {
                Some(label) => (Block::Apart, format!("{marks} {label} ")),
                None => (Block::Apart, format!("{marks} ")),
            }
        }
        (None, Some(label)) => {
            let indent = "  ".repeat(level.min(8));
            (Block::Item, format!("{indent}{label} "))
        }
        (None, None) => (Block::Apart, String::new()),
    }
}

/// Open fields. A field has an instruction and a result; instructions may contain other fields.
#[derive(Debug, Default)]
pub(super) struct Fields {
    in_instruction: Vec<bool>,
    instructions: usize,
}

impl Fields {
    /// Returns whether the current text is part of an instruction.
    pub(super) fn in_instruction(&self) -> bool {
        self.instructions > 0
    }

    /// Handles the start, separator or end of a field.
    pub(super) fn turn(&mut self, kind: &str) {
        match kind {
            "begin" => {
                self.in_instruction.push(true);
                self.instructions += 1;
            }
            "separate" => {
                if let Some(field) = self.in_instruction.last_mut()
                    && std::mem::take(field)
                {
                    self.instructions -= 1;
                }
            }
            "end" if self.in_instruction.pop() == Some(true) => self.instructions -= 1,
            _ => {}
        }
    }

    /// Closes instructions at the end of their paragraph, so that they hide no further text.
    pub(super) fn end_paragraph(&mut self) {
        if self.instructions > 0 {
            self.in_instruction.fill(false);
            self.instructions = 0;
        }
    }
}
