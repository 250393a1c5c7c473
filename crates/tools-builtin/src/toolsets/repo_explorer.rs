//! Toolset of an agent that explores a repository and plans.

mod result;
mod source;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::Serialize;
use tool_core::{Arguments, Presentation, PresentationError, TextLimit, Toolset};

use self::source::{SourceFiles, SourceReader, SourceSearch, SourceTree};
use super::document::{NO_LIMIT, PresentationLists as _, as_json, documented, text, with_default};
use crate::Kit;
use crate::checks::ValidationReport;
use crate::files::{ListDirsOutput, ListFilesOutput, ReadFileOutput};
use crate::repository::{NOT_CONNECTED, RepositorySource};
use crate::search::{MAX_MATCHES, SearchCodeOutput};
use crate::todo::TodoPlan;
pub use result::RepoExplorerResult;

/// Maximum number of bytes of a file to return.
const MAX_CONTENT: usize = 100 * 1024;

/// Maximum number of entries and matches that a call may request.
const MAX_LIMIT: i64 = 1000;

/// Returns the `repo_explorer` toolset: outputs are JSON, numbers out of range are clamped, unknown
/// parameters are ignored.
///
/// Listings include hidden and ignored files; `list_dirs` names ignored directories and `.git`
/// without their subdirectories. With [`Kit::with_repository`] the tools read from
/// that repository instead of the workspace; without a connection each tool returns the error of
/// the source document.
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
/// let scratch = Scratch::new().file("src/main.tsx", "main()");
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().toolset(&toolsets::repo_explorer(&kit)?)?.build();
///
/// let result = registry.execute("list_files", json!({"path": "src", "pattern": "*.tsx"})).await;
/// assert_eq!(
///     result.text(),
///     r#"{"files":[{"path":"src/main.tsx","name":"main.tsx","size":6}],"truncated":false}"#
/// );
/// # Ok(()) }
/// ```
pub fn repo_explorer(kit: &Kit) -> Result<Toolset, PresentationError> {
    let toolset = Toolset::named("repo_explorer");
    let toolset = match kit.repository() {
        Some(source) => with_repository_tools(toolset, source)?,
        None => toolset
            .tool(&kit.files.list_dirs, list_dirs())?
            .tool(&kit.files.list_files, list_files())?
            .tool(&kit.files.read_file, read_file())?
            .tool(&kit.search.search_code, search_code())?,
    };
    toolset
        .tool(&kit.todo_manager, todo_manager())?
        .tool(&kit.validate_output, validate_output(kit))
}

fn with_repository_tools(
    toolset: Toolset,
    source: &Arc<dyn RepositorySource>,
) -> Result<Toolset, PresentationError> {
    let source = || Arc::clone(source);
    toolset
        .tool(&Arc::new(SourceTree(source())), list_dirs())?
        .tool(&Arc::new(SourceFiles(source())), list_files())?
        .tool(&Arc::new(SourceReader(source())), read_file())?
        .tool(&Arc::new(SourceSearch(source())), search_code())
}

/// Presents a read-only tool. The source document has its own error for a missing connection.
fn read_only<O>(name: &str, description: &str) -> Presentation<O> {
    documented(name, description).map_error(|error, _| {
        if error.message() == NOT_CONNECTED {
            error.with_text(format!(r#"{{ "error": "{NOT_CONNECTED}" }}"#))
        } else {
            error
        }
    })
}

fn list_dirs() -> Presentation<ListDirsOutput> {
    let description = "List the directories below a directory of the repository.";
    let path = "Directory to list; the repository root if omitted";
    let depth = "Number of levels to descend, at most 3";
    let limit = "Maximum number of directories";
    read_only("list_dirs", description)
        .parameters([
            ("path", text(path)),
            ("depth", with_default("integer", depth, 1)),
            ("limit", with_default("integer", limit, 50)),
        ])
        .clamp("depth", 1..=3)
        .clamp("limit", 1..=MAX_LIMIT)
        .pin("hidden", true)
        .render(|output, _| as_json(output))
}

fn list_files() -> Presentation<ListFilesOutput> {
    let description = "List the files of one directory of the repository, not recursively.";
    let path = "Directory to list; the repository root if omitted";
    let pattern = "Glob that the file names must match, such as *.tsx";
    let limit = "Maximum number of files";
    read_only("list_files", description)
        .parameters([
            ("path", text(path)),
            ("pattern", text(pattern)),
            ("limit", with_default("integer", limit, 50)),
        ])
        .clamp("limit", 1..=MAX_LIMIT)
        .pin("recursive", false)
        .pin("hidden", true)
        .pin("ignored", true)
        .render(|output, _| as_json(output))
}

fn read_file() -> Presentation<ReadFileOutput> {
    let description = "Read a file of the repository; content over 100 KB is truncated.";
    read_only("read_file", description)
        .parameters([("path", text("Path of the file"))])
        .limits(TextLimit::bytes(MAX_CONTENT))
        .pin("max_lines", NO_LIMIT)
        .render(|output: &ReadFileOutput, _| {
            as_json(&File {
                path: &output.path,
                content: &output.content,
                size: output.size,
            })
        })
}

/// File in the format of the source document.
#[derive(Serialize)]
struct File<'o> {
    path: &'o str,
    content: &'o str,
    size: u64,
}

fn search_code() -> Presentation<SearchCodeOutput> {
    let description = "Search the text of the files of the repository.";
    let pattern = "Glob that the files must match, such as *.ts";
    let limit = "Maximum number of matches";
    read_only("search_code", description)
        .parameters([
            ("query", text("Text to search for")),
            ("pattern", text(pattern)),
            ("limit", with_default("integer", limit, 20)),
        ])
        .rename("pattern", "filePattern")
        .clamp("limit", 1..=MAX_LIMIT)
        .render(|output: &SearchCodeOutput, _| {
            let matches = output.matches.iter().map(|found| Snippet {
                path: &found.path,
                snippet: &found.text,
            });
            as_json(&matches.collect::<Vec<_>>())
        })
        .warn(truncation_warning)
}

/// Match in the format of the source document.
#[derive(Serialize)]
struct Snippet<'o> {
    path: &'o str,
    snippet: &'o str,
}

fn truncation_warning(output: &SearchCodeOutput, _: &Arguments<'_>) -> Option<String> {
    let count = output.matches.len();
    let advice = if count < MAX_MATCHES {
        "narrow `filePattern`, or raise `limit`"
    } else {
        "narrow `query` or `filePattern`"
    };
    let stopped = format!("Stopped after {count} matches; there may be more: {advice}.");
    output.truncated.then_some(stopped)
}

fn todo_manager() -> Presentation<TodoPlan> {
    let description = "Replace the plan: always send the complete list of steps.";
    documented("todo_manager", description).render(|plan, _| as_json(plan))
}

fn validate_output(kit: &Kit) -> Presentation<ValidationReport> {
    let description = "Validate an output before returning it; warnings do not block.";
    documented("validate_output", description)
        .rename("output_type", "outputType")
        .schema("output_type", kit.validate_output.types().name_schema())
        .render(|report, _| as_json(report))
}
