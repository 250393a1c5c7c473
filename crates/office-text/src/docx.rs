//! Text of Word documents.
//!
//! Headings start with `#`, list items with their number or `-`. Links to the web are written as
//! `[text](address)`. Table rows are lines with tabs between the cells; a row with one cell keeps
//! its lines, and in other cells ` / ` separates lines. Merged cells have text only in the first
//! one.
//!
//! Footnotes and endnotes are referenced as `[^1]` and follow the text. Headers and footers come
//! last, each once, if they are on any page. Ruby annotations follow their base text in
//! parentheses.
//!
//! Insertions are included. Deletions, comments, field instructions and hidden text or table rows
//! are omitted. Text that is only invisible, such as white on white, is included.

mod margins;
mod numbering;
mod paragraph;
mod story;
mod styles;
mod table;
#[cfg(test)]
mod tests;

use std::io::{Read, Seek};

use self::margins::Margins;
use self::numbering::Numbering;
use self::paragraph::NoteNumbers;
use self::story::Story;
use self::styles::Styles;
use super::blocks::{Block, Blocks};
use super::error::DocumentError;
use super::package::{Package, Relationships};
use super::xml::Xml;
use story::Shared;

/// Maximum number of headers and of footers to read.
const MAX_MARGINS: usize = 32;

pub(super) fn extract<R: Read + Seek>(
    package: &mut Package<R>,
    main: &str,
) -> Result<Blocks, DocumentError> {
    let links = package.relationships(main)?;
    let mut shared = Shared {
        styles: Styles::parse(&package.related(&links, "styles")?, &package.limits())?,
        numbering: Numbering::parse(&package.related(&links, "numbering")?, &package.limits())?,
        margins: Margins::parse(&package.related(&links, "settings")?, &package.limits())?,
        notes: NoteNumbers::default(),
    };
    let text = package.needed(main)?;
    let limits = package.limits();
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
    for kind in ["footnotes", "endnotes"] {
        // Word also stores separators as notes, so notes without a reference do not count.
        let Some(part) = links.target(kind).filter(|_| shared.notes.any_of(kind)) else {
            continue;
        };
        let limits = package.limits();
        let links = package.relationships(part)?;
        let text = package.part(part)?.unwrap_or_default();
        let story = Story::new(shared, &links, &limits).read(&mut Xml::new(&text, &limits))?;
        if story.blocks.is_full() {
            blocks.cut();
        }
        for (id, note) in story.notes {
            if let Some(number) = shared.notes.called(kind, id) {
                numbered.push((number, note));
            }
        }
    }
    numbered.sort_unstable();
    for (number, note) in numbered {
        blocks.push_with(&format!("[^{number}]: "), Block::Item, &in_one_line(&note));
    }
    Ok(())
}

/// Adds the distinct headers and footers that are on any page.
fn add_margins<R: Read + Seek>(
    package: &mut Package<R>,
    links: &Relationships,
    shared: &mut Shared,
    blocks: &mut Blocks,
) -> Result<(), DocumentError> {
    blocks.part();
    for kind in ["header", "footer"] {
        let mut seen: Vec<String> = Vec::new();
        let shown = links
            .parts(kind)
            .filter(|part| shared.margins.shows(&part.id));
        let shown: Vec<&str> = shown
            .map(|part| part.target.as_str())
            .take(MAX_MARGINS)
            .collect();
        for part in shown {
            let limits = package.limits();
            let links = package.relationships(part)?;
            let text = package.part(part)?.unwrap_or_default();
            let story = Story::new(shared, &links, &limits).read(&mut Xml::new(&text, &limits))?;
            let line = in_one_line(&story.blocks.into_text());
            if !line.is_empty() && !seen.contains(&line) {
                blocks.push_with(&format!("[{kind}] "), Block::Item, &line);
                seen.push(line);
            }
        }
    }
    Ok(())
}

fn in_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
