//! Text of the body, of notes, of a header or of a footer.

use std::collections::HashMap;

use super::numbering::Numbering;
use super::paragraph::{Paragraph, ParagraphProperties, RunProperties};
use super::styles::Styles;
use super::table::Tables;
use crate::blocks::{Block, Blocks};
use crate::error::{DocumentError, DocumentLimits};
use crate::package::Relationships;
use crate::xml::{Element, ElementEnd, Namespace, Token, Xml};

/// Text of a story.
pub(super) struct StoryText {
    pub(super) blocks: Blocks,
    /// Keys and text of notes.
    pub(super) notes: Vec<(String, String)>,
}

/// State shared by the body, notes, headers and footers.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
    /// Numbers of notes in the order of their first reference, by key.
    pub(super) notes: HashMap<String, usize>,
}

/// Reader of a story.
pub(super) struct Story<'s> {
    shared: &'s mut Shared,
    relationships: &'s Relationships,
    most: usize,
    blocks: Blocks,
    notes: Vec<(String, String)>,
    /// Key of the current note.
    note: String,
    in_text: bool,
    /// Start and address of open links.
    links: Vec<(usize, Option<String>)>,
    /// Open paragraphs. The last one is the current one; the others contain its text box.
    paragraphs: Vec<Paragraph>,
    tables: Tables,
    boxes: usize,
    hidden: bool,
    written: usize,
}

impl<'s> Story<'s> {
    pub(super) fn new(
        shared: &'s mut Shared,
        relationships: &'s Relationships,
        limits: &DocumentLimits,
    ) -> Self {
        Self {
            shared,
            relationships,
            most: limits.max_text_bytes,
            blocks: Blocks::new(limits.max_text_bytes),
            notes: Vec::new(),
            note: String::new(),
            in_text: false,
            links: Vec::new(),
            paragraphs: Vec::new(),
            tables: Tables::default(),
            boxes: 0,
            hidden: false,
            written: 0,
        }
    }

    pub(super) fn read(mut self, xml: &mut Xml<'_>) -> Result<StoryText, DocumentError> {
        while !self.blocks.is_full() {
            match xml.next()? {
                Token::Start(element) if element.is_fallback() => xml.skip()?,
                Token::Start(element) => self.begin(&element, xml)?,
                Token::Text(text) if self.in_text => self.write_text(&text),
                Token::Text(_) => {}
                Token::End(element) => self.end(&element),
                Token::Done => break,
            }
        }
        Ok(StoryText {
            blocks: self.blocks,
            notes: self.notes,
        })
    }

