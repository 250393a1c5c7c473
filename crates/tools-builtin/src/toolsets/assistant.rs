//! Toolset of a personal assistant: its tools for files, the shell and the web.

#[cfg(test)]
mod tests;
#[cfg(feature = "web")]
mod web;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::approval::Preview;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, Toolset, ToolsetError, TypedTool};

use super::document::documented_tool;
use super::names::Names;
use crate::Kit;
use crate::files::{
    AppendFile, AppendFileInput, AppendFileOutput, ReadFile, ReadFileInput, ReadFileOutput,
    WriteFile, WriteFileInput, WriteFileOutput,
};
use crate::shell::{Bash, BashInput, CommandOutput};
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
    let command = RunCommandLine(Arc::clone(&kit.shell.bash));
    let write = WriteWholeFile(WriteFile::new(kit.workspace().clone()));
    let append = AppendToFile(AppendFile::new(kit.workspace().clone()));
    let toolset = Toolset::named("assistant")
        .with_tool(documented_tool("bash", BASH, command))?
        .with_tool(documented_tool(
            "read_file",
            READ_FILE,
            ReadWholeFile(above),
        ))?
        .with_tool(documented_tool("write_file", WRITE_FILE, write))?
        .with_tool(documented_tool("append_file", APPEND_FILE, append))?;
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

struct RunCommandLine(Arc<Bash>);

#[derive(Debug, Deserialize, JsonSchema)]
struct RunCommandLineInput {
    /// Shell command to execute
    command: String,
}

/// The command line, which the plan and the run share, so that it is checked once.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(from = "RunCommandLineInput")]
struct CommandLine(BashInput);

impl From<RunCommandLineInput> for CommandLine {
    fn from(input: RunCommandLineInput) -> Self {
        Self(BashInput::of(input.command))
    }
}

impl RunCommandLine {
    const NAMES: Names = Names::of(&[]).hiding(&[
        "timeout_seconds",
        "working_directory",
        "background",
        "needs",
        "reason",
    ]);
}

impl TypedTool for RunCommandLine {
    type Input = CommandLine;
    type Output = CommandOutput;

    const RISK: RiskLevel = Bash::RISK;

    fn timeout(&self) -> Option<Duration> {
        self.0.timeout()
    }

    fn plan(&self, cx: &ToolContext, input: &CommandLine) -> Result<CallPlan, ToolError> {
        Self::NAMES.plan(self.0.plan(cx, &input.0))
    }

    async fn run(&self, cx: &ToolContext, input: CommandLine) -> Result<CommandOutput, ToolError> {
        Self::NAMES.run(cx, self.0.run(cx, input.0)).await
    }

    fn render(output: &CommandOutput) -> String {
        Bash::render(output)
    }
}

struct ReadWholeFile(ReadFile);

#[derive(Debug, Deserialize, JsonSchema)]
struct ReadWholeFileInput {
    /// Path of the file
    path: String,
}

impl ReadWholeFileInput {
    fn request(&self) -> ReadFileInput {
        ReadFileInput {
            max_lines: NonZeroUsize::MAX,
            ..ReadFileInput::of(self.path.clone())
        }
    }
}

impl ReadWholeFile {
    const NAMES: Names = Names::of(&[]).hiding(&["start_line", "end_line"]);
}

impl TypedTool for ReadWholeFile {
    type Input = ReadWholeFileInput;
    type Output = ReadFileOutput;

    const RISK: RiskLevel = ReadFile::RISK;

    fn plan(&self, cx: &ToolContext, input: &ReadWholeFileInput) -> Result<CallPlan, ToolError> {
        Self::NAMES.plan(self.0.plan(cx, &input.request()))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadWholeFileInput,
    ) -> Result<ReadFileOutput, ToolError> {
        let run = self.0.run(cx, input.request());
        Self::NAMES.run(cx, run).await
    }

    fn render(output: &ReadFileOutput) -> String {
        ReadFile::render(output)
    }
}

struct WriteWholeFile(WriteFile);

#[derive(Debug, Deserialize, JsonSchema)]
struct WriteWholeFileInput {
    /// Path of the file
    path: String,
    /// Content to write
    content: String,
}

impl WriteWholeFileInput {
    fn request(&self) -> WriteFileInput {
        WriteFileInput {
            path: self.path.clone(),
            content: self.content.clone(),
            create_directories: true,
            mode: WriteMode::Overwrite,
        }
    }
}

impl TypedTool for WriteWholeFile {
    type Input = WriteWholeFileInput;
    type Output = WriteFileOutput;

    const RISK: RiskLevel = WriteFile::RISK;

    fn plan(&self, cx: &ToolContext, input: &WriteWholeFileInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.request())
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &WriteWholeFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        self.0.inspect(cx, &input.request()).await
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: WriteWholeFileInput,
    ) -> Result<WriteFileOutput, ToolError> {
        self.0.run(cx, input.request()).await
    }

    fn render(output: &WriteFileOutput) -> String {
        WriteFile::render(output)
    }
}

struct AppendToFile(AppendFile);

#[derive(Debug, Deserialize, JsonSchema)]
struct AppendToFileInput {
    /// Path of the file
    path: String,
    /// Content to append
    content: String,
}

impl AppendToFileInput {
    fn request(&self) -> AppendFileInput {
        AppendFileInput {
            path: self.path.clone(),
            content: self.content.clone(),
        }
    }
}

impl TypedTool for AppendToFile {
    type Input = AppendToFileInput;
    type Output = AppendFileOutput;

    const RISK: RiskLevel = AppendFile::RISK;

    fn plan(&self, cx: &ToolContext, input: &AppendToFileInput) -> Result<CallPlan, ToolError> {
        self.0.plan(cx, &input.request())
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &AppendToFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        self.0.inspect(cx, &input.request()).await
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: AppendToFileInput,
    ) -> Result<AppendFileOutput, ToolError> {
        self.0.run(cx, input.request()).await
    }

    fn render(output: &AppendFileOutput) -> String {
        AppendFile::render(output)
    }
}
