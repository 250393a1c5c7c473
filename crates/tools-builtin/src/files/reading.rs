//! Reading a file for one call.

#[cfg(feature = "office")]
mod extracted;

use std::io::{self, BufRead, BufReader, Read, Seek};
use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{ErrorCode, ToolContext, ToolError, ToolOutput};

#[cfg(feature = "office")]
use self::extracted::{encoding_of, extract};
use super::decode::{Encoding, from_any, from_utf8, from_utf16, hex, lossy};
use super::defaults;
use super::encoding::Decoding;
use super::lines::{Bounds, LineRange, LinesRead, take_lines};
use crate::workspace::File;

/// Maximum size in bytes of a file that is always read to the end to count its lines.
const COUNTED_BYTES: u64 = 1024 * 1024;
/// Maximum size in bytes of a file in UTF-16, which is decoded in memory.
const MAX_UTF16_BYTES: u64 = 64 * 1024 * 1024;
const HEX_BYTES: usize = 1024;
const CHUNK: usize = 64 * 1024;
pub(super) const CHANGED: &str =
    "The file changed while it was read, so parts of the text may not fit together. Read it again.";

/// File to read, and the part to return.
#[cfg_attr(
    not(feature = "document-sets"),
    expect(dead_code, reason = "the standard tool has other limits")
)]
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReadFileInput {
    /// Path of the file, relative to the workspace root.
    pub(crate) path: String,
    /// First line to return, counted from 1. Omit to start at the first line.
    pub(crate) start_line: Option<NonZeroUsize>,
    /// Last line to return, inclusive. Omit to read to the end.
    pub(crate) end_line: Option<NonZeroUsize>,
    /// Maximum lines to return.
    #[serde(default = "defaults::lines")]
    pub(crate) max_lines: NonZeroUsize,
    /// Maximum bytes of text to return.
    #[serde(skip, default = "defaults::bytes")]
    pub(crate) max_bytes: usize,
    /// Whether to count the lines of files over 1 MB as well, which reads them to the end.
    #[serde(default)]
    pub(crate) count_lines: bool,
    /// Handling of bytes that are not UTF-8.
    #[serde(default)]
    pub(crate) decoding: Decoding,
    /// Maximum size of the file in bytes; larger files are rejected. Omit to read as much as possible of any file.
    pub(crate) max_file_bytes: Option<u64>,
    /// Extensions and names of files that may be read, in lowercase, with a space between them. Omit to allow all files.
    #[serde(skip)]
    pub(crate) extensions: Option<&'static str>,
}

impl ReadFileInput {
    /// Creates the input for an entire file, with the default options.
    pub(crate) fn of(path: String) -> Self {
        Self {
            path,
            start_line: None,
            end_line: None,
            max_lines: defaults::lines(),
            max_bytes: defaults::bytes(),
            count_lines: false,
            decoding: Decoding::default(),
            max_file_bytes: None,
            extensions: None,
        }
    }
}

/// Content of a file, with its size and encoding.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReadFileOutput {
    /// Path relative to the workspace root.
    pub(crate) path: String,
    /// The content, or the requested part of it.
    pub(crate) content: String,
    /// Size of the file in bytes.
    pub(crate) size: u64,
    /// Number of lines in the file, if they were counted.
    pub(crate) total_lines: Option<usize>,
    /// Number of lines in `content`.
    pub(crate) lines_returned: usize,
    /// Size of the file in bytes.
    pub(crate) file_size_bytes: u64,
    /// Whether a limit truncated `content`.
    pub(crate) truncated: bool,
    /// Encoding of the file: `utf-8`, `utf-16le`, `utf-16be`, the label of a legacy encoding such as `windows-1252`, `unknown`
    /// (invalid UTF-8 is shown as �), `binary`, or `docx`, `pptx`, `xlsx` or `pdf` (text of the document).
    #[schemars(with = "String", description = "Encoding of the file.")]
    pub(crate) encoding: Encoding,
}

/// One call with validated arguments.
pub(super) struct ReadRequest<'c> {
    pub(super) range: LineRange,
    pub(super) input: &'c ReadFileInput,
    pub(super) cx: &'c ToolContext,
}

