//! Text of Excel workbooks.
//!
//! The sheets come in their order, each under `# Sheet: Name`. A row is a line, its cells apart by tabs; rows without values
//! are left out, and where some were, one empty line stands. Line breaks and tabs in a cell are blanks.
//!
//! Hidden rows and columns are left out, as the reader of the sheet does not see them; a hidden column stays empty, so that the
//! others keep their places, and the last line of the sheet says how many were left out. A hidden sheet is there, and its
//! heading says that it is hidden.
//!
//! Numbers are given as they are stored, dates as `2026-11-21` or `2026-11-21 14:30:00`, truth as `TRUE` or `FALSE`. A formula
//! gives its last value, or itself behind `=` where it has none. Charts, comments and pivot tables are left out.

use std::collections::HashSet;
use std::io::{Read, Seek};

use super::blocks::{Block, Blocks};
use super::document::{DocumentKind, DocumentText, read};
use super::error::DocumentError;
use super::limits::DocumentLimits;
use super::package::Package;
use super::relationships::Relationships;
use super::xml::{Space, Token, Xml};

mod cell;
mod formats;
mod left_out;
mod row;
mod sheet;
#[cfg(test)]
mod tests;

use formats::Formats;
use sheet::Sheet;

/// The text of an Excel workbook, sheet by sheet.
///
/// # Errors
/// [`DocumentError::NotADocument`] for anything else; see there for the others.
///
/// # Examples
/// ```no_run
/// use std::fs::File;
/// use tools_builtin::documents::{DocumentLimits, xlsx_to_text};
///
/// let book = xlsx_to_text(File::open("book.xlsx")?, &DocumentLimits::default())?;
/// println!("{}", book.text);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn xlsx_to_text<R: Read + Seek>(
    source: R,
    limits: &DocumentLimits,
) -> Result<DocumentText, DocumentError> {
    read(source, limits, Some(DocumentKind::Xlsx))
}

/// What the sheets of a workbook share.
#[derive(Debug, Default)]
struct Book {
    strings: Vec<String>,
    formats: Formats,
    /// Whether days are counted from 1904, as on old Macs.
    since_1904: bool,
}

/// How the workbook names a sheet.
#[derive(Debug)]
struct Named {
    name: String,
    id: String,
    hidden: bool,
}

pub(super) fn extract<R: Read + Seek>(
    package: &mut Package<R>,
    main: &str,
) -> Result<Blocks, DocumentError> {
    let links = package.relationships(main)?;
    let limits = package.limits();
    let mut book = Book {
        strings: strings(&optional(package, &links, "sharedStrings")?, &limits)?,
        formats: Formats::parse(&optional(package, &links, "styles")?, &limits)?,
        since_1904: false,
    };
    let workbook = package.needed(main)?;
    let sheets = sheets(&workbook, &mut book, &limits)?;
    let mut blocks = Blocks::new(limits.max_text_bytes);
    let mut rows_left = limits.max_rows;
    let mut seen = HashSet::new();
    for sheet in sheets {
        let Some(part) = links.by_id(&sheet.id).filter(|link| !link.external) else {
            continue;
        };
        // A sheet that is named a thousand times is read once.
        if blocks.is_full() || !seen.insert(part.target.as_str()) {
            continue;
        }
        let hidden = if sheet.hidden { " (hidden)" } else { "" };
        blocks.push(Block::Apart, &format!("# Sheet: {}{hidden}", sheet.name));
        let text = package.part(&part.target)?.unwrap_or_default();
        Sheet::new(&book, &mut rows_left, &limits).read(&text, &limits, &mut blocks)?;
    }
    Ok(blocks)
}

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

fn sheets(
    text: &str,
    book: &mut Book,
    limits: &DocumentLimits,
) -> Result<Vec<Named>, DocumentError> {
    let mut xml = Xml::new(text, limits);
    let mut sheets = Vec::new();
    loop {
        match xml.next()? {
            Token::Start(element) if element.space == Space::Sheet => match element.local() {
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
            },
            Token::Done => return Ok(sheets),
            _ => {}
        }
    }
}

/// The strings that cells refer to by their numbers.
fn strings(text: &str, limits: &DocumentLimits) -> Result<Vec<String>, DocumentError> {
    let mut xml = Xml::new(text, limits);
    let mut strings = Vec::new();
    loop {
        match xml.next()? {
            Token::Start(element) if element.local() == "si" => {
                strings.push(cell::rich_text(&mut xml)?);
            }
            Token::Done => return Ok(strings),
            _ => {}
        }
    }
}
