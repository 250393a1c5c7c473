//! One text of a document from its beginning to its end: the body, the notes, a header.

use super::super::blocks::{Block, Blocks};
use super::super::error::DocumentError;
use super::super::limits::DocumentLimits;
use super::super::relationships::Relationships;
use super::super::symbol::symbol;
use super::super::xml::{Element, Space, Token, Xml};
use super::fields::Fields;
use super::paragraph::Paragraph;
use super::properties::{CellProperties, ParagraphProperties, RowProperties, is_hidden};
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

    /// Begins an element; nothing is left of one that was read to its end.
    fn begin(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        match element.space {
            Space::Word => self.begin_word(element, xml),
            Space::Math => self.begin_math(element, xml),
            Space::Drawing => Ok(Some(match element.local() {
                "t" => Frame::Text,
                "p" => Frame::DrawnParagraph,
                _ => Frame::Passed,
            })),
            Space::Compatibility => self.begin_alternative(element, xml),
            _ => Ok(Some(Frame::Passed)),
        }
    }

    fn begin_word(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        Ok(Some(match element.local() {
            "t" => Frame::Text,
            "r" => {
                self.hidden = false;
                Frame::Passed
            }
            "p" => {
                self.begin_paragraph();
                Frame::Paragraph
            }
            "tbl" | "tr" | "tc" => self.begin_table(element.local()),
            "txbxContent" => {
                self.boxes += 1;
                Frame::TextBox
            }
            "hyperlink" => self.begin_link(element),
            "footnote" | "endnote" if self.frames.len() == 1 => {
                Frame::Note(element.attribute("id").unwrap_or_default().into_owned())
            }
            "rPr" | "pPr" | "tcPr" | "trPr" => {
                self.read_properties(element.local(), xml)?;
                return Ok(None);
            }
            // Deleted or moved away, instructions, readings above letters, and what says how things look.
            "del" | "moveFrom" | "delText" | "instrText" | "delInstrText" | "rt" | "sdtPr"
            | "sdtEndPr" | "tblPr" | "tblPrEx" | "tblGrid" | "sectPr" | "customXmlPr"
            | "smartTagPr" | "rubyPr" | "background" => {
                xml.skip()?;
                return Ok(None);
            }
            local => {
                self.write_mark(local, element);
                Frame::Passed
            }
        }))
    }

    /// Of a table in a box, the paragraphs are taken as others.
    fn begin_table(&mut self, local: &str) -> Frame {
        match local {
            _ if self.boxes > 0 => Frame::Passed,
            "tbl" => {
                self.tables.begin_table();
                Frame::Table
            }
            "tr" => {
                self.tables.begin_row();
                Frame::Row
            }
            _ => {
                self.tables.begin_cell();
                Frame::Cell
            }
        }
    }

    /// What stands for a letter or two.
    fn write_mark(&mut self, local: &str, element: &Element<'_>) {
        match local {
            "tab" | "ptab" => self.write("\t"),
            "br" | "cr" => self.write("\n"),
            "noBreakHyphen" => self.write("-"),
            "sym" => {
                let font = element.attribute("font").unwrap_or_default();
                let code = element.attribute("char").unwrap_or_default();
                if let Some(letter) = symbol(&font, &code) {
                    self.write(letter.encode_utf8(&mut [0; 4]));
                }
            }
            "fldChar" => {
                let kind = element.attribute("fldCharType").unwrap_or_default();
                self.fields.turn(&kind);
            }
            "footnoteReference" | "endnoteReference" => {
                let kind = match local {
                    "footnoteReference" => "footnotes",
                    _ => "endnotes",
                };
                let id = element.attribute("id").unwrap_or_default();
                let number = self.shared.notes.call(kind, &id);
                self.write(&format!("[^{number}]"));
            }
            _ => {}
        }
    }

    fn read_properties(&mut self, local: &str, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        match local {
            "rPr" => self.hidden = is_hidden(xml)?,
            "pPr" => {
                let properties = ParagraphProperties::read(xml)?;
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.properties = properties;
                }
            }
            "tcPr" => {
                let properties = CellProperties::read(xml)?;
                if self.boxes == 0 {
                    self.tables.set_cell(properties);
                }
            }
            _ => {
                let properties = RowProperties::read(xml)?;
                if self.boxes == 0 {
                    self.tables.set_row(properties);
                }
            }
        }
        Ok(())
    }

    fn begin_math(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        let sign = match element.local() {
            "t" => return Ok(Some(Frame::Text)),
            "sup" => "^",
            "sub" => "_",
            "den" => "/",
            "num" => "",
            "rad" => "√",
            "d" => {
                self.write("(");
                return Ok(Some(Frame::Closed(')')));
            }
            "r" => {
                self.hidden = false;
                return Ok(Some(Frame::Passed));
            }
            "naryPr" => {
                let mut sign = "∫".to_owned();
                xml.within(|_, inner| {
                    if inner.local() == "chr" {
                        sign = inner.attribute("val").unwrap_or_default().into_owned();
                    }
                })?;
                self.write(&sign);
                return Ok(None);
            }
            "deg" | "rPr" | "ctrlPr" => {
                xml.skip()?;
                return Ok(None);
            }
            _ => return Ok(Some(Frame::Passed)),
        };
        self.write(sign);
        Ok(Some(Frame::Raised(self.position())))
    }

    /// Of the forms in which something is given, the first is taken: it is the newest, and has all the text.
    fn begin_alternative(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        match (element.local(), self.frames.last_mut()) {
            ("AlternateContent", _) => Ok(Some(Frame::Alternatives(false))),
            ("Choice" | "Fallback", Some(Frame::Alternatives(taken))) => {
                if std::mem::replace(taken, true) {
                    xml.skip()?;
                    return Ok(None);
                }
                Ok(Some(Frame::Passed))
            }
            _ => Ok(Some(Frame::Passed)),
        }
    }

    fn begin_link(&mut self, element: &Element<'_>) -> Frame {
        let id = element.prefixed("id").unwrap_or_default();
        let target = self.links.by_id(&id).filter(|target| target.external);
        Frame::Link(self.position(), target.map(|target| target.target.clone()))
    }

    fn begin_paragraph(&mut self) {
        let text = if self.paragraphs.is_empty() {
            std::mem::take(&mut self.carried)
        } else {
            String::new()
        };
        self.hidden = false;
        self.paragraphs.push(Paragraph {
            text,
            ..Paragraph::default()
        });
    }

    fn end(&mut self) {
        match self.frames.pop() {
            Some(Frame::Paragraph) => self.end_paragraph(),
            Some(Frame::DrawnParagraph) => self.write("\n"),
            Some(Frame::Table) => self.tables.end_table(&mut self.blocks),
            Some(Frame::Row) => self.tables.end_row(&mut self.blocks),
            Some(Frame::Cell) => self.tables.end_cell(),
            Some(Frame::TextBox) => self.boxes -= 1,
            Some(Frame::Link(from, Some(address))) => {
                self.written += address.len();
                self.change(|paragraph| paragraph.link(from, &address));
            }
            Some(Frame::Raised(from)) => self.change(|paragraph| paragraph.enclose(from)),
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
