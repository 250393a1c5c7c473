//! Text of Excel workbooks.
//!
//! Sheets are in workbook order, each under `# Sheet: Name`. Rows are lines with tabs between the
//! cells. Rows without values are omitted; one blank line replaces each gap. Newlines and tabs in a
//! cell become spaces.
//!
//! Hidden sheets are included and marked `(hidden)`. Hidden rows and columns are included too,
//! because a filter hides rows whose data the reader may need.
//!
//! Numbers are as stored, or percent if the format says so. Dates are `2026-11-21` or
//! `2026-11-21 14:30:00`, durations `36:00:00`, booleans `TRUE` or `FALSE`. A formula is replaced by
//! its cached value; without one, its text is written after `=`. Charts, comments and pivot tables
//! are omitted.

use std::collections::HashSet;
use std::io::{Read, Seek};

use super::blocks::{Block, Blocks};
use super::error::{DocumentError, DocumentLimits};
use super::package::Package;
use super::xml::{Namespace, Xml};

mod formats;
mod sheet;
#[cfg(test)]
mod tests;

use formats::Formats;
use sheet::{SheetReader, rich_text};

/// Data shared by the sheets of a workbook.
#[derive(Debug, Default)]
struct Workbook {
    strings: Vec<String>,
    formats: Formats,
    /// Whether dates are counted from 1904, as on old Macs.
    since_1904: bool,
}

/// Entry of the list of sheets.
#[derive(Debug)]
struct Named {
    name: String,
    id: String,
    hidden: bool,
}

pub(super) fn extract<R: Read + Seek>(
    package: &mut Package<R>,
    main: &str,
    workbook: &str,
) -> Result<Blocks, DocumentError> {
    let links = package.relationships(main)?;
    let limits = package.limits();
    let mut book = Workbook {
        strings: strings(&package.related(&links, "sharedStrings")?, &limits)?,
        formats: Formats::parse(&package.related(&links, "styles")?, &limits)?,
        since_1904: false,
    };
    let sheets = sheets(workbook, &mut book, &limits)?;
    let mut blocks = Blocks::new(limits.max_text_bytes);
    let mut seen = HashSet::new();
    for sheet in sheets {
        let Some(part) = links.by_id(&sheet.id).filter(|link| !link.external) else {
            continue;
        };
        // Read each sheet once: a hostile workbook can list it millions of times.
        if blocks.is_full() || !seen.insert(part.target.as_str()) {
            continue;
        }
        let hidden = if sheet.hidden { " (hidden)" } else { "" };
        blocks.push(Block::Apart, &format!("# Sheet: {}{hidden}", sheet.name));
        let text = package.part(&part.target)?.unwrap_or_default();
        SheetReader::new(&book, &mut blocks).read(&text, &limits)?;
    }
    Ok(blocks)
}

fn sheets(
    text: &str,
    book: &mut Workbook,
    limits: &DocumentLimits,
) -> Result<Vec<Named>, DocumentError> {
    let mut xml = Xml::new(text, limits);
    let mut sheets = Vec::new();
    while let Some(element) = xml.next_start()? {
        if element.namespace == Namespace::Spreadsheet {
            match element.local() {
                "workbookPr" => {
                    let date = element.attribute("date1904");
                    book.since_1904 = matches!(date.as_deref(), Some("1" | "true"));
                }
                "sheet" => sheets.push(Named {
                    name: element.attribute("name").unwrap_or_default().into_owned(),
                    id: element.prefixed("id").unwrap_or_default().into_owned(),
                    hidden: element
                        .attribute("state")
                        .is_some_and(|state| state != "visible"),
                }),
                _ => {}
            }
        }
    }
    Ok(sheets)
}

/// Returns the shared strings.
fn strings(text: &str, limits: &DocumentLimits) -> Result<Vec<String>, DocumentError> {
    let mut xml = Xml::new(text, limits);
    let mut strings = Vec::new();
    while let Some(element) = xml.next_start()? {
        if element.local() == "si" {
            strings.push(rich_text(&mut xml)?);
        }
    }
    Ok(strings)
}
