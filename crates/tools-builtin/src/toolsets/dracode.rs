//! Toolset of a coding agent that reads plain text: `list_files`, `read_file`, `write_file`,
//! `search_code` and `run_command`.

mod run_command;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::json;
use tool_core::{
    Arguments, ErrorCode, JsonRef, Presentation, PresentationError, ToolError, Toolset,
};

use super::document::{
    NO_LIMIT, PresentationLists as _, documented, path_argument, reword, reword_prefixed, text,
    with_default,
};
use crate::Kit;
use crate::files::{
    ListFiles, ListFilesOutput, ReadFile, ReadFileOutput, WriteFile, WriteFileOutput, lines_of,
};
use crate::search::{SearchCode, SearchCodeOutput};
use crate::shell::RunCommand;
use crate::workspace::on_one_line;

/// Maximum number of entries and matches.
const LIMIT: usize = 1000;

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
/// Returns [`PresentationError`] if a presentation does not match its tool. Tests build the toolset
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
/// let registry = Registry::builder().toolset(&toolsets::dracode(&kit)?)?.build();
///
/// let result = registry.execute("read_file", json!({"file_path": "Program.cs"})).await;
/// assert_eq!(result.text(), "Error reading file: Could not find file 'Program.cs'");
/// # Ok(()) }
/// ```
pub fn dracode(kit: &Kit) -> Result<Toolset, PresentationError> {
    let root = kit.workspace().display_name();
    let (files, search) = (&kit.files, &kit.search);
    let list = ListFiles::clone(&files.list_files).with_folded_paths();
    let read = ReadFile::clone(&files.read_file).with_folded_paths();
    let write = WriteFile::clone(&files.write_file).with_folded_paths();
    let search = SearchCode::clone(&search.search_code).with_folded_paths();
    let run = RunCommand::clone(&kit.shell.run_command).with_long_timeouts();
    Toolset::named("dracode")
        .without_required_defaults()
        .tool(&Arc::new(list), list_files(&root))?
        .tool(&Arc::new(read), read_file(&root))?
        .tool(&Arc::new(write), write_file(&root))?
        .tool(&Arc::new(search), search_code(&root))?
        .tool_as::<run_command::RunCommandArguments, _>(&Arc::new(run), run_command::presentation())
}

fn list_files(root: &str) -> Presentation<ListFilesOutput> {
    let description = "List files in a directory with optional recursive search.";
    let path = "Optional path relative to workspace root to list files from";
    let recursive = "List files recursively";
    documented("list_files", description)
        .parameters([
            ("path", text(path)),
            ("recursive", with_default("boolean", recursive, false)),
        ])
        .rename("path", "directory")
        .pin("limit", LIMIT)
        .pin("hidden", true)
        .pin("ignored", true)
        .pin("skip_git", true)
        .render(file_lines)
        .map_error(map_errors(
            format!("Error: Access denied. Directory must be in {root}"),
            directory_not_found,
            "Error listing files: ",
        ))
}

/// Lists one path per line, followed by a marker if the listing is truncated.
fn file_lines(output: &ListFilesOutput, arguments: &Arguments<'_>) -> String {
    let mut lines = lines_of(output);
    if output.truncated {
        lines.push(
            match arguments.get("recursive").and_then(JsonRef::as_bool) {
                Some(true) => "[… more files; list a subdirectory]".into(),
                _ => "[… more files in this directory; only the first by name are listed]".into(),
            },
        );
    }
    lines.join("\n")
}

fn read_file(root: &str) -> Presentation<ReadFileOutput> {
    documented("read_file", "Read the contents of a file in the workspace.")
        .parameters([("path", text("Path to the file relative to workspace root"))])
        .rename("path", "file_path")
        .pin("decoding", "lossy")
        .pin("max_lines", NO_LIMIT)
        .map_error(map_errors(
            format!("Error: Access denied. File must be in {root}"),
            |code, path| {
                (*code == ErrorCode::FileNotFound)
                    .then(|| format!("Error reading file: Could not find file '{path}'"))
            },
            "Error reading file: ",
        ))
}

fn write_file(root: &str) -> Presentation<WriteFileOutput> {
    let description = "Create or overwrite a file with text content.";
    let create_directories = "Create directories if they do not exist";
    documented("write_file", description)
        .parameters([
            ("path", text("Path to the file relative to workspace root")),
            ("content", text("Text content to write to the file")),
            (
                "create_directories",
                with_default("boolean", create_directories, true),
            ),
        ])
        .rename("path", "file_path")
        .pin("mode", "overwrite")
        .render(|_, _| "OK".to_owned())
        .map_error(map_errors(
            format!("Error: Access denied. File must be in {root}"),
            |code, path| {
                (*code == ErrorCode::FileNotFound)
                    .then(|| format!("Error: Directory does not exist: {}", parent_of(path)))
            },
            "Error writing file: ",
        ))
}

fn search_code(root: &str) -> Presentation<SearchCodeOutput> {
    let description = "Search for text or regex patterns in files with line numbers.";
    let path = "Optional subdirectory relative to workspace root to search in";
    let pattern = "Optional file glob pattern (e.g., *.cs)";
    let regex = "Treat query as regular expression";
    documented("search_code", description)
        .parameters([
            ("query", text("Text or regex to search for")),
            ("path", text(path)),
            ("pattern", with_default("string", pattern, "*")),
            (
                "recursive",
                with_default("boolean", "Search recursively", true),
            ),
            ("regex", with_default("boolean", regex, false)),
            (
                "case_sensitive",
                with_default("boolean", "Case sensitive search", false),
            ),
        ])
        .rename("path", "directory")
        .pin("limit", LIMIT)
        .pin("skip_endings", json!(BINARY))
        .render(|output, _| match_lines(output))
        .map_error(map_errors(
            format!("Error: Access denied. Directory must be in {root}"),
            directory_not_found,
            "Error searching code: ",
        ))
}

fn match_lines(output: &SearchCodeOutput) -> String {
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

/// Returns a function that rewords errors: paths outside the workspace as `access_denied`, others
/// as returned by `wording`, or with `prefix` if it returns `None`.
fn map_errors(
    access_denied: String,
    wording: fn(&ErrorCode, path: &str) -> Option<String>,
    prefix: &'static str,
) -> impl Fn(ToolError, &Arguments<'_>) -> ToolError + Send + Sync + 'static {
    move |error, arguments| {
        if *error.code() == ErrorCode::PathOutsideWorkspace {
            return reword(error, access_denied.as_str());
        }
        match wording(error.code(), path_argument(arguments)) {
            Some(text) => reword(error, text),
            None => reword_prefixed(error, prefix),
        }
    }
}

fn directory_not_found(code: &ErrorCode, path: &str) -> Option<String> {
    matches!(code, ErrorCode::FileNotFound | ErrorCode::NotADirectory)
        .then(|| format!("Error: Directory not found: {path}"))
}

/// Returns the parent directory of a file.
fn parent_of(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((parent, _)) => parent,
        None => ".",
    }
}
