//! Text of PDF documents, by pages.
//!
//! Any parser of this format can be made to abort, to loop or to take all memory, and no `catch_unwind` stops that. So the
//! parser runs in a separate process, which can neither open files nor use much time or memory. It writes each page as
//! soon as it is read, so that the pages before a damaged one are returned.

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod confinement;
mod extraction;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io::{Read as _, Seek as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{io, thread};

use serde::{Deserialize, Serialize};
use tool_core::{ErrorCode, ToolContext, ToolError};

use super::encoding::Encoding;
use super::reading::{ReadFileOutput, unreadable};
use crate::workspace::File;

pub use extraction::pdf_text_program;

const MAGIC: &[u8] = b"%PDF-";
/// Maximum size of a document.
const MAX_FILE_BYTES: u64 = 50 * 1024 * 1024;
/// Maximum number of bytes of a call, as of a text.
const MAX_BYTES: usize = 50 * 1024;
/// Maximum number of pages of a call.
const MAX_PAGES: usize = 1000;
/// Maximum length of the text of a page.
const MAX_PAGE_BYTES: usize = 1024 * 1024;
/// Maximum length of all messages. In JSON, a string may be six times as long.
const MAX_OUTPUT_BYTES: u64 = 8 * 1024 * 1024;
const MAX_TIME: Duration = Duration::from_secs(30);
/// Interval of the checks for cancellation.
const PAUSE: Duration = Duration::from_millis(50);

/// What the program writes, as JSON.
#[derive(Debug, Serialize, Deserialize)]
enum Message {
    /// Number of pages of the document.
    Pages(usize),
    Page(Page),
    /// Nothing follows: all requested pages are read, or none can be.
    End(Option<Obstacle>),
}

#[derive(Debug, Serialize, Deserialize)]
struct Page {
    number: usize,
    text: String,
    /// Whether parts of the page were skipped.
    is_partial: bool,
}

/// Reason why a document has no pages to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Obstacle {
    /// The process could not be confined, so it read nothing.
    Unconfined,
    Encrypted,
    Damaged,
    /// The program ended before it said so.
    Unreadable,
}

/// Program that extracts the text, and its first arguments.
#[derive(Debug, Clone)]
pub(crate) struct PdfProgram {
    program: PathBuf,
    arguments: Vec<String>,
    max_time: Duration,
}

/// Returns whether a file is a PDF document, and rewinds it.
pub(super) fn is_pdf(file: &mut File) -> io::Result<bool> {
    let mut beginning = Vec::new();
    file.by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut beginning)?;
    file.rewind()?;
    Ok(beginning == MAGIC)
}

impl PdfProgram {
    pub(crate) fn new(program: PathBuf, arguments: Vec<String>) -> Self {
        Self {
            program,
            arguments,
            max_time: MAX_TIME,
        }
    }

    /// Reads pages of a document: from `start`, which counts from the end if it is negative, and at most `limit`.
    pub(super) fn read(
        &self,
        cx: &ToolContext,
        file: &File,
        start: Option<i64>,
        limit: Option<NonZeroUsize>,
    ) -> Result<ReadFileOutput, ToolError> {
        let (path, size) = (file.path().to_owned(), file.len());
        if size > MAX_FILE_BYTES {
            let sentence =
                format!("is a PDF document of {size} bytes; at most {MAX_FILE_BYTES} are allowed");
            return Err(ToolError::about(ErrorCode::FileTooLarge, "path", sentence)
                .suggest("Split it with a command, such as `qpdf --split-pages=100`."));
        }
        let limit = limit.map_or(MAX_PAGES, |limit| limit.get().min(MAX_PAGES));
        let output = self.run(cx, file, start.unwrap_or(1), limit);
        let output = output.map_err(|error| unreadable(error, cx))?;
        if cx.cancellation().is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let document = Document::of(&output);
        document.check()?;
        let (content, truncated) = document.shown(cx);
        Ok(ReadFileOutput {
            lines_returned: content.lines().count(),
            path,
            content,
            size,
            total_lines: None,
            file_size_bytes: size,
            truncated,
            encoding: Encoding::Pdf,
        })
    }

    /// Runs the program, and returns what it has written when it ends, or is ended.
    fn run(&self, cx: &ToolContext, file: &File, start: i64, limit: usize) -> io::Result<Vec<u8>> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .args([start.to_string(), limit.to_string()])
            .env_clear()
            .current_dir("/")
            .stdin(file.to_std()?)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (sender, received) = mpsc::channel();
        let stdout = child.stdout.take();
        // On a thread, because a read can't be interrupted.
        thread::spawn(move || sender.send(stdout.map_or_else(Vec::new, read_all)));
        let until = Instant::now() + self.max_time;
        let output = loop {
            match received.recv_timeout(PAUSE) {
                Err(RecvTimeoutError::Timeout)
                    if Instant::now() < until && !cx.cancellation().is_cancelled() => {}
                Ok(output) => break output,
                Err(_) => {
                    child.kill()?;
                    break received.recv_timeout(PAUSE).unwrap_or_default();
                }
            }
        };
        // It may have closed its output without ending.
        let _ = child.kill();
        child.wait()?;
        Ok(output)
    }
}

