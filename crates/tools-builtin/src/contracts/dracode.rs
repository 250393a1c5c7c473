//! The tools of a coding agent that reads plain text: `list_files`, `read_file`, `write_file`, `search_code` and
//! `run_command`.

#[cfg(feature = "shell")]
mod run_command;
#[cfg(test)]
#[cfg(all(feature = "search", feature = "shell"))]
mod tests;

#[cfg(feature = "search")]
use serde_json::json;
use tool_core::{Arguments, Contract, ErrorCode, Presentation, PresentationError, ToolError};

use super::words::{NO_LIMIT, documented, path_written, says, says_after, text, with_default};
use crate::Kit;
use crate::files::{ListFilesOutput, ReadFileOutput, WriteFileOutput, lines_of};
#[cfg(feature = "search")]
use crate::search::SearchCodeOutput;
#[cfg(feature = "search")]
use crate::workspace::on_one_line;

/// Entries and matches that are given at most.
const LIMIT: usize = 1000;

/// Files that are no text by their names.
#[cfg(feature = "search")]
const BINARY: [&str; 7] = [".png", ".jpg", ".jpeg", ".gif", ".bmp", ".pdf", ".zip"];

/// The contract set `dracode`: plain text out, errors as sentences, unknown parameters ignored.
///
/// Listings show hidden and ignored files.
///
/// # Errors
/// [`PresentationError`] never comes for this crate's own engines; a test builds every contract.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::{Kit, Workspace, contracts};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new();
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().contract(&contracts::dracode(&kit)?)?.build();
///
/// let result = registry.execute("read_file", json!({"file_path": "Program.cs"})).await;
/// assert_eq!(result.text(), "Error reading file: Could not find file 'Program.cs'");
/// # Ok(()) }
/// ```
pub fn dracode(kit: &Kit) -> Result<Contract, PresentationError> {
    let root = kit.workspace().display_name();
    let contract = Contract::named("dracode")
        .tool(&kit.list_files, list_files(&root))?
        .tool(&kit.read_file, read_file(&root))?
        .tool(&kit.write_file, write_file(&root))?;
    #[cfg(feature = "search")]
    let contract = contract.tool(&kit.search_code, search_code(&root))?;
    #[cfg(feature = "shell")]
    let contract =
        contract.tool_as::<run_command::Shape, _>(&kit.run_command, run_command::show())?;
    Ok(contract)
}

fn list_files(root: &str) -> Presentation<ListFilesOutput> {
    let description = "List files in a directory with optional recursive search.";
    let path = "Optional path relative to workspace root to list files from";
    documented("list_files", description)
        .only(["path", "recursive"])
        .rename("path", "directory")
        .schema("path", text(path))
        .schema(
            "recursive",
            with_default("boolean", "List files recursively", false),
        )
        .pin("limit", LIMIT)
        .pin("hidden", true)
        .pin("ignored", true)
        .render(listed)
        .map_error(in_directory(root, "Error listing files: "))
}

/// One path a line. Nothing gives more of one directory than there is room for.
fn listed(output: &ListFilesOutput, arguments: &Arguments<'_>) -> String {
    let recursive = arguments
        .get("recursive")
        .and_then(tool_core::Node::as_bool);
    let mut lines = lines_of(output);
    if output.truncated {
        lines.push(match recursive {
            Some(true) => "[… more files; list a subdirectory]".into(),
            _ => {
                "[… more files in this directory than a list may have; these are the first by name]"
                    .into()
            }
        });
    }
    lines.join("\n")
}

