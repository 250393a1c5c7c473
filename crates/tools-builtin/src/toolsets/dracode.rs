//! Toolset of a coding agent that reads plain text: `list_files`, `read_file`, `write_file`,
//! `search_code` and `run_command`.

mod run_command;
#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{ErrorCode, ToolContext, ToolError, Toolset, ToolsetError};

use self::run_command::RunProgram;
use super::document::{documented, reword, reword_prefixed};
use super::names::Names;
use super::wording::Wording;
use crate::Kit;
use crate::files::{
    Decoding, ListFiles, ListFilesInput, ListFilesOutput, ReadFile, ReadFileInput, WriteFile,
    WriteFileInput, WriteFileOutput, defaults,
};
use crate::search::{SearchCode, SearchCodeInput, SearchCodeOutput};
use crate::shell::Bash;
use crate::workspace::{Workspace, WriteMode, on_one_line};

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
    let workspace = || kit.workspace().folding_parents();
    let list = ListFiles::new(workspace());
    let read = ReadFile::new(workspace());
    let write = WriteFile(workspace());
    let search = SearchCode::new(workspace());
    let run = Bash::clone(&kit.shell.bash).for_programs();
    Toolset::named("dracode")
        .without_required_defaults()
        .with_tool(documented::<ListDirectory, _>(
            "list_files",
            LIST_FILES,
            list,
        ))?
        .with_tool(documented::<ReadText, _>("read_file", READ_FILE, read))?
        .with_tool(documented::<WriteText, _>("write_file", WRITE_FILE, write))?
        .with_tool(documented::<SearchText, _>(
            "search_code",
            SEARCH_CODE,
            search,
        ))?
        .with_tool(documented::<RunProgram, _>("run_command", RUN_COMMAND, run))
}

const LIST_FILES: &str = "List files in a directory with optional recursive search.";
const READ_FILE: &str = "Read the contents of a file in the workspace.";
const WRITE_FILE: &str = "Create or overwrite a file with text content.";
const SEARCH_CODE: &str = "Search for text or regex patterns in files with line numbers.";
const RUN_COMMAND: &str = "Execute shell commands with timeout and output capture.";

#[derive(Debug, Deserialize, JsonSchema)]
struct ListDirectory {
    /// Optional path relative to workspace root to list files from
    directory: Option<String>,
    /// List files recursively
    #[serde(default)]
    recursive: bool,
}

impl Wording<ListFiles> for ListDirectory {
    const NAMES: Names = Names::of(&[("path", "directory")]);

    fn request(&self) -> Result<ListFilesInput, ToolError> {
        Ok(ListFilesInput {
            path: self.directory.clone().unwrap_or_else(defaults::root),
            pattern: None,
            recursive: self.recursive,
            limit: defaults::limit(),
            hidden: true,
            ignored: true,
            skip_git: true,
        })
    }

    fn reworded(&self, error: ToolError, files: &ListFiles) -> ToolError {
        let directory = self.directory.as_deref();
        directory_error(error, &files.workspace, directory, "Error listing files: ")
    }

    /// Lists one path per line, followed by a marker if the listing is truncated.
    fn text(&self, _cx: &ToolContext, output: &ListFilesOutput) -> Result<String, ToolError> {
        let paths = output.files.iter().map(|file| on_one_line(&file.path));
        let mut lines: Vec<_> = paths.collect();
        if output.truncated {
            lines.push(if self.recursive {
                "[… more files; list a subdirectory]".into()
            } else {
                "[… more files in this directory; only the first by name are listed]".into()
            });
        }
        Ok(lines.join("\n"))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct ReadText {
    /// Path to the file relative to workspace root
    file_path: String,
}

impl Wording<ReadFile> for ReadText {
    const NAMES: Names = Names::of(&[("path", "file_path")]).hiding(&["start_line"]);

    fn request(&self) -> Result<ReadFileInput, ToolError> {
        Ok(ReadFileInput {
            max_lines: NonZeroUsize::MAX,
            decoding: Decoding::Lossy,
            ..ReadFileInput::of(self.file_path.clone())
        })
    }

    fn reworded(&self, error: ToolError, files: &ReadFile) -> ToolError {
        let sentence = match error.code() {
            ErrorCode::PathOutsideWorkspace => file_outside(&files.workspace),
            ErrorCode::FileNotFound => {
                let path = or_root(&self.file_path);
                format!("Error reading file: Could not find file '{path}'")
            }
            _ => return reword_prefixed(error, "Error reading file: "),
        };
        reword(error, sentence)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct WriteText {
    /// Path to the file relative to workspace root
    file_path: String,
    /// Text content to write to the file
    content: String,
    /// Create directories if they do not exist
    #[serde(default = "defaults::yes")]
    create_directories: bool,
}

impl Wording<WriteFile> for WriteText {
    const NAMES: Names = Names::of(&[("path", "file_path")]);

    fn request(&self) -> Result<WriteFileInput, ToolError> {
        Ok(WriteFileInput {
            path: self.file_path.clone(),
            content: self.content.clone(),
            create_directories: self.create_directories,
            mode: WriteMode::Overwrite,
        })
    }

    fn reworded(&self, error: ToolError, files: &WriteFile) -> ToolError {
        let sentence = match error.code() {
            ErrorCode::PathOutsideWorkspace => file_outside(&files.0),
            ErrorCode::FileNotFound => {
                let parent = parent_of(or_root(&self.file_path));
                format!("Error: Directory does not exist: {parent}")
            }
            _ => return reword_prefixed(error, "Error writing file: "),
        };
        reword(error, sentence)
    }

    fn text(&self, _cx: &ToolContext, _output: &WriteFileOutput) -> Result<String, ToolError> {
        Ok("OK".to_owned())
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

#[derive(Debug, Deserialize, JsonSchema)]
struct SearchText {
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

impl Wording<SearchCode> for SearchText {
    const NAMES: Names = Names::of(&[("path", "directory")]).hiding(&["context_lines"]);

    fn request(&self) -> Result<SearchCodeInput, ToolError> {
        Ok(SearchCodeInput {
            path: self.directory.clone().unwrap_or_else(defaults::root),
            pattern: self.pattern.clone(),
            recursive: self.recursive,
            regex: self.regex,
            case_sensitive: self.case_sensitive,
            limit: defaults::limit().get(),
            skip_endings: BINARY.map(str::to_owned).to_vec(),
            ..SearchCodeInput::of(self.query.clone())
        })
    }

    fn reworded(&self, error: ToolError, files: &SearchCode) -> ToolError {
        let directory = self.directory.as_deref();
        directory_error(error, &files.workspace, directory, "Error searching code: ")
    }

    fn text(&self, _cx: &ToolContext, output: &SearchCodeOutput) -> Result<String, ToolError> {
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
        Ok(lines.join("\n"))
    }
}

/// Rewords the error of a tool that reads a directory. Errors that the source document does not word begin with `prefix`.
fn directory_error(
    error: ToolError,
    workspace: &Workspace,
    directory: Option<&str>,
    prefix: &str,
) -> ToolError {
    let sentence = match error.code() {
        ErrorCode::PathOutsideWorkspace => {
            let root = workspace.display_name();
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

fn file_outside(workspace: &Workspace) -> String {
    let root = workspace.display_name();
    format!("Error: Access denied. File must be in {root}")
}

/// Returns a path as the sentences show it.
fn or_root(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}
