//! Tool that reads text files, in full or by line range.

#[cfg(feature = "office")]
mod extracted;
mod reading;

#[cfg(test)]
mod tests;

use std::io;
use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, CancellationToken, RiskLevel, ToolContext, ToolError, TypedTool};

use super::defaults;
use super::encoding::{Decoding, Encoding};
use super::lines::LineRange;
use crate::blocking::blocking;
use crate::workspace::{File, Workspace};
use reading::MAX_BYTES;
pub(super) use reading::ReadRequest;

/// File to read, and the part to return.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ReadFileInput {
    /// Path of the file, relative to the workspace root.
    pub(crate) path: String,
    /// First line to return, counted from 1. Omit to start at the first line.
    #[serde(default)]
    pub(crate) start_line: Option<NonZeroUsize>,
    /// Last line to return, inclusive. Omit to read to the end.
    #[serde(default)]
    pub(crate) end_line: Option<NonZeroUsize>,
    /// Maximum characters to return. Omit for the tool's own limit.
    #[serde(default)]
    pub(crate) max_chars: Option<NonZeroUsize>,
    /// Maximum lines to return.
    #[serde(default = "defaults::lines")]
    pub(crate) max_lines: NonZeroUsize,
    /// Whether to count the lines of files over 1 MB as well, which reads them to the end.
    #[serde(default)]
    pub(crate) count_lines: bool,
    /// Handling of bytes that are not UTF-8.
    #[serde(default)]
    pub(crate) decoding: Decoding,
    /// Maximum size of the file in bytes; larger files are rejected. Omit to read as much as possible of any file.
    #[serde(default)]
    pub(crate) max_file_bytes: Option<u64>,
    /// Extensions of files that may be read, such as `rs` or `txt`, or full names such as `Makefile`. Omit to allow all files.
    #[serde(default)]
    pub(crate) extensions: Option<Vec<String>>,
}

impl ReadFileInput {
    /// Creates the input for an entire file, with the default options.
    pub(crate) fn of(path: String) -> Self {
        Self {
            path,
            start_line: None,
            end_line: None,
            max_chars: None,
            max_lines: defaults::lines(),
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
    /// Encoding of the file.
    pub(crate) encoding: Encoding,
}

/// Reads files in a workspace.
///
/// With the feature `office`, Word, PowerPoint and Excel documents are read as text: lines, ranges
/// and limits refer to the text, sizes to the file. Documents are recognized by content, not by
/// name. Searches do not cover them. [`Decoding::Lossy`] and [`Decoding::Utf8Only`] read their
/// bytes.
#[derive(Debug, Clone)]
pub(crate) struct ReadFile {
    workspace: Workspace,
    looks_up: bool,
    max_bytes: usize,
}

impl ReadFile {
    /// Creates a tool that reads only inside `workspace`.
    #[must_use]
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            looks_up: false,
            max_bytes: MAX_BYTES,
        }
    }

    /// Sets the maximum bytes of text of a call. The default is 10 MiB.
    #[cfg(feature = "document-sets")]
    pub(crate) fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Folds `..` in paths lexically, so that the directory before it may be missing.
    #[cfg(feature = "document-sets")]
    pub(crate) fn with_folded_paths(mut self) -> Self {
        self.workspace = self.workspace.folding_parents();
        self
    }

    /// Searches for missing files in the directories above the first root, like
    /// [`Workspace::look_up_file`]: up to the root of the repository, within the granted roots.
    #[cfg(feature = "document-sets")]
    #[must_use]
    pub(crate) fn with_look_up(mut self) -> Self {
        self.looks_up = true;
        self
    }

    /// Also grants the repository around the first root, for reading, unless it is the home
    /// directory.
    #[cfg(feature = "document-sets")]
    pub(crate) fn with_repository_root(mut self) -> Self {
        let home = std::env::home_dir();
        self.workspace = self.workspace.with_repository_root(home.as_deref());
        self
    }

    fn open(&self, path: &str) -> Result<File, ToolError> {
        if self.looks_up {
            self.workspace.look_up_file("path", path, ".")
        } else {
            self.workspace.existing_file("path", path)
        }
    }

    /// Rejects names that the toolset does not allow.
    fn check_extension(input: &ReadFileInput) -> Result<(), ToolError> {
        let allowed = input.extensions.as_ref().map(Extensions::new);
        allowed.map_or(Ok(()), |allowed| allowed.check("path", &input.path))
    }
}

impl TypedTool for ReadFile {
    type Input = ReadFileInput;
    type Output = ReadFileOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &ReadFileInput) -> Result<CallPlan, ToolError> {
        LineRange::parse(input.start_line, input.end_line)?;
        Ok(self.workspace.plan_of_read("path", &input.path))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadFileInput,
    ) -> Result<ReadFileOutput, ToolError> {
        let range = LineRange::parse(input.start_line, input.end_line)?;
        let (tool, context) = (self.clone(), cx.clone());
        blocking(cx, move |cancellation| {
            let reading = ReadRequest {
                range,
                input: &input,
                max_chars: input.max_chars.map_or(usize::MAX, NonZeroUsize::get),
                max_bytes: tool.max_bytes,
                cx: &context,
                cancellation,
            };
            let file = tool.open(&input.path)?;
            Self::check_extension(&input)?;
            reading.read(file)
        })
        .await
    }

    fn render(output: &ReadFileOutput) -> String {
        output.content.clone()
    }
}

/// Returns the error of a failed read, or of a cancelled call.
pub(super) fn unreadable(error: io::Error, cancellation: &CancellationToken) -> ToolError {
    if cancellation.is_cancelled() {
        return ToolError::cancelled();
    }
    ToolError::failed("The file cannot be read")
        .suggest("Try again, or choose another file.")
        .caused_by(error)
}

/// Maximum number of names in an error; lists for all kinds of text are shorter.
const MAX_LISTED: usize = 200;

/// Allowed file extensions and full names, in lowercase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Extensions(Vec<String>);

impl Extensions {
    pub(super) fn new<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Self {
        let folded = names
            .into_iter()
            .map(|name| name.as_ref().trim_start_matches('.').to_lowercase());
        Self(folded.collect())
    }

    /// Returns an error for `parameter` if neither the extension nor the name of `path` is allowed.
    pub(super) fn check(&self, parameter: &str, path: &str) -> Result<(), ToolError> {
        let path = path.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or_default();
        let name = name.trim_start_matches('.').to_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let is_listed = |known: &String| *known == name || Some(known.as_str()) == extension;
        if self.0.iter().any(is_listed) {
            return Ok(());
        }
        let sentence = match extension {
            Some(extension) => format!("has the extension `.{extension}`, which is not allowed"),
            None => "has neither an extension nor a name that is allowed".to_owned(),
        };
        Err(ToolError::invalid_arguments(parameter, sentence).suggest(self.suggestion()))
    }

    fn suggestion(&self) -> String {
        let listed: Vec<&str> = self.0.iter().take(MAX_LISTED).map(String::as_str).collect();
        let more = match self.0.len().saturating_sub(listed.len()) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        match listed.as_slice() {
            [] => "No files may be read.".to_owned(),
            _ => format!(
                "Use a file with one of these extensions or names: {}{more}.",
                listed.join(", ")
            ),
        }
    }
}
