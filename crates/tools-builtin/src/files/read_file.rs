//! Tool that reads text files, in full or by line range.

#[cfg(test)]
mod tests;

use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::encoding::Decoding;
use super::lines::LineRange;
use super::reading::{ReadFileInput, ReadFileOutput, ReadRequest, warn_of_change};
use crate::blocking::blocking;
use crate::workspace::{File, Workspace};

const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Reads files in a workspace.
///
/// With the feature `office`, Word, PowerPoint and Excel documents are read as text: lines, ranges
/// and limits refer to the text, sizes to the file. Documents are recognized by content, not by
/// name. Searches do not cover them. The decodings `Lossy` and `Utf8Only` read their bytes.
#[derive(Debug, Clone)]
pub(crate) struct ReadFile {
    pub(crate) workspace: Workspace,
    looks_up: bool,
    is_lossy: bool,
    max_bytes: usize,
}

impl ReadFile {
    /// Creates a tool that reads only inside `workspace`.
    #[must_use]
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            looks_up: false,
            is_lossy: false,
            max_bytes: MAX_BYTES,
        }
    }

    /// Sets the maximum bytes of text of a call. The default is 10 MiB.
    pub(crate) fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Reads every file as UTF-8, with a marker for invalid bytes.
    pub(crate) fn with_lossy_decoding(mut self) -> Self {
        self.is_lossy = true;
        self
    }

    /// Searches for missing files in the directories above the first root, like
    /// [`Workspace::look_up_file`]: up to the root of the repository, within the granted roots.
    #[must_use]
    pub(crate) fn with_look_up(mut self) -> Self {
        self.looks_up = true;
        self
    }

    /// Also grants the repository around the first root, for reading, unless it is the home
    /// directory.
    pub(crate) fn with_repository_root(mut self) -> Self {
        let home = std::env::home_dir();
        self.workspace = self.workspace.with_repository_root(home.as_deref());
        self
    }

    fn open(&self, path: &str) -> Result<File, ToolError> {
        if self.looks_up {
            self.workspace.look_up_file("path", path)
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
        mut input: Self::Input,
    ) -> Result<Self::Output, ToolError> {
        if self.is_lossy {
            input.decoding = Decoding::Lossy;
        }
        let range = LineRange::parse(input.start_line, input.end_line)?;
        let tool = self.clone();
        blocking(cx, move |cx| {
            let reading = ReadRequest {
                range,
                input: &input,
                max_bytes: tool.max_bytes,
                cx,
            };
            let mut file = tool.open(&input.path)?;
            Self::check_extension(&input)?;
            let (path, size) = (file.path().to_owned(), file.len());
            let output = reading.read_from(path, size, &mut file)?;
            warn_of_change(cx, &file);
            Ok(output)
        })
        .await
    }

    fn render(output: &ReadFileOutput) -> String {
        output.content.clone()
    }
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
