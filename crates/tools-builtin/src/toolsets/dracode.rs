//! Toolset of a coding agent that reads plain text: `list_files`, `read_file`, `write_file`,
//! `search_code` and `run_command`.

mod run_command;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::approval::Preview;
use tool_core::{
    CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, Toolset, ToolsetError, TypedTool,
};

use self::run_command::RunProgram;
use super::document::{Shown, documented_tool, reword, reword_prefixed};
use super::names::Names;
use crate::Kit;
use crate::files::{
    Decoding, ListFiles, ListFilesInput, ListFilesOutput, ReadFile, ReadFileInput, ReadFileOutput,
    WriteFile, WriteFileInput, WriteFileOutput, defaults, lines_of,
};
use crate::search::{SearchCode, SearchCodeInput, SearchCodeOutput};
use crate::workspace::{WriteMode, on_one_line};

/// Maximum number of entries and matches.
const LIMIT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(999);

/// Extensions of binary files.
const BINARY: [&str; 7] = [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".pdf", ".zip"];

/// Returns the `dracode` toolset: plain-text outputs and errors as sentences. Unknown parameters
/// are ignored.
///
/// Listings include hidden and ignored files; recursive ones omit `.git`. `..` in a path is folded
/// lexically, so that the directory before it may be missing. Commands have no maximum timeout unless
/// the host sets one. A call without a required parameter fails even if its schema has a default, also
/// for tools that are added to the toolset.
///
/// # Errors
/// Returns [`ToolsetError`] if two tools have one name. Tests build the toolset.
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
/// let registry = Registry::builder().toolset(&toolsets::dracode(&kit)?)?.build();
///
/// let result = registry.execute("read_file", json!({"file_path": "Program.cs"})).await;
/// assert_eq!(result.text(), "Error reading file: Could not find file 'Program.cs'");
/// # Ok(()) }
/// ```
pub fn dracode(kit: &Kit) -> Result<Toolset, ToolsetError> {
    let root = kit.workspace().display_name();
    let list = ListDirectory {
        files: ListFiles::new(kit.workspace().clone()).with_folded_paths(),
        root: root.clone(),
    };
    let read = ReadText {
        files: ReadFile::new(kit.workspace().clone()).with_folded_paths(),
        root: root.clone(),
    };
    let write = WriteText {
        files: WriteFile::new(kit.workspace().clone()).with_folded_paths(),
        root: root.clone(),
    };
    let search = SearchText {
        files: SearchCode::clone(&kit.search_code).with_folded_paths(),
        root,
    };
    let run = RunProgram::new(&kit.shell.run_command);
    Toolset::named("dracode")
        .without_required_defaults()
        .with_tool(documented_tool("list_files", LIST_FILES, list))?
        .with_tool(documented_tool("read_file", READ_FILE, read))?
        .with_tool(documented_tool("write_file", WRITE_FILE, write))?
        .with_tool(documented_tool("search_code", SEARCH_CODE, search))?
        .with_tool(documented_tool(
            "run_command",
            run_command::DESCRIPTION,
            run,
        ))
}

const LIST_FILES: &str = "List files in a directory with optional recursive search.";
const READ_FILE: &str = "Read the contents of a file in the workspace.";
const WRITE_FILE: &str = "Create or overwrite a file with text content.";
const SEARCH_CODE: &str = "Search for text or regex patterns in files with line numbers.";

struct ListDirectory {
    files: ListFiles,
    root: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ListDirectoryInput {
    /// Optional path relative to workspace root to list files from
    directory: Option<String>,
    /// List files recursively
    #[serde(default)]
    recursive: bool,
}

impl ListDirectoryInput {
    const NAMES: Names = Names::of(&[("path", "directory")]);

    fn request(&self) -> ListFilesInput {
        ListFilesInput {
            path: self.directory.clone().unwrap_or_else(defaults::root),
            pattern: None,
            recursive: self.recursive,
            limit: LIMIT,
            hidden: true,
            ignored: true,
            skip_git: true,
        }
    }
}

impl ListDirectory {
    fn error(&self, error: ToolError, input: &ListDirectoryInput) -> ToolError {
        let directory = input.directory.as_deref();
        directory_error(error, &self.root, directory, "Error listing files: ")
    }
}

impl TypedTool for ListDirectory {
    type Input = ListDirectoryInput;
    type Output = Shown<ListFilesOutput>;

