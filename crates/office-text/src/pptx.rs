//! Text of PowerPoint presentations.
//!
//! Slides are in presentation order, each under `# Slide 3: Title`. Paragraphs are lines, indented
//! by their level; table cells are separated by tabs. The text of diagrams follows, then the
//! speaker notes after `Notes: `. Slide numbers, dates, footers, charts, comments and hidden shapes
//! are omitted. Hidden slides are included and marked `(hidden)`.

use std::collections::HashSet;
use std::io::{Read, Seek};

use super::blocks::{Block, Blocks};
use super::error::{DocumentError, DocumentLimits};
use super::package::Package;
use super::xml::{Element, Namespace, Token, Xml};

pub(super) fn extract<R: Read + Seek>(
    package: &mut Package<R>,
    main: &str,
) -> Result<Blocks, DocumentError> {
    let links = package.relationships(main)?;
    let presentation = package.needed(main)?;
    let mut blocks = Blocks::new(package.limits().max_text_bytes);
    let mut seen = HashSet::new();
    for id in slide_ids(&presentation, &package.limits())? {
        let Some(slide) = links.by_id(&id).filter(|link| !link.external) else {
            continue;
        };
        // Read each slide once, even if it is listed repeatedly.
        if seen.insert(slide.target.as_str()) {
            add_slide(package, &slide.target, seen.len(), &mut blocks)?;
        }
        if blocks.is_full() {
            break;
        }
    }
    Ok(blocks)
}

/// Returns the relationship ids of the slides in their order.
fn slide_ids(text: &str, limits: &DocumentLimits) -> Result<Vec<String>, DocumentError> {
    let mut xml = Xml::new(text, limits);
    let mut ids = Vec::new();
    while let Some(element) = xml.next_start()? {
        if element.namespace == Namespace::Presentation && element.local() == "sldId" {
            ids.extend(element.prefixed("id").map(String::from));
        }
    }
    Ok(ids)
}

fn add_slide<R: Read + Seek>(
    package: &mut Package<R>,
    part: &str,
    number: usize,
    blocks: &mut Blocks,
) -> Result<(), DocumentError> {
    let Some(text) = package.part(part)? else {
        return Ok(());
    };
    let links = package.relationships(part)?;
    let slide = Slide::read(&text, &package.limits())?;
    let hidden = if slide.hidden { " (hidden)" } else { "" };
    let title = match slide.title.as_str() {
        "" => String::new(),
        title => format!(": {title}"),
    };
    blocks.push(Block::Apart, &format!("# Slide {number}{hidden}{title}"));
    for text in &slide.texts {
        blocks.push(Block::Apart, text);
    }
    for diagram in links.parts("diagramData") {
        let text = package.part(&diagram.target)?.unwrap_or_default();
        for text in Slide::read(&text, &package.limits())?.texts {
            blocks.push(Block::Apart, &text);
        }
    }
    if let Some(notes) = links.target("notesSlide") {
        let text = package.part(notes)?.unwrap_or_default();
        let notes = Slide::read(&text, &package.limits())?.texts.join("\n");
        if !notes.is_empty() {
            blocks.push_with("Notes: ", Block::Apart, &notes);
        }
    }
    Ok(())
}

/// Text of one slide.
#[derive(Debug, Default)]
struct Slide {
    title: String,
    /// Text of shapes and tables.
    texts: Vec<String>,
    hidden: bool,
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
    fn read(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
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
            // The same on every slide.
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

#[cfg(test)]
mod tests;