fn read_all(stdout: ChildStdout) -> Vec<u8> {
    let mut output = Vec::new();
    // What was written before an error counts.
    let _ = stdout.take(MAX_OUTPUT_BYTES).read_to_end(&mut output);
    output
}

/// What is known of a document.
#[derive(Debug)]
struct Document {
    total: usize,
    pages: Vec<Page>,
    obstacle: Option<Obstacle>,
}

impl Document {
    fn of(output: &[u8]) -> Self {
        let mut document = Self {
            total: 0,
            pages: Vec::new(),
            obstacle: Some(Obstacle::Unreadable),
        };
        let messages = serde_json::Deserializer::from_slice(output).into_iter();
        for message in messages.map_while(Result::ok) {
            match message {
                Message::Pages(total) => document.total = total,
                Message::Page(page) => document.pages.push(page),
                Message::End(obstacle) => document.obstacle = obstacle,
            }
        }
        document
    }

    /// Returns an error if there is no page to show.
    fn check(&self) -> Result<(), ToolError> {
        if !self.pages.is_empty() {
            return Ok(());
        }
        let (what, next_step) = match self.obstacle {
            None if self.total > 0 => return Err(self.past_the_end()),
            Some(Obstacle::Encrypted) => (
                "a PDF document with a password",
                "Ask for a copy without a password.",
            ),
            Some(Obstacle::Unconfined) => (
                "a PDF document, and this system can't confine the program that reads it",
                "Convert it with a command, such as `pdftotext -layout file.pdf -`.",
            ),
            Some(Obstacle::Unreadable) => (
                "an unreadable PDF document: reading it took too much time or memory",
                "Ask for another copy of the file, or read another page with `start_line`.",
            ),
            Some(Obstacle::Damaged) | None => (
                "a damaged PDF document without a readable page",
                "Ask for another copy of the file.",
            ),
        };
        Err(ToolError::about(ErrorCode::NotText, "path", format!("is {what}")).suggest(next_step))
    }

    fn past_the_end(&self) -> ToolError {
        let total = self.total;
        let noun = if total == 1 { "page" } else { "pages" };
        let sentence = format!("is past the end: the document has {total} {noun}");
        ToolError::invalid_arguments("start_line", sentence)
            .suggest(format!("Use a `start_line` from 1 to {total}."))
    }

    /// Returns the pages that one call may return, and whether there are more.
    fn shown(&self, cx: &ToolContext) -> (String, bool) {
        let total = self.total;
        cx.note("pages", total);
        let mut content = String::new();
        let mut next = 1;
        for page in &self.pages {
            let shown = page.shown(total);
            if !content.is_empty() && content.len() + shown.len() > MAX_BYTES {
                break;
            }
            content.push_str(&shown);
            next = page.number.saturating_add(1);
        }
        let most = content.floor_char_boundary(MAX_BYTES);
        let is_cut = most < content.len();
        content.truncate(most);
        if is_cut {
            cx.warn(format!(
                "Page {} is longer than one call may return; its end is omitted.",
                next - 1
            ));
        }
        self.warn(cx, next);
        (content, is_cut || next <= total)
    }

    fn warn(&self, cx: &ToolContext, next: usize) {
        let total = self.total;
        let is_shown = |page: &&Page| page.number < next;
        let mut shown = self.pages.iter().filter(is_shown);
        if shown.all(|page| page.text.is_empty()) {
            cx.warn("These pages have no text, so they are probably pictures. Convert one with a command, such as `pdftoppm -png -r 100 -f 1 -l 1 file.pdf page`, and read the picture.");
        }
        if next > total {
            return;
        }
        let are_all_shown = self.pages.iter().all(|page| is_shown(&page));
        cx.warn(if self.obstacle.is_some() && are_all_shown {
            format!("Page {next} is unreadable: reading it took too much time or memory. Try the pages after it with `start_line` {}.", next.saturating_add(1))
        } else {
            format!("The document has {total} pages. Continue with `start_line` {next}.")
        });
    }
}

impl Page {
    fn shown(&self, total: usize) -> String {
        let note = match (self.text.is_empty(), self.is_partial) {
            (true, false) => ": no text",
            (true, true) => ": no readable text",
            (false, true) => ": parts are unreadable",
            (false, false) => "",
        };
        let mut shown = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(shown, "[page {} of {total}{note}]", self.number);
        if !self.text.is_empty() {
            let _ = writeln!(shown, "{}", self.text);
        }
        shown
    }
}
