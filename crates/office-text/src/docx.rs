//! Text of Word documents.
//!
//! Headings start with `#`, list items with their number or `-`. Links to the web are written as
//! `[text](address)`. Table rows are lines with tabs between the cells; a row with one cell keeps
//! its lines, and in other cells ` / ` separates lines. Merged cells have text only in the first
//! one.
//!
//! Footnotes and endnotes are referenced as `[^1]` and follow the text. Headers and footers come
//! last, each once.
//!
//! Insertions are included. Deletions, comments, field instructions, ruby annotations, and hidden
//! text or table rows are omitted. Text that is only invisible, such as white on white, is
//! included.

mod numbering;
mod paragraph;
mod story;
mod styles;
mod table;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::io::{Read, Seek};

use self::numbering::Numbering;
use self::story::{Shared, Story, StoryText};
use self::styles::Styles;
use super::blocks::{Block, Blocks};
use super::error::DocumentError;
use super::package::{Package, Relationships};
use super::xml::Xml;

/// Maximum number of headers and of footers to read. A document can refer to one millions of times.
const MAX_MARGINS: usize = 32;

/// Returns the text of a document whose main part has this name and content.
pub(super) fn extract<R: Read + Seek>(
    package: &mut Package<R>,
    main: &str,
    text: String,
) -> Result<Blocks, DocumentError> {
    let links = package.relationships(main)?;
    let limits = package.limits();
    let mut shared = Shared {
        styles: Styles::parse(&package.related(&links, "styles")?, &limits)?,
        numbering: Numbering::parse(&package.related(&links, "numbering")?, &limits)?,
        notes: HashMap::new(),
    };
    let body = Story::new(&mut shared, &links, &limits).read(&mut Xml::new(&text, &limits))?;
    let mut blocks = body.blocks;
    // The body can have 64 MiB, and the other parts are read next.
    drop(text);
    add_notes(package, &links, &mut shared, &mut blocks)?;
    add_margins(package, &links, &mut shared, &mut blocks)?;
    Ok(blocks)
}

/// Adds the referenced notes in the order of their numbers.
fn add_notes<R: Read + Seek>(
    package: &mut Package<R>,
    links: &Relationships,
    shared: &mut Shared,
    blocks: &mut Blocks,
) -> Result<(), DocumentError> {
    let mut numbered = Vec::new();
    for part in ["footnotes", "endnotes"].map(|kind| links.target(kind)) {
        let Some(part) = part else {
            continue;
        };
        let story = story(package, part, shared)?;
        if story.blocks.is_full() {
            blocks.cut();
        }
        for (key, note) in story.notes {
            // Word also stores separators as notes, without a reference.
            if let Some(number) = shared.notes.get(&key) {
                numbered.push((*number, note));
            }
        }
    }
    numbered.sort_unstable();
    for (number, note) in numbered {
        blocks.push_with(&format!("[^{number}]: "), Block::Item, &in_one_line(&note));
    }
    Ok(())
}

/// Adds the distinct headers and footers.
fn add_margins<R: Read + Seek>(
    package: &mut Package<R>,
    links: &Relationships,
    shared: &mut Shared,
    blocks: &mut Blocks,
) -> Result<(), DocumentError> {
    blocks.part();
    for kind in ["header", "footer"] {
        let mut seen: Vec<String> = Vec::new();
        for part in links.parts(kind).take(MAX_MARGINS) {
            let line = in_one_line(&story(package, &part.target, shared)?.blocks.into_text());
            if !line.is_empty() && !seen.contains(&line) {
                blocks.push_with(&format!("[{kind}] "), Block::Item, &line);
                seen.push(line);
            }
        }
    }
    Ok(())
}

/// Returns the text of a part, which is empty if the part is missing.
fn story<R: Read + Seek>(
    package: &mut Package<R>,
    part: &str,
    shared: &mut Shared,
) -> Result<StoryText, DocumentError> {
    let limits = package.limits();
    let links = package.relationships(part)?;
    let text = package.part(part)?.unwrap_or_default();
    Story::new(shared, &links, &limits).read(&mut Xml::new(&text, &limits))
}

fn in_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
