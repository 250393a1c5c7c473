//! The tools of an agent that explores a repository and plans.

mod source;
#[cfg(test)]
#[cfg(all(feature = "search", feature = "todo"))]
mod tests;

use std::sync::Arc;

use serde::Serialize;
use tool_core::{Contract, Limits, Presentation, PresentationError};

#[cfg(feature = "search")]
use self::source::Text;
use self::source::{Contents, Files, Folders};
#[cfg(feature = "checks")]
use super::words::output_type;
use super::words::{NO_LIMIT, documented, text, with_default};
use crate::Kit;
#[cfg(feature = "checks")]
use crate::checks::ValidationReport;
use crate::files::{ListDirsOutput, ListFilesOutput, ReadFileOutput};
use crate::repository::{NOT_CONNECTED, RepositorySource};
#[cfg(feature = "search")]
use crate::search::{MAX_MATCHES, SearchCodeOutput, SearchMatch};
#[cfg(feature = "todo")]
use crate::todo::TodoPlan;

/// How much of a file is given.
const MAX_CONTENT: usize = 100 * 1024;

/// Entries and matches that may be asked for at most.
const MAX_LIMIT: i64 = 1000;

/// The contract set `repo_explorer`: outputs are JSON, numbers out of range are brought into it, unknown parameters are
/// ignored.
///
/// Listings show hidden and ignored files. With [`Kit::with_repository`] the tools read from that repository in place of the
/// workspace; without a connection each says so in the words of the document.
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
/// let scratch = Scratch::new().file("src/main.tsx", "main()");
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().contract(&contracts::repo_explorer(&kit)?)?.build();
///
/// let result = registry.execute("list_files", json!({"path": "src", "pattern": "*.tsx"})).await;
/// assert_eq!(
///     result.text(),
///     r#"{"files":[{"path":"src/main.tsx","name":"main.tsx","size":6}],"truncated":false}"#
/// );
/// # Ok(()) }
/// ```
pub fn repo_explorer(kit: &Kit) -> Result<Contract, PresentationError> {
    let contract = Contract::named("repo_explorer");
    let contract = match kit.repository() {
        Some(source) => reading_from(contract, source)?,
        None => reading_from_disk(contract, kit)?,
    };
    #[cfg(feature = "todo")]
    let contract = contract.tool(&kit.todo_manager, todo_manager())?;
    #[cfg(feature = "checks")]
    let contract = contract.tool(&kit.validate_output, validate_output(kit))?;
    Ok(contract)
}

fn reading_from_disk(contract: Contract, kit: &Kit) -> Result<Contract, PresentationError> {
    let contract = contract
        .tool(&kit.list_dirs, list_dirs())?
        .tool(&kit.list_files, list_files())?
        .tool(&kit.read_file, read_file())?;
    #[cfg(feature = "search")]
    let contract = contract.tool(&kit.search_code, search_code())?;
    Ok(contract)
}

fn reading_from(
    contract: Contract,
    source: &Arc<dyn RepositorySource>,
) -> Result<Contract, PresentationError> {
    let source = || Arc::clone(source);
    let contract = contract
        .tool(&Arc::new(Folders(source())), list_dirs())?
        .tool(&Arc::new(Files(source())), list_files())?
        .tool(&Arc::new(Contents(source())), read_file())?;
    #[cfg(feature = "search")]
    let contract = contract.tool(&Arc::new(Text(source())), search_code())?;
    Ok(contract)
}

