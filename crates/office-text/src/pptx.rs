//! Text of PowerPoint presentations.
//!
//! Slides are in presentation order, each under `# Slide 3: Title`. Paragraphs are lines, indented
//! by their level; table cells are separated by tabs. The text of diagrams follows, then the
//! speaker notes after `Notes: `. Slide numbers, dates, footers, charts, comments and hidden shapes
//! are omitted. Hidden slides are included and marked `(hidden)`.

use std::collections::HashSet;
use std::io::{Read, Seek};

use super::blocks::{Block, Blocks};
use super::error::DocumentError;
use super::limits::DocumentLimits;
use super::namespace::Namespace;
use super::package::Package;
use super::xml::Xml;

mod slide;
#[cfg(test)]
mod tests;

use slide::Slide;

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
