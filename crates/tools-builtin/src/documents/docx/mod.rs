//! Text of Word documents.
//!
//! Headings get `#` marks, items of lists their numbers or `-`, links to the web the form `[text](address)`. A table is a line
//! for each row, its cells apart by tabs; a row of one cell is what is in it, line by line. In a cell of several, lines are
//! apart by ` / `. Of merged cells the first has the text and the others are empty.
//!
//! Footnotes and endnotes are called `[^1]` in the text and stand behind it; headers and footers come last, once each, where
//! the pages for which they are exist. Readings beside letters are in parentheses behind them.
//!
//! Inserted text is there; deleted text, comments and the instructions of fields are not. Nor is text that is hidden, by
//! itself or by its style, with the rows of tables that are; text that only cannot be seen, such as white on white, is.

mod fields;
mod margins;
mod numbering;
mod paragraph;
mod properties;
mod shared;
mod story;
mod styles;
mod table;
#[cfg(test)]
mod tests;

use std::io::{Read, Seek};

use self::margins::Margins;
use self::numbering::Numbering;
use self::paragraph::NoteNumbers;
use self::shared::Shared;
use self::story::Story;
use self::styles::Styles;
use super::blocks::{Block, Blocks};
use super::document::{DocumentKind, DocumentText, read};
use super::error::DocumentError;
use super::limits::DocumentLimits;
use super::package::Package;
use super::relationships::Relationships;
use super::xml::Xml;

/// More headers and footers than this are one too many to say anything new.
const MAX_MARGINS: usize = 32;

/// The text of a Word document. Tables are lines of cells with tabs between them; headings have `#` marks.
///
/// # Errors
/// [`DocumentError::NotADocument`] for anything else; see there for the others.
///
/// # Examples
/// ```no_run
/// use std::fs::File;
/// use tools_builtin::documents::{DocumentLimits, docx_to_text};
///
/// let letter = docx_to_text(File::open("letter.docx")?, &DocumentLimits::default())?;
/// println!("{}", letter.text);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn docx_to_text<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    read(source, limits, Some(DocumentKind::Docx))
}

pub(super) fn extract<R: Read + Seek>(
    package: &mut Package<R>,
    main: &str,
) -> Result<Blocks, DocumentError> {
    let links = package.relationships(main)?;
    let mut shared = Shared {
        styles: Styles::parse(&optional(package, &links, "styles")?, &package.limits())?,
        numbering: Numbering::parse(&optional(package, &links, "numbering")?, &package.limits())?,
        margins: Margins::parse(&optional(package, &links, "settings")?, &package.limits())?,
        notes: NoteNumbers::default(),
    };
    let text = package.needed(main)?;
    let limits = package.limits();
    let body = Story::new(&mut shared, &links, &limits).read(&mut Xml::new(&text, &limits))?;
    let mut blocks = body.blocks;
    drop(text);
    add_notes(package, &links, &mut shared, &mut blocks)?;
    add_margins(package, &links, &mut shared, &mut blocks)?;
    Ok(blocks)
}

/// The part to which a relationship of this kind leads; an empty text where there is none.
fn optional<R: Read + Seek>(
    package: &mut Package<R>,
    links: &Relationships,
    kind: &str,
) -> Result<String, DocumentError> {
    match links.target(kind) {
        Some(target) => Ok(package.part(target)?.unwrap_or_default()),
        None => Ok(String::new()),
    }
}

/// Adds the notes that are called in the text, in the order of their numbers.
fn add_notes<R: Read + Seek>(
    package: &mut Package<R>,
    links: &Relationships,
    shared: &mut Shared,
    blocks: &mut Blocks,
) -> Result<(), DocumentError> {
    let mut numbered = Vec::new();
    for kind in ["footnotes", "endnotes"] {
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
            if let Some(number) = shared.notes.called(kind, &id) {
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

/// Adds the headers and footers that stand on a page, each text once.
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
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
