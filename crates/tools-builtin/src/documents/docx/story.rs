//! One text of a document from its beginning to its end: the body, the notes, a header.

mod math;
mod opening;

use super::super::blocks::{Block, Blocks};
use super::super::error::DocumentError;
use super::super::limits::DocumentLimits;
use super::super::relationships::Relationships;
use super::super::xml::{Token, Xml};
use super::fields::Fields;
use super::paragraph::Paragraph;
use super::shared::{Shared, prefix};
use super::table::Tables;

/// What a text gave.
pub(super) struct Read {
    pub(super) blocks: Blocks,
    /// The notes that stood in it, with their ids.
    pub(super) notes: Vec<(String, String)>,
}

/// A text on the way through.
pub(super) struct Story<'s> {
    shared: &'s mut Shared,
    links: &'s Relationships,
    most: usize,
    blocks: Blocks,
    notes: Vec<(String, String)>,
    frames: Vec<Frame>,
    /// The paragraph at hand is the last; those before it are around the box in which it stands.
    paragraphs: Vec<Paragraph>,
    /// The text of a paragraph whose break was deleted.
    carried: String,
    tables: Tables,
    boxes: usize,
    hidden: bool,
    fields: Fields,
    written: usize,
}

/// What to do at the end of an element.
#[derive(Debug)]
enum Frame {
    Passed,
    Text,
    Paragraph,
    DrawnParagraph,
    Table,
    Row,
    Cell,
    TextBox,
    /// Choices for programs of different ages, of which one was taken or none.
    Alternatives(bool),
    Link(usize, Option<String>),
    Raised(usize),
    /// How letters are read, which stands before them in the file.
    Reading(usize),
    ReadLetters,
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

    pub(super) fn read(mut self, xml: &mut Xml<'_>) -> Result<Read, DocumentError> {
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
        Ok(Read {
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
            Some(Frame::Reading(from)) => self.change(|paragraph| paragraph.keep_reading(from)),
            Some(Frame::ReadLetters) => self.change(Paragraph::add_reading),
            Some(Frame::Closed(letter)) => self.write(letter.encode_utf8(&mut [0; 4])),
            Some(Frame::Note(id)) => {
                let blocks = std::mem::replace(&mut self.blocks, Blocks::new(self.most));
                self.notes.push((id, blocks.into_text()));
            }
            Some(Frame::Passed | Frame::Text | Frame::Alternatives(_) | Frame::Link(_, None))
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

    /// Puts a paragraph where it belongs: into the cell at hand, or the text.
    fn put(&mut self, block: Block, prefix: &str, text: &str) {
        let text = text.trim_start_matches('\n').trim_end();
        if text.is_empty() {
            return;
        }
        if self.tables.any() {
            self.tables.paragraph(prefix, text);
        } else if prefix.ends_with("# ") {
            self.blocks
                .push_with(prefix, block, &text.replace('\n', " "));
        } else {
            self.blocks.push_with(prefix, block, text);
        }
    }

    /// Line breaks and tabs in the file are blanks in the document.
    fn write_text(&mut self, text: &str) {
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
        // Texts in cells and boxes are counted here before they are put anywhere.
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
