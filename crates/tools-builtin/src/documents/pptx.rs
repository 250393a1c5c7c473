//! Text of PowerPoint presentations.
//!
//! The slides come in the order in which they are shown, each under `# Slide 3: Title`. A paragraph is a line, moved in by its
//! level; rows of tables have tabs between their cells. Then come the texts of diagrams, and the speaker's notes behind
//! `Notes: `. Numbers of slides, dates and footers, charts and comments are left out, and so
//! are shapes that are hidden. A hidden slide is there, and its heading says so.

use std::collections::HashSet;
use std::io::{Read, Seek};

use super::blocks::{Block, Blocks};
use super::document::{DocumentKind, DocumentText, read};
use super::error::DocumentError;
use super::limits::DocumentLimits;
use super::package::Package;
use super::xml::{Space, Token, Xml};

mod slide;
#[cfg(test)]
mod tests;

use slide::Slide;

/// The text of a PowerPoint presentation, slide by slide.
///
/// # Errors
/// [`DocumentError::NotADocument`] for anything else; see there for the others.
///
/// # Examples
/// ```no_run
/// use std::fs::File;
/// use tools_builtin::documents::{DocumentLimits, pptx_to_text};
///
/// let talk = pptx_to_text(File::open("talk.pptx")?, &DocumentLimits::default())?;
/// println!("{}", talk.text);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn pptx_to_text<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    read(source, limits, Some(DocumentKind::Pptx))
}

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
        // A slide that is named a thousand times is read once.
        if seen.insert(slide.target.as_str()) {
            add_slide(package, &slide.target, seen.len(), &mut blocks)?;
        }
        if blocks.is_full() {
            break;
        }
    }
    Ok(blocks)
}

/// The slides in their order, by the ids of their relationships.
fn slide_ids(text: &str, limits: &DocumentLimits) -> Result<Vec<String>, DocumentError> {
    let mut xml = Xml::new(text, limits);
    let mut ids = Vec::new();
    loop {
        match xml.next()? {
            Token::Start(element)
                if element.space == Space::Presentation && element.local() == "sldId" =>
            {
                ids.extend(element.prefixed("id").map(String::from));
            }
            Token::Done => return Ok(ids),
            _ => {}
        }
    }
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
    for diagram in links.targets("diagramData") {
        let text = package.part(diagram)?.unwrap_or_default();
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