impl ReadRequest<'_> {
    /// Reads the content of a file of this size.
    pub(super) fn read_from(
        &self,
        path: String,
        size: u64,
        content: impl Read + Seek,
    ) -> Result<ReadFileOutput, ToolError> {
        check_size(size, self.input.max_file_bytes.unwrap_or(u64::MAX))?;
        let mut source = BufReader::with_capacity(CHUNK, content);
        #[cfg(feature = "office")]
        if self.input.decoding == Decoding::Detect
            && let Some(document) = extract(&mut source, self.cx)?
        {
            return self.read_document(path, size, &document);
        }
        let beginning = source
            .fill_buf()
            .map_err(|error| unreadable(error, self.cx))?;
        let (encoding, mark) = self.encoding_of(beginning)?;
        if encoding == Encoding::Binary {
            return Ok(self.binary(path, size, beginning));
        }
        source.consume(mark);
        let count_all = self.input.count_lines || size <= COUNTED_BYTES;
        let taken = if encoding == Encoding::Utf8 {
            self.take(&mut source, count_all)?
        } else {
            check_size(size, MAX_UTF16_BYTES)?;
            let mut bytes = Vec::new();
            let read = source.read_to_end(&mut bytes);
            read.map_err(|error| unreadable(error, self.cx))?;
            let text = from_utf16(&bytes, encoding);
            self.take(&mut text.as_bytes(), count_all)?
        };
        self.check_not_past_the_end(&taken)?;
        self.finish(path, size, taken, encoding)
    }

    /// Reads the text of a document like the text of a file.
    #[cfg(feature = "office")]
    fn read_document(
        &self,
        path: String,
        size: u64,
        document: &office_text::DocumentText,
    ) -> Result<ReadFileOutput, ToolError> {
        let taken = self.take(&mut document.text.as_bytes(), true)?;
        self.check_not_past_the_end(&taken)?;
        let mut output = self.finish(path, size, taken, encoding_of(document.kind))?;
        if document.text.is_empty() {
            self.cx.warn("The document has no text.");
        }
        if document.truncated {
            self.cx
                .warn("The document is too long; the text after the last line is omitted.");
            output.truncated = true;
        }
        Ok(output)
    }

    /// Returns the encoding according to the first bytes and the requested decoding, and the length
    /// of the byte-order mark.
    fn encoding_of(&self, beginning: &[u8]) -> Result<(Encoding, usize), ToolError> {
        let (found, mark) = Encoding::of_beginning(beginning);
        let found = match (self.input.decoding, found) {
            (Decoding::Lossy, Encoding::Binary) => Encoding::Utf8,
            (Decoding::Utf8Only, found) if found != Encoding::Utf8 => return Err(not_utf8()),
            (_, found) => found,
        };
        Ok((found, mark))
    }

    fn take(&self, source: &mut impl BufRead, count_all: bool) -> Result<LinesRead, ToolError> {
        let bounds = Bounds {
            lines: self.input.max_lines.get(),
            bytes: self.input.max_bytes,
            count_all,
        };
        take_lines(source, self.range, bounds, self.cx.cancellation())
            .map_err(|error| unreadable(error, self.cx))
    }

    fn check_not_past_the_end(&self, taken: &LinesRead) -> Result<(), ToolError> {
        let (first, Some(total)) = (self.range.first, taken.total) else {
            return Ok(());
        };
        if first == 1 || first <= total {
            return Ok(());
        }
        let noun = if total == 1 { "line" } else { "lines" };
        let mut output = ToolOutput::default();
        let key = "total_lines".to_owned();
        output.metadata.insert(key, total.into());
        let sentence = format!("is past the end: the file has {total} {noun}");
        let suggestion = match total {
            0 => "The file is empty.".to_owned(),
            total => format!("Use a `start_line` from 1 to {total}."),
        };
        Err(ToolError::invalid_arguments("start_line", sentence)
            .suggest(suggestion)
            .with_output(output))
    }

    fn finish(
        &self,
        path: String,
        size: u64,
        taken: LinesRead,
        encoding: Encoding,
    ) -> Result<ReadFileOutput, ToolError> {
        let (mut content, encoding) = match encoding {
            Encoding::Utf8 => self.decode(taken.bytes, taken.cut)?,
            decoded => (valid(taken.bytes, taken.cut), decoded),
        };
        // Characters of a legacy encoding may have more bytes in UTF-8.
        let most = content.floor_char_boundary(self.input.max_bytes);
        let was_cut = taken.cut || most < content.len();
        content.truncate(most);
        // Count before the last newline is stripped: an empty line at the end is a line, too.
        let lines_returned = content.lines().count();
        if was_cut {
            self.warn_of_cut(&content);
        } else if self.range.has_end {
            strip_line_break(&mut content);
        }
        if size == 0 {
            self.cx.warn("The file is empty.");
        }
        Ok(ReadFileOutput {
            path,
            size,
            total_lines: taken.total,
            lines_returned,
            file_size_bytes: size,
            truncated: was_cut,
            encoding,
            content,
        })
    }

    /// Decodes bytes that look like UTF-8, and returns their actual encoding.
    fn decode(&self, bytes: Vec<u8>, was_cut: bool) -> Result<(String, Encoding), ToolError> {
        let (text, encoding) = match self.input.decoding {
            Decoding::Detect => from_any(bytes, was_cut),
            Decoding::Utf8Only => match from_utf8(bytes, was_cut) {
                Ok(text) => (text, Encoding::Utf8),
                Err(_) => return Err(not_utf8()),
            },
            Decoding::Lossy => match from_utf8(bytes, was_cut) {
                Ok(text) => (text, Encoding::Utf8),
                Err(bytes) => (lossy(&bytes), Encoding::Unknown),
            },
        };
        match encoding {
            Encoding::Unknown => self
                .cx
                .warn("The file is not UTF-8; invalid bytes are shown as �."),
            Encoding::Legacy(_) => self
                .cx
                .warn(format!("The file is not UTF-8; it was read as {encoding}.")),
            _ => {}
        }
        Ok((text, encoding))
    }

    /// Warns with the line at which to continue, after the last complete one.
    fn warn_of_cut(&self, content: &str) {
        let whole = content.matches('\n').count();
        let next = self.range.first + whole;
        self.cx.warn(match whole {
            0 => format!(
                "Line {next} is longer than one call may return; only its beginning is shown."
            ),
            _ => {
                format!("The file is longer than one call may return. Continue with `start_line` {next}.")
            }
        });
    }

    fn binary(&self, path: String, size: u64, beginning: &[u8]) -> ReadFileOutput {
        self.cx
            .warn("File appears to be binary, displaying first 1KB as hex");
        #[cfg(not(feature = "office"))]
        warn_of_document(beginning, self.cx);
        let content = hex(beginning.get(..HEX_BYTES).unwrap_or(beginning));
        ReadFileOutput {
            path,
            size,
            total_lines: None,
            lines_returned: content.lines().count(),
            file_size_bytes: size,
            truncated: size > HEX_BYTES as u64,
            encoding: Encoding::Binary,
            content,
        }
    }
}