    fn begin(&mut self, element: &Element<'_>, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        match (element.namespace, element.local()) {
            (Namespace::Word, "rPr") => {
                let properties = RunProperties::read(xml)?;
                self.hidden = self.hides(&properties);
            }
            (Namespace::Word, "pPr") => {
                let properties = ParagraphProperties::read(xml)?;
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.properties = properties;
                }
            }
            (Namespace::Word, "trPr") if self.boxes == 0 => self.tables.read_row_properties(xml)?,
            (Namespace::Word, "tcPr") if self.boxes == 0 => {
                self.tables.read_cell_properties(xml)?;
            }
            (Namespace::Word, "txbxContent") if self.hidden => xml.skip()?,
            // Deletions, instructions, properties and ruby annotations.
            (
                Namespace::Word,
                "del" | "delText" | "moveFrom" | "instrText" | "delInstrText" | "sdtPr"
                | "sdtEndPr" | "tblPr" | "tblPrEx" | "tblGrid" | "trPr" | "tcPr" | "customXmlPr"
                | "smartTagPr" | "rt" | "rubyPr" | "background",
            )
            | (Namespace::Math, "deg" | "rPr" | "ctrlPr") => xml.skip()?,
            (Namespace::Word, local) => self.begin_word(local, element),
            (Namespace::Math, "naryPr") => self.write_sign(xml)?,
            (Namespace::Math, local) => self.begin_math(local),
            _ => {}
        }
        Ok(())
    }

    fn begin_word(&mut self, local: &str, element: &Element<'_>) {
        match local {
            "t" => self.in_text = true,
            "p" => {
                self.hidden = false;
                self.paragraphs.push(Paragraph::default());
            }
            "r" => self.begin_run(),
            "tbl" if self.boxes == 0 => self.tables.begin_table(),
            "txbxContent" => self.boxes += 1,
            "hyperlink" => self.begin_link(element),
            "footnote" | "endnote" => self.note = note_key(local, element),
            "tab" | "ptab" => self.write("\t"),
            "br" | "cr" => self.write("\n"),
            "noBreakHyphen" => self.write("-"),
            "sym" => {
                let code = element.attribute("char").unwrap_or_default();
                self.write(symbol(&code).encode_utf8(&mut [0; 4]));
            }
            "footnoteReference" | "endnoteReference" if !self.hidden => {
                let key = note_key(local.trim_end_matches("Reference"), element);
                let next = self.shared.notes.len() + 1;
                let number = *self.shared.notes.entry(key).or_insert(next);
                self.write(&format!("[^{number}]"));
            }
            _ => {}
        }
    }

    fn begin_link(&mut self, element: &Element<'_>) {
        let id = element.prefixed("id").unwrap_or_default();
        // Other targets are parts of the document.
        let target = self
            .relationships
            .by_id(&id)
            .filter(|target| target.external);
        let from = self.paragraphs.last().map_or(0, |last| last.text.len());
        let address = target.map(|target| target.target.clone());
        self.links.push((from, address));
    }

    /// Starts a run without properties.
    fn begin_run(&mut self) {
        self.hidden = self.hides(&RunProperties::default());
    }

    fn hides(&self, run: &RunProperties) -> bool {
        let paragraph = self.paragraphs.last();
        let style = paragraph.and_then(|paragraph| paragraph.properties.style.as_deref());
        self.shared.styles.hides(style, run)
    }

    /// Writes equations on one line, such as `(a+b)/(2)`.
    fn begin_math(&mut self, local: &str) {
        match local {
            "t" => self.in_text = true,
            "r" => self.begin_run(),
            "num" | "d" => self.write("("),
            "den" => self.write("/("),
            "sup" => self.write("^("),
            "sub" => self.write("_("),
            "rad" => self.write("√("),
            _ => {}
        }
    }

    /// Writes the sign of a sum, product or integral.
    fn write_sign(&mut self, xml: &mut Xml<'_>) -> Result<(), DocumentError> {
        // The default of the format.
        let mut sign = "∫".to_owned();
        xml.within(|_, inner| {
            if inner.local() == "chr" {
                sign = inner.attribute("val").unwrap_or_default().into_owned();
            }
        })?;
        self.write(&sign);
        Ok(())
    }

    fn end(&mut self, element: &ElementEnd<'_>) {
        self.in_text = false;
        match (element.namespace, element.local()) {
            (Namespace::Word, "p") => self.end_paragraph(),
            // The text of a box follows its paragraph, so its cells become paragraphs too.
            (Namespace::Word, "tbl") if self.boxes == 0 => self.tables.end_table(&mut self.blocks),
            (Namespace::Word, "tr") if self.boxes == 0 => self.tables.end_row(&mut self.blocks),
            (Namespace::Word, "tc") if self.boxes == 0 => self.tables.end_cell(),
            (Namespace::Word, "txbxContent") => {
                self.boxes -= 1;
                self.hidden = false;
            }
            (Namespace::Word, "hyperlink") => self.end_link(),
            (Namespace::Word, "footnote" | "endnote") => {
                let blocks = std::mem::replace(&mut self.blocks, Blocks::new(self.most));
                let key = std::mem::take(&mut self.note);
                self.notes.push((key, blocks.into_text()));
            }
            (Namespace::Math, "num" | "d" | "den" | "sup" | "sub" | "rad") => self.write(")"),
            _ => {}
        }
    }

    fn end_link(&mut self) {
        let link = self.links.pop();
        if let (Some((from, Some(address))), Some(paragraph)) = (link, self.paragraphs.last_mut()) {
            self.written += address.len();
            paragraph.link(from, &address);
        }
    }

    fn end_paragraph(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else {
            return;
        };
        let (block, prefix) = self.prefix(&paragraph);
        self.written += prefix.len();
        if let Some(around) = self.paragraphs.last_mut() {
            around.boxes.push(prefix + paragraph.text.trim_end());
            around.boxes.extend(paragraph.boxes);
            return;
        }
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
            self.tables.paragraph(&[prefix, text].concat());
        // A heading in Markdown has one line.
        } else if prefix.ends_with("# ") {
            self.blocks
                .push_with(prefix, block, &text.replace('\n', " "));
        } else {
            self.blocks.push_with(prefix, block, text);
        }
    }

    /// Returns the prefix of a paragraph and its separation from the previous block.
    fn prefix(&mut self, paragraph: &Paragraph) -> (Block, String) {
        let properties = &paragraph.properties;
        let styles = &self.shared.styles;
        let style = properties.style.as_deref().unwrap_or_default();
        let level = properties.level.or_else(|| styles.level(style));
        let level = level.unwrap_or(0);
        let number = properties.number.as_deref();
        let number = number.or_else(|| styles.number(style));
        let label = number.and_then(|number| self.shared.numbering.label(number, level));
        let label = label.filter(|label| !label.is_empty());
        let heading = properties.outline.or_else(|| styles.heading(style));
        match (heading.filter(|_| !self.tables.any()), label) {
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
        if self.hidden {
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
}

/// Maximum heading level in Markdown.
const MAX_HEADING: usize = 6;

/// Returns the key of a note or of a reference to it. Footnotes and endnotes can have the same ids.
fn note_key(kind: &str, element: &Element<'_>) -> String {
    let id = element.attribute("id").unwrap_or_default();
    format!("{kind} {id}")
}

/// Returns the character for a hexadecimal code. Symbol fonts have private codes; of these, the arrows that Word writes
/// for `-->` and the marks of forms are known, all in Wingdings.
fn symbol(code: &str) -> char {
    let code = u32::from_str_radix(code, 16).unwrap_or_default();
    match code {
        0xF0DF => '←',
        0xF0E0 => '→',
        0xF06F | 0xF0A8 => '☐',
        0xF0FB | 0xF0FD => '☒',
        0xF0FC | 0xF0FE => '☑',
        0 | 0xE000..=0xF8FF => char::REPLACEMENT_CHARACTER,
        _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}
