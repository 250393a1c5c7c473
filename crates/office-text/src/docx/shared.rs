//! State shared by the body, notes, headers and footers.

use super::margins::Margins;
use super::numbering::Numbering;
use super::paragraph::{NoteNumbers, Paragraph};
use super::styles::Styles;
use crate::blocks::Block;

/// Maximum heading level in Markdown.
const MAX_HEADING: usize = 6;

/// State shared by the body, notes, headers and footers.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) styles: Styles,
    pub(super) numbering: Numbering,
    pub(super) margins: Margins,
    pub(super) notes: NoteNumbers,
}

/// Returns the prefix of a paragraph and its separation from the previous block.
pub(super) fn prefix(paragraph: &Paragraph, shared: &mut Shared, in_cell: bool) -> (Block, String) {
    let properties = &paragraph.properties;
    let Shared {
        styles, numbering, ..
    } = shared;
    let style = properties.style.as_deref().unwrap_or_default();
    let level = properties
        .level
        .or_else(|| styles.level(style))
        .unwrap_or(0);
    let number = properties
        .number
        .as_deref()
        .or_else(|| styles.number(style));
    let label = number.and_then(|number| numbering.label(number, level, styles));
    let label = label.filter(|label| !label.is_empty());
    let heading = properties.outline.or_else(|| styles.heading(style));
    match (heading.filter(|_| !in_cell), label) {
        (Some(heading), label) => {
            let marks = "#".repeat(heading.min(MAX_HEADING));
            // Bullets of headings are omitted.
            match label.filter(|label| label != "-") {
                Some(label) => (Block::Apart, format!("{marks} {label} ")),
                None => (Block::Apart, format!("{marks} ")),
            }
        }
        (None, Some(label)) => {
            let indent = "  ".repeat(level.min(8));
            (Block::Item, format!("{indent}{label} "))
        }
        (None, None) => (Block::Apart, String::new()),
    }
}