fn read_file(root: &str) -> Presentation<ReadFileOutput> {
    let access_denied = file_access_denied(root);
    documented("read_file", "Read the contents of a file in the workspace.")
        .only(["path"])
        .rename("path", "file_path")
        .schema("path", text("Path to the file relative to workspace root"))
        .pin("decoding", "lossy")
        .pin("max_lines", NO_LIMIT)
        .map_error(move |error, arguments| match error.code() {
            ErrorCode::PathOutsideWorkspace => says(error, access_denied.as_str()),
            ErrorCode::FileNotFound => {
                let path = path_written(arguments);
                says(
                    error,
                    format!("Error reading file: Could not find file '{path}'"),
                )
            }
            _ => says_after(error, "Error reading file: "),
        })
}

fn write_file(root: &str) -> Presentation<WriteFileOutput> {
    let access_denied = file_access_denied(root);
    let create_directories = "Create directories if they do not exist";
    documented(
        "write_file",
        "Create or overwrite a file with text content.",
    )
    .only(["path", "content", "create_directories"])
    .rename("path", "file_path")
    .schema("path", text("Path to the file relative to workspace root"))
    .schema("content", text("Text content to write to the file"))
    .schema(
        "create_directories",
        with_default("boolean", create_directories, true),
    )
    .pin("mode", "overwrite")
    .render(|_, _| "OK".to_owned())
    .map_error(move |error, arguments| match error.code() {
        ErrorCode::PathOutsideWorkspace => says(error, access_denied.as_str()),
        ErrorCode::FileNotFound => {
            let folder = folder_of(path_written(arguments));
            says(error, format!("Error: Directory does not exist: {folder}"))
        }
        _ => says_after(error, "Error writing file: "),
    })
}

#[cfg(feature = "search")]
fn search_code(root: &str) -> Presentation<SearchCodeOutput> {
    let path = "Optional subdirectory relative to workspace root to search in";
    let pattern = "Optional file glob pattern (e.g., *.cs)";
    let description = "Search for text or regex patterns in files with line numbers.";
    documented("search_code", description)
        .only([
            "query",
            "path",
            "pattern",
            "recursive",
            "regex",
            "case_sensitive",
        ])
        .rename("path", "directory")
        .schema("query", text("Text or regex to search for"))
        .schema("path", text(path))
        .schema("pattern", with_default("string", pattern, "*"))
        .schema(
            "recursive",
            with_default("boolean", "Search recursively", true),
        )
        .schema(
            "regex",
            with_default("boolean", "Treat query as regular expression", false),
        )
        .schema(
            "case_sensitive",
            with_default("boolean", "Case sensitive search", false),
        )
        .pin("limit", LIMIT)
        .pin("skip_endings", json!(BINARY))
        .render(|output: &SearchCodeOutput, _| {
            let lines: Vec<String> = output
                .matches
                .iter()
                .map(|found| {
                    let path = on_one_line(&found.path);
                    format!("{path}:{}: {}", found.line, found.text)
                })
                .collect();
            cut_mark(lines, output.truncated).join("\n")
        })
        .map_error(in_directory(root, "Error searching code: "))
}

#[cfg(feature = "search")]
fn cut_mark(mut lines: Vec<String>, truncated: bool) -> Vec<String> {
    if truncated {
        let count = lines.len();
        lines.push(format!(
            "[… stopped after {count} matches; there may be more: narrow `directory` or `pattern`]"
        ));
    }
    lines
}

/// The words about a folder that cannot be looked into.
fn in_directory(
    root: &str,
    otherwise: &'static str,
) -> impl Fn(ToolError, &Arguments<'_>) -> ToolError + Send + Sync + 'static {
    let access_denied = format!("Error: Access denied. Directory must be in {root}");
    move |error, arguments| match error.code() {
        ErrorCode::PathOutsideWorkspace => says(error, access_denied.as_str()),
        ErrorCode::FileNotFound | ErrorCode::NotADirectory => {
            let path = path_written(arguments);
            says(error, format!("Error: Directory not found: {path}"))
        }
        _ => says_after(error, otherwise),
    }
}

fn file_access_denied(root: &str) -> String {
    format!("Error: Access denied. File must be in {root}")
}

/// The folder that a file would be in.
fn folder_of(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    }
}
