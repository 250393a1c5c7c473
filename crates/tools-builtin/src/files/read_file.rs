//! Reading text files, whole or by line range.

use std::io::{BufRead, BufReader, Read};
use std::num::NonZeroUsize;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{
    CancellationToken, Engine, ErrorCode, Limits, RiskLevel, ToolContext, ToolError, ToolOutput,
};

use super::decode::{Encoding, from_any, from_utf8, from_utf16, hex, lossy, unmarked};
use super::defaults;
use super::extensions::Extensions;
use super::lines::{Bounds, LineRange, Taken, take_lines};
use crate::blocking::blocking;
use crate::workspace::{File, Workspace};

const MAX_BYTES: usize = 10 * 1024 * 1024;
/// Up to this size a file is read to its end for the number of its lines.
const COUNTED_BYTES: u64 = 1024 * 1024;
const HEX_BYTES: usize = 1024;
const CHUNK: usize = 64 * 1024;

/// Which file to read, and which part of it.
///
/// # Examples
/// ```
/// use tools_builtin::files::ReadFileInput;
///
/// let input: ReadFileInput = serde_json::from_str(r#"{"path": "a.txt", "start_line": 2}"#)?;
/// assert_eq!(input.start_line.map(|line| line.get()), Some(2));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReadFileInput {
    /// Path of the file, relative to the workspace root.
    pub path: String,
    /// First line to return, counting from 1. Omit to start at the top.
    #[serde(default)]
    pub start_line: Option<NonZeroUsize>,
    /// Last line to return, included. Omit to read to the end.
    #[serde(default)]
    pub end_line: Option<NonZeroUsize>,
    /// The most characters to return. Omit for no limit of your own.
    #[serde(default)]
    pub max_chars: Option<NonZeroUsize>,
    /// The most lines to return.
    #[serde(default = "defaults::lines")]
    pub max_lines: NonZeroUsize,
    /// Whether to count the lines of files over 1 MB too, which reads them to their end.
    #[serde(default)]
    pub count_lines: bool,
    /// What to do about bytes that are not UTF-8.
    #[serde(default)]
    pub decoding: Decoding,
    /// Size in bytes over which a file is refused. Omit to read as much as is allowed of any file.
    #[serde(default)]
    pub max_file_bytes: Option<u64>,
    /// Extensions of the files that may be read, such as `rs` or `txt`, or whole names such as `Makefile`. Omit for all.
    #[serde(default)]
    pub extensions: Option<Vec<String>>,
}

/// What to do about bytes that are not UTF-8.
///
/// # Examples
/// ```
/// use tools_builtin::files::Decoding;
///
/// assert_eq!(serde_json::to_string(&Decoding::Utf8Only)?, "\"utf8_only\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decoding {
    /// Text is decoded from the encoding that is found in it, and what is no text is shown in hexadecimal.
    #[default]
    Detect,
    /// What is neither UTF-8 nor marked as UTF-16 is shown as `�`, in binary files too.
    Lossy,
    /// Such a file is refused.
    Utf8Only,
}

/// What was read, and where it stands in the file.
///
/// # Examples
/// ```
/// use tools_builtin::files::{Encoding, ReadFileOutput};
///
/// let output = ReadFileOutput {
///     path: "a.txt".to_owned(),
///     content: "one\n".to_owned(),
///     size: 4,
///     total_lines: Some(1),
///     lines_returned: 1,
///     file_size_bytes: 4,
///     truncated: false,
///     encoding: Encoding::Utf8,
/// };
/// assert_eq!(serde_json::to_value(output)?["encoding"], "utf-8");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReadFileOutput {
    /// Path relative to the workspace root.
    pub path: String,
    /// The text, or the part of it that was asked for.
    pub content: String,
    /// Size of the file in bytes.
    pub size: u64,
    /// Lines in the whole file, where they were counted.
    pub total_lines: Option<usize>,
    /// Lines in `content`.
    pub lines_returned: usize,
    /// Size of the file in bytes.
    pub file_size_bytes: u64,
    /// Whether a limit cut `content`.
    pub truncated: bool,
    /// How the bytes became text.
    pub encoding: Encoding,
}

/// Reads files inside one workspace.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::files::{ReadFile, ReadFileInput};
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("a.txt", "one\ntwo\nthree\n");
/// let engine = ReadFile::new(Workspace::open(scratch.path())?);
/// let input: ReadFileInput = serde_json::from_str(r#"{"path": "a.txt", "start_line": 2}"#)?;
/// let output = engine.run(&ToolContext::test(), input, &Limits::default()).await?;
/// assert_eq!(output.content, "two\nthree\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ReadFile {
    workspace: Workspace,
    extensions: Option<Extensions>,
}

