//! What begins where an element does.

use super::super::super::error::DocumentError;
use super::super::super::symbol::symbol;
use super::super::super::xml::{Element, Space, Xml};
use super::super::margins::Section;
use super::super::paragraph::Paragraph;
use super::super::properties::{CellProperties, ParagraphProperties, RowProperties, RunProperties};
use super::{Frame, Story};

impl Story<'_> {
    /// Begins an element; nothing is left of one that was read to its end.
    pub(super) fn begin(
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
            Space::Vector if element.local() == "textpath" => {
                let text = element.attribute("string").unwrap_or_default();
                self.write_text(&text);
                Ok(Some(Frame::Passed))
            }
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
                self.begin_run();
                Frame::Passed
            }
            "p" => {
                self.begin_paragraph();
                Frame::Paragraph
            }
            "tbl" | "tr" | "tc" => self.begin_table(element.local()),
            "txbxContent" if self.hidden => {
                xml.skip()?;
                return Ok(None);
            }
            "txbxContent" => {
                self.boxes += 1;
                Frame::TextBox
            }
            "rt" => Frame::Reading(self.position()),
            "rubyBase" => Frame::ReadLetters,
            "hyperlink" => self.begin_link(element),
            "footnote" | "endnote" if self.frames.len() == 1 => {
                Frame::Note(element.attribute("id").unwrap_or_default().into_owned())
            }
            "sectPr" => {
                self.shared.margins.add(Section::read(xml)?);
                return Ok(None);
            }
            "rPr" | "pPr" | "tcPr" | "trPr" => {
                self.read_properties(element.local(), xml)?;
                return Ok(None);
            }
            // Deleted or moved away, instructions, and what says how things look.
            "del" | "moveFrom" | "delText" | "instrText" | "delInstrText" | "sdtPr"
            | "sdtEndPr" | "tblPr" | "tblPrEx" | "tblGrid" | "customXmlPr" | "smartTagPr"
            | "rubyPr" | "background" => {
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

    /// Of the forms in which something is given, the first that is known is taken: it is the newest, and has all the text.
    fn begin_alternative(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        match (element.local(), self.frames.last_mut()) {
            ("AlternateContent", _) => Ok(Some(Frame::Alternatives(false))),
            ("Choice" | "Fallback", Some(Frame::Alternatives(taken))) => {
                let is_known = element.local() == "Fallback" || xml.understands(element);
                if *taken || !is_known {
                    xml.skip()?;
                    return Ok(None);
                }
                *taken = true;
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

    /// Begins a run that says nothing of itself yet.
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
