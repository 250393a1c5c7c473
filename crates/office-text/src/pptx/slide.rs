//! Text of one slide.

use crate::error::DocumentError;
use crate::limits::DocumentLimits;
use crate::namespace::Namespace;
use crate::xml::{Element, Token, Xml};

/// Text of one slide.
#[derive(Debug, Default)]
pub(super) struct Slide {
    pub(super) title: String,
    /// Text of shapes and tables.
    pub(super) texts: Vec<String>,
    pub(super) hidden: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Other,
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
    /// Slide number, date or footer.
    Margin,
    #[default]
    Other,
}

/// Reader of a slide.
#[derive(Debug, Default)]
struct SlideReader {
    slide: Slide,
    frames: Vec<Frame>,
    part: Part,
    /// Text of the current shape or table.
    text: String,
    in_table: bool,
    /// Number of frames around the hidden shape or group.
    around_hidden: Option<usize>,
}

impl Slide {
    pub(super) fn read(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut reading = SlideReader::default();
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

impl SlideReader {
    /// Handles a start tag. Returns `None` if the element was consumed.
    fn begin(
        &mut self,
        element: &Element<'_>,
        xml: &mut Xml<'_>,
    ) -> Result<Option<Frame>, DocumentError> {
        let frame = match element.namespace {
            Namespace::Presentation => self.begin_presentation(element),
            Namespace::Drawing if element.local() == "pPr" => {
                self.indent(element);
                xml.skip()?;
                return Ok(None);
            }
            Namespace::Drawing => self.begin_drawing(element.local()),
            Namespace::Compatibility => match (element.local(), self.frames.last_mut()) {
                ("AlternateContent", _) => Frame::Alternatives(false),
                ("Choice" | "Fallback", Some(Frame::Alternatives(is_selected))) => {
                    return Ok(xml.select(element, is_selected)?.then_some(Frame::Other));
                }
                _ => Frame::Other,
            },
            _ => Frame::Other,
        };
        Ok(Some(frame))
    }

    fn begin_presentation(&mut self, element: &Element<'_>) -> Frame {
        match element.local() {
            "sld" => {
                let show = element.attribute("show");
                self.slide.hidden = matches!(show.as_deref(), Some("0" | "false"));
            }
            "sp" => {
                self.end_shape();
                return Frame::Shape;
            }
            "cNvPr" if element.is_hidden() && self.around_hidden.is_none() => {
                // The last two frames are the shape and its properties.
                self.around_hidden = Some(self.frames.len().saturating_sub(2));
            }
            "ph" => self.part = part_of(element),
            _ => {}
        }
        Frame::Other
    }

    fn begin_drawing(&mut self, local: &str) -> Frame {
        match local {
            "t" => Frame::Text,
            "p" => Frame::Paragraph,
            "br" => {
                self.text.push(if self.in_table { ' ' } else { '\n' });
                Frame::Other
            }
            "tbl" => {
                self.end_shape();
                self.in_table = true;
                Frame::Table
            }
            "tr" => Frame::Row,
            "tc" => Frame::Cell,
            _ => Frame::Other,
        }
    }

    /// Indents a paragraph by its level.
    fn indent(&mut self, properties: &Element<'_>) {
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
            Some(Frame::Other | Frame::Text | Frame::Alternatives(_)) | None => {}
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