fn check_size(size: u64, most: u64) -> Result<(), ToolError> {
    if size <= most {
        return Ok(());
    }
    let sentence = format!("has {size} bytes; at most {most} are allowed");
    Err(ToolError::about(ErrorCode::FileTooLarge, "path", sentence)
        .suggest("Search the file, or choose a smaller one."))
}

fn not_utf8() -> ToolError {
    ToolError::about(ErrorCode::NotText, "path", "is not UTF-8 text")
        .suggest("Choose a text file, or convert it first.")
}

/// Converts decoded bytes, which are valid UTF-8 except for a truncated last character.
fn valid(bytes: Vec<u8>, was_cut: bool) -> String {
    from_utf8(bytes, was_cut).unwrap_or_else(|bytes| lossy(&bytes))
}

fn strip_line_break(content: &mut String) {
    if content.ends_with('\n') {
        content.pop();
        if content.ends_with('\r') {
            content.pop();
        }
    }
}

/// Warns if a file that is shown as bytes is a document.
#[cfg(not(feature = "office"))]
fn warn_of_document(beginning: &[u8], cx: &ToolContext) {
    if let Some(name) = super::magic::office_kind(beginning) {
        cx.warn(format!(
            "The file is {name}; support for documents is not compiled in, so only its bytes are shown."
        ));
    }
}

/// Warns about a file that others wrote during the read: the content may mix two states.
pub(super) fn warn_of_change(cx: &ToolContext, file: &File) {
    if file.has_changed() {
        cx.warn(CHANGED);
    }
}

/// Returns the error of a failed read, or of a cancelled call.
pub(super) fn unreadable(error: io::Error, cx: &ToolContext) -> ToolError {
    if cx.cancellation().is_cancelled() {
        return ToolError::cancelled();
    }
    ToolError::failed("The file cannot be read")
        .suggest("Try again, or choose another file.")
        .caused_by(error)
}