impl ReadFile {
    /// Creates an engine that never reads outside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            extensions: None,
        }
    }

    /// Reads only files with these extensions, such as `rs` or `.txt`, and files with these whole names, such as
    /// `Makefile`. Capital and small letters are the same.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{Engine, Limits, ToolContext};
    /// use tool_test::Scratch;
    /// use tools_builtin::Workspace;
    /// use tools_builtin::files::ReadFile;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let scratch = Scratch::new().file("key.pem", "secret");
    /// let engine = ReadFile::new(Workspace::open(scratch.path())?).with_extensions(["rs", "md", "Makefile"]);
    /// let input = serde_json::from_str(r#"{"path": "key.pem"}"#)?;
    /// let outcome = engine.run(&ToolContext::test(), input, &Limits::default()).await;
    /// assert!(outcome.is_err());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_extensions<N: AsRef<str>>(self, extensions: impl IntoIterator<Item = N>) -> Self {
        Self {
            extensions: Some(Extensions::new(extensions)),
            ..self
        }
    }

    /// Refuses a name that the host or the contract does not let through.
    fn check_extension(&self, input: &ReadFileInput) -> Result<(), ToolError> {
        let pinned = input.extensions.as_ref().map(Extensions::new);
        self.extensions
            .iter()
            .chain(&pinned)
            .try_for_each(|extensions| extensions.check("path", &input.path))
    }
}

#[async_trait]
impl Engine for ReadFile {
    type Input = ReadFileInput;
    type Output = ReadFileOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn check(&self, input: &ReadFileInput) -> Result<(), ToolError> {
        LineRange::parse(input.start_line, input.end_line)?;
        self.check_extension(input)
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadFileInput,
        limits: &Limits,
    ) -> Result<ReadFileOutput, ToolError> {
        let range = LineRange::parse(input.start_line, input.end_line)?;
        self.check_extension(&input)?;
        let (workspace, context, limits) = (self.workspace.clone(), cx.clone(), *limits);
        blocking(cx, move |cancellation| {
            let reading = Reading {
                range,
                input: &input,
                max_chars: input.max_chars.map_or(usize::MAX, NonZeroUsize::get),
                limits,
                cx: &context,
                cancellation,
            };
            reading.read(workspace.existing_file("path", &input.path)?)
        })
        .await
    }

    fn render(output: &ReadFileOutput) -> String {
        output.content.clone()
    }
}

/// One call, its arguments known to be right.
struct Reading<'c> {
    range: LineRange,
    input: &'c ReadFileInput,
    max_chars: usize,
    limits: Limits,
    cx: &'c ToolContext,
    cancellation: &'c CancellationToken,
}

