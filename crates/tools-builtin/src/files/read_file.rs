//! Tool that reads text files, in full or by line range.

#[cfg(test)]
mod tests;

use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::encoding::Decoding;
use super::lines::LineRange;
use super::reading::{ReadFileInput, ReadFileOutput, ReadRequest, warn_of_change};
use crate::blocking::blocking;
use crate::workspace::{File, Workspace};

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
}

impl ReadFile {
    /// Creates a tool that reads only inside `workspace`.
    #[must_use]
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            looks_up: false,
            is_lossy: false,
        }
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
                cx,
            };
            let mut file = tool.open(&input.path)?;
            if let Some(allowed) = input.extensions {
                check_extension(&input.path, allowed)?;
            }
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

/// Rejects a file whose extension and name are not allowed.
fn check_extension(path: &str, allowed: &str) -> Result<(), ToolError> {
    let path = path.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    let name = name.trim_start_matches('.').to_lowercase();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let is_listed = |known: &str| known == name || Some(known) == extension;
    if allowed.split(' ').any(is_listed) {
        return Ok(());
    }
    let sentence = match extension {
        Some(extension) => format!("has the extension `.{extension}`, which is not allowed"),
        None => "has neither an extension nor a name that is allowed".to_owned(),
    };
    Err(
        ToolError::invalid_arguments("path", sentence).suggest(format!(
            "Use a file with one of these extensions or names: {}.",
            allowed.replace(' ', ", ")
        )),
    )
}
