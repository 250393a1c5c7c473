//! One slide.

use super::super::error::DocumentError;
use super::super::limits::DocumentLimits;
use super::super::xml::{Element, Space, Token, Xml};

/// The text of one slide.
#[derive(Debug, Default)]
pub(super) struct Slide {
    pub(super) title: String,
    /// The texts of its shapes, and its tables.
    pub(super) texts: Vec<String>,
    pub(super) hidden: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Passed,
    Text,
    Paragraph,
    Shape,
    Table,
    Row,
    Cell,
    Alternatives(bool),
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    Title,
    /// The number of the slide, a date, a footer.
    Margin,
    #[default]
    Other,
}

/// A slide on the way through.
#[derive(Debug, Default)]
struct Reading {
    slide: Slide,
    frames: Vec<Frame>,
    part: Part,
    /// The text of the shape or table so far.
    text: String,
    in_table: bool,
    /// How many frames are around the hidden shape at hand, which may be a group of others.
    around_hidden: Option<usize>,
}

impl Slide {
    pub(super) fn read(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut reading = Reading::default();
        loop {
            match xml.next()? {
                Token::Start(element) => {
                    if let Some(frame) = reading.begin(&element, &mut xml)? {
                        reading.frames.push(frame);
                    }
                }
                Token::Text(text) if reading.frames.last() == Some(&Frame::Text) => {
                    reading.write(&text);
                }
                Token::Text(_) => {}
                Token::End => reading.end(),
                Token::Done => break,
            }
        }
        reading.end_shape();
        Ok(reading.slide)
    }
}

impl Reading {
    fn begin(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        Ok(Some(match (element.space, element.local()) {
            (Space::Presentation, "sld") => {
                self.slide.hidden =
                    matches!(element.attribute("show").as_deref(), Some("0" | "false"));
                Frame::Passed
            }
            (Space::Presentation, "sp") => {
                self.end_shape();
                Frame::Shape
            }
            (Space::Presentation, "cNvPr") => {
                let is_hidden =
                    matches!(element.attribute("hidden").as_deref(), Some("1" | "true"));
                if is_hidden && self.around_hidden.is_none() {
                    // Its frame and that of its properties are the last two.
                    self.around_hidden = Some(self.frames.len().saturating_sub(2));
                }
                Frame::Passed
            }
            (Space::Presentation, "ph") => {
                self.part = part_of(element);
                Frame::Passed
            }
            (Space::Drawing, "t") => Frame::Text,
            (Space::Drawing, "p") => Frame::Paragraph,
            (Space::Drawing, "pPr") => {
                self.move_in(element);
                xml.skip()?;
                return Ok(None);
            }
            (Space::Drawing, "br") => {
                self.text.push(if self.in_table { ' ' } else { '\n' });
                Frame::Passed
            }
            (Space::Drawing, "tbl") => {
                self.end_shape();
                self.in_table = true;
                Frame::Table
            }
            (Space::Drawing, "tr") => Frame::Row,
            (Space::Drawing, "tc") => Frame::Cell,
            (Space::Compatibility, "AlternateContent") => Frame::Alternatives(false),
            (Space::Compatibility, "Choice" | "Fallback") if !self.takes(element, xml) => {
                xml.skip()?;
                return Ok(None);
            }
            _ => Frame::Passed,
        }))
    }

    /// Of the forms in which something is given, the first that is known is taken.
    fn takes(&mut self, form: &Element<'_>, xml: &Xml<'_>) -> bool {
        let Some(Frame::Alternatives(taken)) = self.frames.last_mut() else {
            return true;
        };
        let is_known = form.local() == "Fallback" || xml.understands(form);
        is_known && !std::mem::replace(taken, true)
    }

    /// Moves a paragraph in by its level.
    fn move_in(&mut self, properties: &Element<'_>) {
        let level = properties.attribute("lvl").unwrap_or_default();
        let level: usize = level.parse().unwrap_or_default();
        if !self.in_table && self.part != Part::Title {
            self.text.push_str(&"  ".repeat(level.min(8)));
        }
    }

    fn write(&mut self, text: &str) {
        if self.around_hidden.is_some() {
            return;
        }
        let control = |letter: char| letter.is_ascii_control();
        self.text.push_str(&text.replace(control, " "));
    }

    fn end(&mut self) {
        let ended = self.frames.pop();
        if self.around_hidden == Some(self.frames.len()) {
            self.around_hidden = None;
        }
        match ended {
            Some(Frame::Paragraph) if self.in_table => self.text.push(' '),
            Some(Frame::Paragraph) => self.text.push('\n'),
            Some(Frame::Cell) => {
                self.text.truncate(self.text.trim_end_matches(' ').len());
                self.text.push('\t');
            }
            Some(Frame::Row) => {
                self.text.truncate(self.text.trim_end_matches('\t').len());
                self.text.push('\n');
            }
            Some(Frame::Table) => {
                self.end_shape();
                self.in_table = false;
            }
            Some(Frame::Shape) => self.end_shape(),
            Some(Frame::Passed | Frame::Text | Frame::Alternatives(_)) | None => {}
        }
    }

    fn end_shape(&mut self) {
        let text = std::mem::take(&mut self.text);
        let part = std::mem::take(&mut self.part);
        let text: Vec<&str> = text
            .lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty())
            .collect();
        match part {
            _ if text.is_empty() => {}
            Part::Margin => {}
            Part::Title if self.slide.title.is_empty() => self.slide.title = text.join(" "),
            Part::Title | Part::Other => self.slide.texts.push(text.join("\n")),
        }
    }
}

fn part_of(element: &Element<'_>) -> Part {
    match element.attribute("type").as_deref() {
        Some("title" | "ctrTitle") => Part::Title,
        Some("sldNum" | "dt" | "ftr" | "hdr" | "sldImg") => Part::Margin,
        _ => Part::Other,
    }
}
