//! Reading text files, whole or by line range.

use std::num::NonZeroUsize;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Engine, Limits, RiskLevel, ToolContext, ToolError};

use self::reading::Reading;
use super::defaults;
use super::encoding::Encoding;
use super::extensions::Extensions;
use super::lines::LineRange;
use crate::blocking::blocking;
use crate::workspace::{File, Workspace};

#[cfg(feature = "docx")]
mod extracted;
#[cfg(not(feature = "docx"))]
#[path = "read_file/not_extracted.rs"]
mod extracted;
mod reading;

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
/// With the feature `docx` the text of documents of Word, PowerPoint and Excel is read as that of other files: lines, ranges
/// and limits are those of the text, sizes those of the file. Documents are known by what is in them, not by their names;
/// searches do not look into them. Where bytes are to be read as UTF-8 whatever they are ([`Decoding::Lossy`],
/// [`Decoding::Utf8Only`]), they are not taken apart.
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
    looks_up: bool,
}

impl ReadFile {
    /// Creates an engine that never reads outside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            extensions: None,
            looks_up: false,
        }
    }

    /// Looks for a file that is not there in the folders above the first root, as
    /// [`Workspace::look_up_file`] does: up to the repository's own, within the granted roots.
    #[must_use]
    pub fn with_look_up(self) -> Self {
        Self {
            looks_up: true,
            ..self
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

    fn open(&self, path: &str) -> Result<File, ToolError> {
        if self.looks_up {
            self.workspace.look_up_file("path", path, ".")
        } else {
            self.workspace.existing_file("path", path)
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
        LineRange::parse(input.start_line, input.end_line).map(drop)
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadFileInput,
        limits: &Limits,
    ) -> Result<ReadFileOutput, ToolError> {
        let range = LineRange::parse(input.start_line, input.end_line)?;
        let (engine, context, limits) = (self.clone(), cx.clone(), *limits);
        blocking(cx, move |cancellation| {
            let reading = Reading {
                range,
                input: &input,
                max_chars: input.max_chars.map_or(usize::MAX, NonZeroUsize::get),
                limits,
                cx: &context,
                cancellation,
            };
            let file = engine.open(&input.path)?;
            engine.check_extension(&input)?;
            reading.read(file)
        })
        .await
    }

    fn render(output: &ReadFileOutput) -> String {
        output.content.clone()
    }
}

#[cfg(test)]
mod tests;
