//! Reading text files, whole or by line range.

use std::io::{BufRead, BufReader, Read};
use std::num::NonZeroUsize;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CancellationToken, Engine, Limits, RiskLevel, ToolContext, ToolError, ToolOutput};

use super::decode::{Encoding, from_utf8, from_utf16, hex};
use super::lines::{Bounds, LineRange, Taken, take_lines};
use crate::blocking::blocking;
use crate::workspace::{File, Workspace};

const MAX_BYTES: usize = 10 * 1024 * 1024;
const MAX_LINES: usize = 10_000;
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
}

impl ReadFile {
    /// Creates an engine that never reads outside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }
}

#[async_trait]
impl Engine for ReadFile {
    type Input = ReadFileInput;
    type Output = ReadFileOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn check(&self, input: &ReadFileInput) -> Result<(), ToolError> {
        LineRange::parse(input.start_line, input.end_line).map(|_| ())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadFileInput,
        limits: &Limits,
    ) -> Result<ReadFileOutput, ToolError> {
        let (workspace, context, limits) = (self.workspace.clone(), cx.clone(), *limits);
        blocking(cx, move |cancellation| {
            let reading = Reading {
                range: LineRange::parse(input.start_line, input.end_line)?,
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
    max_chars: usize,
    limits: Limits,
    cx: &'c ToolContext,
    cancellation: &'c CancellationToken,
}

impl Reading<'_> {
    fn read(&self, file: File) -> Result<ReadFileOutput, ToolError> {
        let (path, size) = (file.path().to_owned(), file.len());
        let mut source = BufReader::with_capacity(CHUNK, file);
        let beginning = source.fill_buf().map_err(|error| self.unreadable(error))?;
        let (encoding, mark) = Encoding::of_beginning(beginning);
        if encoding == Encoding::Binary {
            return Ok(self.binary(path, size, beginning));
        }
        source.consume(mark);
        let (taken, encoding) = if encoding == Encoding::Utf8 {
            (self.take(&mut source, size <= COUNTED_BYTES)?, encoding)
        } else {
            (self.take_utf16(source, encoding, size)?, encoding)
        };
        self.check_not_past_the_end(&taken)?;
        Ok(self.finish(path, size, taken, encoding))
    }

    fn take(&self, source: &mut impl BufRead, count_all: bool) -> Result<Taken, ToolError> {
        let bounds = Bounds {
            lines: self.limits.max_lines.min(MAX_LINES),
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

    fn finish(&self, path: String, size: u64, taken: Taken, encoding: Encoding) -> ReadFileOutput {
        let (mut content, is_utf8) = from_utf8(taken.bytes, taken.cut);
        let encoding = if is_utf8 { encoding } else { Encoding::Unknown };
        if !is_utf8 {
            self.cx
                .warn("The file is not UTF-8; what could not be read is shown as �.");
        }
        let shortened = shorten(&mut content, self.max_chars);
        // Counted before the last line break goes: an empty line at the end is a line too.
        let lines_returned = content.lines().count();
        if shortened || taken.cut {
            self.warn_of_cut(&content, shortened);
        } else if self.range.has_end() {
            strip_line_break(&mut content);
        }
        if size == 0 {
            self.cx.warn("The file is empty.");
        }
        ReadFileOutput {
            path,
            size,
            total_lines: taken.total,
            lines_returned,
            file_size_bytes: size,
            truncated: taken.cut || shortened,
            encoding,
            content,
        }
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
                format!("Only the first {characters} characters are shown; go on at line {next}.")
            }
            (false, 0) => format!(
                "Line {next} is longer than one call may return; only its beginning is shown."
            ),
            (false, _) => {
                format!("The file is longer than one call may return; go on at line {next}.")
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