    const RISK: RiskLevel = ListFiles::RISK;

    fn plan(&self, cx: &ToolContext, input: &ListDirectoryInput) -> Result<CallPlan, ToolError> {
        let plan = self.files.plan(cx, &input.request());
        ListDirectoryInput::NAMES
            .plan(plan)
            .map_err(|error| self.error(error, input))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListDirectoryInput,
    ) -> Result<Shown<ListFilesOutput>, ToolError> {
        let run = self.files.run(cx, input.request());
        let output = ListDirectoryInput::NAMES
            .run(cx, run)
            .await
            .map_err(|error| self.error(error, &input))?;
        let text = file_lines(&output, input.recursive);
        Ok(Shown::new(output, text))
    }

    fn render(output: &Shown<ListFilesOutput>) -> String {
        output.text()
    }
}

/// Lists one path per line, followed by a marker if the listing is truncated.
fn file_lines(output: &ListFilesOutput, is_recursive: bool) -> String {
    let mut lines = lines_of(output);
    if output.truncated {
        lines.push(if is_recursive {
            "[… more files; list a subdirectory]".into()
        } else {
            "[… more files in this directory; only the first by name are listed]".into()
        });
    }
    lines.join("\n")
}

struct ReadText {
    files: ReadFile,
    root: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ReadTextInput {
    /// Path to the file relative to workspace root
    file_path: String,
}

impl ReadTextInput {
    const NAMES: Names = Names::of(&[("path", "file_path")]).hiding(&["start_line"]);

    fn request(&self) -> ReadFileInput {
        ReadFileInput {
            max_lines: NonZeroUsize::MAX,
            decoding: Decoding::Lossy,
            ..ReadFileInput::of(self.file_path.clone())
        }
    }
}

impl ReadText {
    fn error(&self, error: ToolError, input: &ReadTextInput) -> ToolError {
        let sentence = match error.code() {
            ErrorCode::PathOutsideWorkspace => file_outside(&self.root),
            ErrorCode::FileNotFound => {
                let path = or_root(&input.file_path);
                format!("Error reading file: Could not find file '{path}'")
            }
            _ => return reword_prefixed(error, "Error reading file: "),
        };
        reword(error, sentence)
    }
}

impl TypedTool for ReadText {
    type Input = ReadTextInput;
    type Output = ReadFileOutput;

    const RISK: RiskLevel = ReadFile::RISK;

    fn plan(&self, cx: &ToolContext, input: &ReadTextInput) -> Result<CallPlan, ToolError> {
        let plan = self.files.plan(cx, &input.request());
        ReadTextInput::NAMES
            .plan(plan)
            .map_err(|error| self.error(error, input))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ReadTextInput,
    ) -> Result<ReadFileOutput, ToolError> {
        let run = self.files.run(cx, input.request());
        ReadTextInput::NAMES
            .run(cx, run)
            .await
            .map_err(|error| self.error(error, &input))
    }

    fn render(output: &ReadFileOutput) -> String {
        ReadFile::render(output)
    }
}

struct WriteText {
    files: WriteFile,
    root: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct WriteTextInput {
    /// Path to the file relative to workspace root
    file_path: String,
    /// Text content to write to the file
    content: String,
    /// Create directories if they do not exist
    #[serde(default = "defaults::yes")]
    create_directories: bool,
}

impl WriteTextInput {
    const NAMES: Names = Names::of(&[("path", "file_path")]);

    fn request(&self) -> WriteFileInput {
        WriteFileInput {
            path: self.file_path.clone(),
            content: self.content.clone(),
            create_directories: self.create_directories,
            mode: WriteMode::Overwrite,
        }
    }
}

impl WriteText {
    fn error(&self, error: ToolError, input: &WriteTextInput) -> ToolError {
        let sentence = match error.code() {
            ErrorCode::PathOutsideWorkspace => file_outside(&self.root),
            ErrorCode::FileNotFound => {
                let parent = parent_of(or_root(&input.file_path));
                format!("Error: Directory does not exist: {parent}")
            }
            _ => return reword_prefixed(error, "Error writing file: "),
        };
        reword(error, sentence)
    }
}

impl TypedTool for WriteText {
    type Input = WriteTextInput;
    type Output = WriteFileOutput;

    const RISK: RiskLevel = WriteFile::RISK;

