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
use super::xml::{Element, ElementEnd, Namespace, Token, Xml};

/// Maximum number of diagrams to read of a slide, which can refer to one millions of times.
const MAX_DIAGRAMS: usize = 32;

pub(super) fn extract<R: Read + Seek>(
    package: &mut Package<R>,
    main: &str,
    presentation: &str,
) -> Result<Blocks, DocumentError> {
    let links = package.relationships(main)?;
    let mut blocks = Blocks::new(package.limits().max_text_bytes);
    let mut seen = HashSet::new();
    for id in slide_ids(presentation, &package.limits())? {
        let Some(slide) = links.by_id(&id).filter(|link| !link.external) else {
            continue;
        };
        // Read each slide once: a hostile presentation can list it millions of times.
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
    for diagram in links.parts("diagramData").take(MAX_DIAGRAMS) {
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

/// Slide under construction.
#[derive(Debug, Default)]
struct Slide {
    title: String,
    /// Text of shapes and tables.
    texts: Vec<String>,
    hidden: bool,
    part: Part,
    /// Text of the current shape or table.
    text: String,
    in_text: bool,
    in_table: bool,
    depth: usize,
    /// Depth around the hidden shape or group.
    around_hidden: Option<usize>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    Title,
    /// Slide number, date or footer.
    Margin,
    #[default]
    Other,
}

impl Slide {
    fn read(text: &str, limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let mut xml = Xml::new(text, limits);
        let mut slide = Self::default();
        loop {
            match xml.next()? {
                Token::Start(element) if element.is_fallback() => xml.skip()?,
                Token::Start(element) => slide.begin(&element),
                Token::Text(text) if slide.in_text => slide.write(&text),
                Token::Text(_) => {}
                Token::End(element) => slide.end(&element),
                Token::Done => break,
            }
        }
        slide.end_shape();
        Ok(slide)
    }

    fn begin(&mut self, element: &Element<'_>) {
        self.depth += 1;
        match (element.namespace, element.local()) {
            (Namespace::Presentation, "sld") => {
                let show = element.attribute("show");
                self.hidden = matches!(show.as_deref(), Some("0" | "false"));
            }
            (Namespace::Presentation, "cNvPr") if self.around_hidden.is_none() => {
                // This element is in the properties of the shape or group.
                let around = self.depth.saturating_sub(3);
                self.around_hidden = element.is_hidden().then_some(around);
            }
            (Namespace::Presentation, "ph") => self.part = part_of(element),
            (Namespace::Presentation, "sp") => self.end_shape(),
            (Namespace::Drawing, "tbl") => {
                self.end_shape();
                self.in_table = true;
            }
            (Namespace::Drawing, "t") => self.in_text = true,
            (Namespace::Drawing, "br") => self.text.push(if self.in_table { ' ' } else { '\n' }),
            (Namespace::Drawing, "pPr") => self.indent(element),
            _ => {}
        }
    }

    fn end(&mut self, element: &ElementEnd<'_>) {
        self.depth -= 1;
        self.in_text = false;
        if self.around_hidden == Some(self.depth) {
            self.around_hidden = None;
        }
        match (element.namespace, element.local()) {
            (Namespace::Drawing, "p") => self.text.push(if self.in_table { ' ' } else { '\n' }),
            (Namespace::Drawing, "tc") => {
                self.text.truncate(self.text.trim_end_matches(' ').len());
                self.text.push('\t');
            }
            (Namespace::Drawing, "tr") => {
                self.text.truncate(self.text.trim_end_matches('\t').len());
                self.text.push('\n');
            }
            (Namespace::Drawing, "tbl") => {
                self.end_shape();
                self.in_table = false;
            }
            (Namespace::Presentation, "sp") => self.end_shape(),
            _ => {}
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
        if self.around_hidden.is_none() {
            let control = |letter: char| letter.is_ascii_control();
            self.text.push_str(&text.replace(control, " "));
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
            Part::Title if self.title.is_empty() => self.title = text.join(" "),
            Part::Title | Part::Other => self.texts.push(text.join("\n")),
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