/// A tool that reads; without a repository the document has an answer of its own.
fn reading<O>(name: &str, description: &str) -> Presentation<O> {
    documented(name, description).map_error(|error, _| {
        if error.message() == NOT_CONNECTED {
            error.with_text(format!(r#"{{ "error": "{NOT_CONNECTED}" }}"#))
        } else {
            error
        }
    })
}

fn list_dirs() -> Presentation<ListDirsOutput> {
    reading(
        "list_dirs",
        "List the directories below a directory of the repository.",
    )
    .only(["path", "depth", "limit"])
    .schema(
        "path",
        text("Directory to list; the root of the repository when left out"),
    )
    .schema(
        "depth",
        with_default("integer", "How many levels to descend, at most 3", 1),
    )
    .schema(
        "limit",
        with_default("integer", "Maximum number of directories", 50),
    )
    .clamp("depth", 1..=3)
    .clamp("limit", 1..=MAX_LIMIT)
    .pin("hidden", true)
    .pin("ignored", true)
    .render(|output: &ListDirsOutput, _| as_json(output))
}

fn list_files() -> Presentation<ListFilesOutput> {
    reading(
        "list_files",
        "List the files of one directory of the repository, not recursively.",
    )
    .only(["path", "pattern", "limit"])
    .schema(
        "path",
        text("Directory to list; the root of the repository when left out"),
    )
    .schema(
        "pattern",
        text("Glob that the file names must match, such as *.tsx"),
    )
    .schema(
        "limit",
        with_default("integer", "Maximum number of files", 50),
    )
    .clamp("limit", 1..=MAX_LIMIT)
    .pin("recursive", false)
    .pin("hidden", true)
    .pin("ignored", true)
    .render(|output: &ListFilesOutput, _| as_json(output))
}

fn read_file() -> Presentation<ReadFileOutput> {
    reading(
        "read_file",
        "Read a file of the repository; content over 100 KB is cut.",
    )
    .only(["path"])
    .schema("path", text("Path of the file"))
    .limits(Limits::bytes(MAX_CONTENT))
    .pin("max_lines", NO_LIMIT)
    .render(|output: &ReadFileOutput, _| as_json(&File::of(output)))
}

/// A file as the document has it.
#[derive(Serialize)]
struct File<'o> {
    path: &'o str,
    content: &'o str,
    size: u64,
}

impl<'o> File<'o> {
    fn of(output: &'o ReadFileOutput) -> Self {
        Self {
            path: &output.path,
            content: &output.content,
            size: output.size,
        }
    }
}

#[cfg(feature = "search")]
fn search_code() -> Presentation<SearchCodeOutput> {
    reading(
        "search_code",
        "Search the text of the files of the repository.",
    )
    .only(["query", "pattern", "limit"])
    .rename("pattern", "filePattern")
    .schema("query", text("Text to search for"))
    .schema(
        "pattern",
        text("Glob that the files must match, such as *.ts"),
    )
    .schema(
        "limit",
        with_default("integer", "Maximum number of matches", 20),
    )
    .clamp("limit", 1..=MAX_LIMIT)
    .render(|output: &SearchCodeOutput, _| {
        let found: Vec<Snippet<'_>> = output.matches.iter().map(Snippet::of).collect();
        as_json(&found)
    })
    .warn(|output: &SearchCodeOutput, _| {
        let count = output.matches.len();
        let told = if count < MAX_MATCHES {
            "there may be more: narrow `filePattern`, or raise `limit`"
        } else {
            "there may be more: narrow `query` or `filePattern`"
        };
        output
            .truncated
            .then(|| format!("Stopped after {count} matches; {told}."))
    })
}

/// A match as the document has it.
#[cfg(feature = "search")]
#[derive(Serialize)]
struct Snippet<'o> {
    path: &'o str,
    snippet: &'o str,
}

#[cfg(feature = "search")]
impl<'o> Snippet<'o> {
    fn of(found: &'o SearchMatch) -> Self {
        Self {
            path: &found.path,
            snippet: &found.text,
        }
    }
}

#[cfg(feature = "todo")]
fn todo_manager() -> Presentation<TodoPlan> {
    documented(
        "todo_manager",
        "Replace the plan: always give the complete list of steps.",
    )
    .render(|plan: &TodoPlan, _| as_json(plan))
}

#[cfg(feature = "checks")]
fn validate_output(kit: &Kit) -> Presentation<ValidationReport> {
    documented(
        "validate_output",
        "Validate an output before it is given; warnings do not block.",
    )
    .rename("output_type", "outputType")
    .schema("output_type", output_type(kit))
    .render(|report: &ValidationReport, _| as_json(report))
}

/// Plain data can always be written.
fn as_json(data: &impl Serialize) -> String {
    serde_json::to_string(data).unwrap_or_default()
}