impl Reading<'_> {
    fn read(&self, file: File) -> Result<ReadFileOutput, ToolError> {
        let (path, size) = (file.path().to_owned(), file.len());
        self.check_size(size)?;
        let mut source = BufReader::with_capacity(CHUNK, file);
        let beginning = source.fill_buf().map_err(|error| self.unreadable(error))?;
        let (encoding, mark) = self.encoding_of(beginning)?;
        if encoding == Encoding::Binary {
            return Ok(self.binary(path, size, beginning));
        }
        source.consume(mark);
        let (taken, encoding) = if encoding == Encoding::Utf8 {
            let count_all = self.input.count_lines || size <= COUNTED_BYTES;
            (self.take(&mut source, count_all)?, encoding)
        } else {
            (self.take_utf16(source, encoding, size)?, encoding)
        };
        self.check_not_past_the_end(&taken)?;
        self.finish(path, size, taken, encoding)
    }

    fn check_size(&self, size: u64) -> Result<(), ToolError> {
        match self.input.max_file_bytes {
            Some(most) if size > most => Err(ToolError::about(
                ErrorCode::FileTooLarge,
                "path",
                format!("has {size} bytes, and files of at most {most} bytes are read"),
            )
            .suggest("Search in it, or choose a smaller file.")),
            _ => Ok(()),
        }
    }

    /// What the beginning says, as far as it matters here.
    fn encoding_of(&self, beginning: &[u8]) -> Result<(Encoding, usize), ToolError> {
        let (found, mark) = Encoding::of_beginning(beginning);
        let found = match (self.input.decoding, found) {
            (Decoding::Detect, found) if mark == 0 => unmarked(beginning, found),
            (Decoding::Lossy, Encoding::Binary) => Encoding::Utf8,
            (Decoding::Utf8Only, found) if found != Encoding::Utf8 => return Err(not_utf8()),
            (_, found) => found,
        };
        Ok((found, mark))
    }

    fn take(&self, source: &mut impl BufRead, count_all: bool) -> Result<Taken, ToolError> {
        let bounds = Bounds {
            lines: self.limits.max_lines.min(self.input.max_lines.get()),
            bytes: self.limits.max_bytes.min(MAX_BYTES),
            count_all,
        };
        take_lines(source, self.range, bounds, self.cancellation)
            .map_err(|error| self.unreadable(error))
    }

    /// A line border of UTF-16 is not to be found in the bytes alone, so all of it is decoded, up to the limit.
    fn take_utf16(
        &self,
        source: BufReader<File>,
        encoding: Encoding,
        size: u64,
    ) -> Result<Taken, ToolError> {
        let most = 2 * MAX_BYTES as u64;
        let mut bytes = Vec::new();
        source
            .take(most)
            .read_to_end(&mut bytes)
            .map_err(|error| self.unreadable(error))?;
        let text = from_utf16(&bytes, encoding);
        let mut taken = self.take(&mut text.as_bytes(), true)?;
        if size > most + 2 {
            // The last line that was decoded may go on.
            taken.cut |= taken.total.is_some_and(|total| self.range.reaches(total));
            taken.total = None;
        }
        Ok(taken)
    }

    fn check_not_past_the_end(&self, taken: &Taken) -> Result<(), ToolError> {
        let (first, Some(total)) = (self.range.first(), taken.total) else {
            return Ok(());
        };
        if first == 1 || first <= total {
            return Ok(());
        }
        let noun = if total == 1 { "line" } else { "lines" };
        let mut output = ToolOutput::default();
        output
            .metadata
            .insert("total_lines".to_owned(), total.into());
        Err(ToolError::invalid_arguments(
            "start_line",
            format!("is past the end: the file has {total} {noun}"),
        )
        .with_output(output))
    }

    fn finish(
        &self,
        path: String,
        size: u64,
        taken: Taken,
        encoding: Encoding,
    ) -> Result<ReadFileOutput, ToolError> {
        let (mut content, encoding) = match encoding {
            Encoding::Utf8 => self.decode(taken.bytes, taken.cut)?,
            unicode => (lossy(&taken.bytes), unicode),
        };
        // Characters of an old encoding may have more bytes in UTF-8.
        let most = content.floor_char_boundary(self.limits.max_bytes.min(MAX_BYTES));
        let was_cut = taken.cut || most < content.len();
        content.truncate(most);
        let shortened = shorten(&mut content, self.max_chars);
        // Counted before the last line break goes: an empty line at the end is a line too.
        let lines_returned = content.lines().count();
        if shortened || was_cut {
            self.warn_of_cut(&content, shortened);
        } else if self.range.has_end() {
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
            truncated: was_cut || shortened,
            encoding,
            content,
        })
    }

    /// Bytes that look like UTF-8 as text, and what they turned out to be.
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
                .warn("The file is not UTF-8; what could not be read is shown as �."),
            Encoding::Legacy(_) => self
                .cx
                .warn(format!("The file is not UTF-8; it was read as {encoding}.")),
            _ => {}
        }
        Ok((text, encoding))
    }

    /// Says where to go on: behind the last line that is shown whole.
    fn warn_of_cut(&self, content: &str, shortened: bool) {
        let whole = content.matches('\n').count();
        let next = self.range.first() + whole;
        let characters = self.max_chars;
        self.cx.warn(match (shortened, whole) {
            (true, 0) => {
                format!("Only the first {characters} characters of line {next} are shown.")
            }
            (true, _) => {
                format!("Only the first {characters} characters are shown; go on with start_line {next}.")
            }
            (false, 0) => format!(
                "Line {next} is longer than one call may return; only its beginning is shown."
            ),
            (false, _) => {
                format!("The file is longer than one call may return; go on with start_line {next}.")
            }
        });
    }

    fn binary(&self, path: String, size: u64, beginning: &[u8]) -> ReadFileOutput {
        self.cx
            .warn("File appears to be binary, displaying first 1KB as hex");
        let mut content = hex(beginning.get(..HEX_BYTES).unwrap_or(beginning));
        let shortened = shorten(&mut content, self.max_chars);
        ReadFileOutput {
            path,
            size,
            total_lines: None,
            lines_returned: content.lines().count(),
            file_size_bytes: size,
            truncated: shortened || size > HEX_BYTES as u64,
            encoding: Encoding::Binary,
            content,
        }
    }

    fn unreadable(&self, error: std::io::Error) -> ToolError {
        if self.cancellation.is_cancelled() {
            return ToolError::cancelled();
        }
        ToolError::failed("The file cannot be read").caused_by(error)
    }
}

fn not_utf8() -> ToolError {
    ToolError::about(ErrorCode::NotText, "path", "is not UTF-8 text")
        .suggest("Choose a text file, or convert it first.")
}

fn strip_line_break(content: &mut String) {
    if content.ends_with('\n') {
        content.pop();
        if content.ends_with('\r') {
            content.pop();
        }
    }
}

/// Cuts behind `max_chars` characters; whether there was something to cut.
fn shorten(content: &mut String, max_chars: usize) -> bool {
    match content.char_indices().nth(max_chars) {
        Some((end, _)) => {
            content.truncate(end);
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests;