    fn plan(&self, cx: &ToolContext, input: &WriteTextInput) -> Result<CallPlan, ToolError> {
        let plan = self.files.plan(cx, &input.request());
        WriteTextInput::NAMES
            .plan(plan)
            .map_err(|error| self.error(error, input))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &WriteTextInput,
    ) -> Result<Option<Preview>, ToolError> {
        self.files.inspect(cx, &input.request()).await
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: WriteTextInput,
    ) -> Result<WriteFileOutput, ToolError> {
        let run = self.files.run(cx, input.request());
        WriteTextInput::NAMES
            .run(cx, run)
            .await
            .map_err(|error| self.error(error, &input))
    }

    fn render(_output: &WriteFileOutput) -> String {
        "OK".to_owned()
    }
}

/// Returns the parent directory of a file.
fn parent_of(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((parent, _)) => parent,
        None => ".",
    }
}

struct SearchText {
    files: SearchCode,
    root: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct SearchTextInput {
    /// Text or regex to search for
    query: String,
    /// Optional subdirectory relative to workspace root to search in
    directory: Option<String>,
    /// Optional file glob pattern (e.g., *.cs)
    #[serde(default = "every_file")]
    pattern: String,
    /// Search recursively
    #[serde(default = "defaults::yes")]
    recursive: bool,
    /// Treat query as regular expression
    #[serde(default)]
    regex: bool,
    /// Case sensitive search
    #[serde(default)]
    case_sensitive: bool,
}

fn every_file() -> String {
    "*".to_owned()
}

impl SearchTextInput {
    const NAMES: Names =
        Names::of(&[("path", "directory")]).hiding(&["context_lines", "hidden", "ignored"]);

    fn request(&self) -> SearchCodeInput {
        SearchCodeInput {
            path: self.directory.clone().unwrap_or_else(defaults::root),
            pattern: self.pattern.clone(),
            recursive: self.recursive,
            regex: self.regex,
            case_sensitive: self.case_sensitive,
            limit: LIMIT.get(),
            skip_endings: BINARY.map(str::to_owned).to_vec(),
            ..SearchCodeInput::of(self.query.clone())
        }
    }
}

impl SearchText {
    fn error(&self, error: ToolError, input: &SearchTextInput) -> ToolError {
        let directory = input.directory.as_deref();
        directory_error(error, &self.root, directory, "Error searching code: ")
    }
}

impl TypedTool for SearchText {
    type Input = SearchTextInput;
    type Output = SearchCodeOutput;

    const RISK: RiskLevel = SearchCode::RISK;

    fn plan(&self, cx: &ToolContext, input: &SearchTextInput) -> Result<CallPlan, ToolError> {
        let plan = self.files.plan(cx, &input.request());
        SearchTextInput::NAMES
            .plan(plan)
            .map_err(|error| self.error(error, input))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: SearchTextInput,
    ) -> Result<SearchCodeOutput, ToolError> {
        let run = self.files.run(cx, input.request());
        SearchTextInput::NAMES
            .run(cx, run)
            .await
            .map_err(|error| self.error(error, &input))
    }

    fn render(output: &SearchCodeOutput) -> String {
        let matches = output.matches.iter();
        let mut lines: Vec<String> = matches
            .map(|found| {
                let path = on_one_line(&found.path);
                format!("{path}:{}: {}", found.line, found.text)
            })
            .collect();
        if output.truncated {
            let count = lines.len();
            lines.push(format!(
                "[… stopped after {count} matches; there may be more: narrow `directory` or `pattern`]"
            ));
        }
        lines.join("\n")
    }
}

/// Rewords the error of a tool that reads a directory. Errors that the source document does not word begin with `prefix`.
fn directory_error(
    error: ToolError,
    root: &str,
    directory: Option<&str>,
    prefix: &str,
) -> ToolError {
    let sentence = match error.code() {
        ErrorCode::PathOutsideWorkspace => {
            format!("Error: Access denied. Directory must be in {root}")
        }
        ErrorCode::FileNotFound | ErrorCode::NotADirectory => {
            let directory = or_root(directory.unwrap_or_default());
            format!("Error: Directory not found: {directory}")
        }
        _ => return reword_prefixed(error, prefix),
    };
    reword(error, sentence)
}

fn file_outside(root: &str) -> String {
    format!("Error: Access denied. File must be in {root}")
}

/// Returns a path as the sentences show it.
fn or_root(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}
