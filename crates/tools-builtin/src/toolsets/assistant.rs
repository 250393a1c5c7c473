//! Toolset of a personal assistant: its tools for files, the shell and the web.

#[cfg(test)]
mod tests;
#[cfg(feature = "web")]
mod web;

use std::num::NonZeroUsize;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ToolError, Toolset, ToolsetError};

use super::document::{documented, untruncated};
use super::names::Names;
use super::wording::Wording;
use crate::Kit;
use crate::files::{AppendFile, ReadFile, ReadFileInput, WriteFile, WriteFileInput};
use crate::shell::{Bash, BashInput};
use crate::workspace::WriteMode;

/// Returns the `assistant` toolset: tools for files, the shell and the web, and `web_search` if the
/// kit has a search provider.
///
/// `read_file` also searches for a relative path in the directories above the first root, up to the
/// repository root. The toolset grants it read access to the repository, unless the repository is
/// the home directory or [`Kit::without_repository_root`] is set; the error for a missing file then
/// states the reason. The other tools use paths unchanged.
///
/// # Errors
/// Returns [`ToolsetError`] if two tools have one name. Tests build the toolset
/// with every feature.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::{Kit, Workspace, toolsets};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new();
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().toolset(&toolsets::assistant(&kit)?)?.build();
///
/// let note = json!({"path": "notes/today.md", "content": "Call the bank.\n"});
/// assert!(registry.execute("write_file", note).await.success);
/// assert_eq!(scratch.read("notes/today.md"), "Call the bank.\n");
/// # Ok(()) }
/// ```
pub fn assistant(kit: &Kit) -> Result<Toolset, ToolsetError> {
    let mut above = ReadFile::new(kit.workspace().clone()).with_look_up();
    if !kit.keeps_to_roots {
        above = above.with_repository_root();
    }
    let bash = Arc::clone(&kit.shell.bash);
    let write = WriteFile(kit.workspace().clone());
    let append = AppendFile(kit.workspace().clone());
    let toolset = Toolset::named("assistant")
        .with_tool(documented::<RunCommandLine, _>("bash", BASH, bash))?
        .with_tool(documented::<ReadWholeFile, _>(
            "read_file",
            READ_FILE,
            above,
        ))?
        .with_tool(documented::<WriteWholeFile, _>(
            "write_file",
            WRITE_FILE,
            write,
        ))?
        .with_tool(untruncated("append_file", APPEND_FILE, append))?;
    #[cfg(feature = "web")]
    let toolset = web::with_tools(toolset, &kit.web)?;
    Ok(toolset)
}

const BASH: &str = "Execute a shell command. Times out after 30 seconds.";
#[cfg(feature = "office")]
const READ_FILE: &str = "Read text files and .docx documents. Resolves relative paths by walking up to the repo root, then falling back to the working directory.";
#[cfg(not(feature = "office"))]
const READ_FILE: &str = "Read text files. Resolves relative paths by walking up to the repo root, then falling back to the working directory.";
const WRITE_FILE: &str = "Write content to a file, creating parent directories as needed.";
const APPEND_FILE: &str = "Append content to an existing file. The file must already exist; use write_file to create it first.";

#[derive(Debug, Deserialize, JsonSchema)]
struct RunCommandLine {
    /// Shell command to execute
    command: String,
}

impl Wording<Bash> for RunCommandLine {
    const NAMES: Names = Names::of(&[]).hiding(&[
        "timeout_seconds",
        "working_directory",
        "background",
        "needs",
        "read_stored_output",
        "reason",
    ]);

    fn request(&self) -> Result<BashInput, ToolError> {
        Ok(BashInput::of(self.command.clone()))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ReadWholeFile {
    /// Path of the file
    path: String,
}

impl Wording<ReadFile> for ReadWholeFile {
    const NAMES: Names = Names::of(&[]).hiding(&["start_line", "end_line"]);

    fn request(&self) -> Result<ReadFileInput, ToolError> {
        Ok(ReadFileInput {
            max_lines: NonZeroUsize::MAX,
            ..ReadFileInput::of(self.path.clone())
        })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct WriteWholeFile {
    /// Path of the file
    path: String,
    /// Content to write
    content: String,
}

impl Wording<WriteFile> for WriteWholeFile {
    fn request(&self) -> Result<WriteFileInput, ToolError> {
        Ok(WriteFileInput {
            path: self.path.clone(),
            content: self.content.clone(),
            create_directories: true,
            mode: WriteMode::Overwrite,
        })
    }
}
