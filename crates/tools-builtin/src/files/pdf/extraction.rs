//! The program that reads a document, which knows nothing but its standard input.

#[cfg(test)]
mod tests;

use std::io::{self, Read as _, Write as _};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use pdfboss_core::{Document, Error};
use pdfboss_output::{FontCache, ReadingOrder, extract_text_reporting_cached};

use super::{MAX_BYTES, MAX_FILE_BYTES, MAX_PAGE_BYTES, Message, Obstacle, Page};

/// Runs this process as the program that reads PDF documents, for [`Kit::with_pdf_program`](crate::Kit::with_pdf_program).
///
/// Call it first in `main`, before there is a second thread: it confines the process before it reads standard input.
/// `arguments` are the ones after those that you have passed to the kit.
///
/// # Examples
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     let mut arguments = std::env::args().skip(1);
///     if arguments.next().as_deref() == Some("pdf-text") {
///         return tools_builtin::files::pdf_text_program(arguments);
///     }
///     // The application itself.
///     ExitCode::SUCCESS
/// }
/// ```
pub fn pdf_text_program(arguments: impl IntoIterator<Item = String>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let start = arguments.next().and_then(|start| start.parse().ok());
    let limit = arguments.next().and_then(|limit| limit.parse().ok());
    let (Some(start), Some(limit)) = (start, limit) else {
        return ExitCode::from(2);
    };
    let obstacle = if confine() {
        write_pages(start, limit)
    } else {
        Ok(Some(Obstacle::Unconfined))
    };
    match obstacle.and_then(|obstacle| write(&Message::End(obstacle))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn confine() -> bool {
    super::confinement::confine().is_ok()
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn confine() -> bool {
    false
}

/// Writes a message at once, so that it is not lost if the process is killed.
fn write(message: &Message) -> io::Result<()> {
    let mut output = io::stdout().lock();
    serde_json::to_writer(&mut output, message)?;
    output.write_all(b"\n")?;
    output.flush()
}

fn write_pages(start: i64, limit: NonZeroUsize) -> io::Result<Option<Obstacle>> {
    let mut content = Vec::new();
    io::stdin()
        .lock()
        .take(MAX_FILE_BYTES)
        .read_to_end(&mut content)?;
    let document = match Document::load(content) {
        Ok(document) => document,
        Err(Error::Encrypted) => return Ok(Some(Obstacle::Encrypted)),
        Err(_) => return Ok(Some(Obstacle::Damaged)),
    };
    let total = document.flattened_page_count();
    write(&Message::Pages(total))?;
    let distance = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
    let first = if start < 0 {
        total.saturating_sub(distance) + 1
    } else {
        distance.max(1)
    };
    let fonts = FontCache::default();
    let mut written = 0;
    for number in (first..=total).take(limit.get()) {
        let page = page(&document, number, &fonts);
        written += page.text.len();
        write(&Message::Page(page))?;
        // The call returns no more.
        if written > MAX_BYTES {
            break;
        }
    }
    Ok(None)
}

fn page(document: &Document, number: usize, fonts: &FontCache) -> Page {
    let read = document.page(number - 1).and_then(|page| {
        extract_text_reporting_cached(document, &page, fonts, ReadingOrder::default())
    });
    let (mut text, mut is_partial) = match read {
        Ok((text, report)) => (text, !report.is_complete()),
        Err(_) => (String::new(), true),
    };
    let most = text.floor_char_boundary(MAX_PAGE_BYTES);
    is_partial |= most < text.len();
    text.truncate(most);
    Page {
        number,
        text: text.trim().to_owned(),
        is_partial,
    }
}
