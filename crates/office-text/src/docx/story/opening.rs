//! Start tags, with those of formulas.

use super::{Frame, Story};
use crate::docx::margins::Section;
use crate::docx::paragraph::{
    CellProperties, Paragraph, ParagraphProperties, RowProperties, RunProperties,
};
use crate::error::DocumentError;
use crate::symbol::symbol;
use crate::xml::{Element, Namespace, Xml};

impl Story<'_> {
    /// Handles a start tag. Returns `None` if the element was consumed.
    pub(super) fn begin(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        match element.namespace {
            Namespace::Word => self.begin_word(element, xml),
            Namespace::Math => self.begin_math(element, xml),
            Namespace::Drawing => Ok(Some(match element.local() {
                "t" => Frame::Text,
                "p" => Frame::DrawnParagraph,
                _ => Frame::Other,
            })),
            Namespace::Vector if element.local() == "textpath" => {
                let text = element.attribute("string").unwrap_or_default();
                self.write_text(&text);
                Ok(Some(Frame::Other))
            }
            Namespace::Compatibility => self.begin_alternative(element, xml),
            _ => Ok(Some(Frame::Other)),
        }
    }

    fn begin_word(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        match element.local() {
            "sectPr" => self.shared.margins.add(Section::read(xml)?),
            local @ ("rPr" | "pPr" | "tcPr" | "trPr") => self.read_properties(local, xml)?,
            "txbxContent" if self.hidden => xml.skip()?,
            // Deletions, instructions and formatting.
            "del" | "moveFrom" | "delText" | "instrText" | "delInstrText" | "sdtPr"
            | "sdtEndPr" | "tblPr" | "tblPrEx" | "tblGrid" | "customXmlPr" | "smartTagPr"
            | "rubyPr" | "background" => xml.skip()?,
            _ => return Ok(Some(self.open_word(element))),
        }
        Ok(None)
    }

    fn open_word(&mut self, element: &Element<'_>) -> Frame {
        match element.local() {
            "t" => return Frame::Text,
            "p" => {
                self.begin_paragraph();
                return Frame::Paragraph;
            }
            local @ ("tbl" | "tr" | "tc") => return self.begin_table(local),
            "txbxContent" => {
                self.boxes += 1;
                return Frame::TextBox;
            }
            "rt" => return Frame::Ruby(self.position()),
            "rubyBase" => return Frame::RubyBase,
            "hyperlink" => return self.begin_link(element),
            // Only the parts of notes have these directly below their root.
            "footnote" | "endnote" if self.frames.len() == 1 => {
                return Frame::Note(element.attribute("id").unwrap_or_default().into_owned());
            }
            "r" => self.begin_run(),
            local => self.write_mark(local, element),
        }
        Frame::Other
    }

    /// Opens a part of a table. Tables in text boxes are read as paragraphs.
    fn begin_table(&mut self, local: &str) -> Frame {
        match local {
            // The text of a box follows its paragraph, so its cells become paragraphs too.
            _ if self.boxes > 0 => Frame::Other,
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

    /// Writes the character of an empty element.
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
            "footnoteReference" | "endnoteReference" if !self.hidden => {
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
            "rPr" => {
                let properties = RunProperties::read(xml)?;
                self.hidden = self.hides(&properties);
            }
            "pPr" => {
                let mut properties = ParagraphProperties::read(xml)?;
                if let Some(section) = properties.section.take() {
                    self.shared.margins.add(section);
                }
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

    /// Selects the first known alternative, which is the newest one and contains the complete text.
    fn begin_alternative(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        match (element.local(), self.frames.last_mut()) {
            // Word stores a text box as a drawing and, for older programs, as VML. Reading both would repeat its text.
            ("AlternateContent", _) => Ok(Some(Frame::Alternatives(false))),
            ("Choice" | "Fallback", Some(Frame::Alternatives(is_selected))) => {
                Ok(xml.select(element, is_selected)?.then_some(Frame::Other))
            }
            _ => Ok(Some(Frame::Other)),
        }
    }

    fn begin_link(&mut self, element: &Element<'_>) -> Frame {
        let id = element.prefixed("id").unwrap_or_default();
        // Other targets are parts of the document.
        let target = self.links.by_id(&id).filter(|target| target.external);
        Frame::Link(self.position(), target.map(|target| target.target.clone()))
    }

    /// Starts a run without properties.
    pub(super) fn begin_run(&mut self) {
        self.hidden = self.hides(&RunProperties::default());
    }

    fn hides(&self, run: &RunProperties) -> bool {
        let paragraph = self.paragraphs.last();
        let style = paragraph.and_then(|paragraph| paragraph.properties.style.as_deref());
        self.shared.styles.hides(style, run)
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
}

impl Story<'_> {
    pub(super) fn begin_math(
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
                self.begin_run();
                return Ok(Some(Frame::Other));
            }
            "naryPr" => {
                // The default of the format.
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
            _ => return Ok(Some(Frame::Other)),
        };
        self.write(sign);
        Ok(Some(Frame::Raised(self.position())))
    }
}
