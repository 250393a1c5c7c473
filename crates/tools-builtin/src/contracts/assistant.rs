//! The tools of a personal assistant; here those for files, the shell and the web.

#[cfg(test)]
#[cfg(feature = "shell")]
mod tests;
#[cfg(feature = "web")]
mod web;

use std::sync::Arc;

use tool_core::{Contract, Presentation, PresentationError};

#[cfg(feature = "web")]
use super::words::with_default;
use super::words::{NO_LIMIT, documented, text};
use crate::Kit;
use crate::files::{AppendFileOutput, ReadFile, ReadFileOutput, WriteFileOutput};
#[cfg(feature = "shell")]
use crate::shell::CommandOutput;
#[cfg(feature = "web")]
use crate::web::WebSearchOutput;

/// The contract set `assistant`: the tools that are always there, for files, the shell and the web, and `web_search` for a kit
/// with a provider of searches.
///
/// `read_file` looks for a relative path in the folders above the first root too, up to the repository's own, as far as they
/// are granted; the others take paths as they are.
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
/// let registry = Registry::builder().contract(&contracts::assistant(&kit)?)?.build();
///
/// let note = json!({"path": "notes/today.md", "content": "Call the bank.\n"});
/// assert!(registry.execute("write_file", note).await.success);
/// assert_eq!(scratch.read("notes/today.md"), "Call the bank.\n");
/// # Ok(()) }
/// ```
pub fn assistant(kit: &Kit) -> Result<Contract, PresentationError> {
    let contract = Contract::named("assistant");
    #[cfg(feature = "shell")]
    let contract = contract.tool(&kit.bash, bash())?;
    let contract = contract
        .tool(&looking_up(&kit.read_file), read_file())?
        .tool(&kit.write_file, write_file())?
        .tool(&kit.append_file, append_file())?;
    #[cfg(feature = "web")]
    let contract = contract.tool(&kit.web_fetch, web::web_fetch())?;
    #[cfg(feature = "web")]
    let contract = match &kit.web_search {
        Some(search) => contract.tool(search, web_search())?,
        None => contract,
    };
    Ok(contract)
}

#[cfg(feature = "docx")]
const READ_FILE: &str = "Read text files and .docx documents. Resolves relative paths by walking up to the repo root, then falling back to the working directory.";
#[cfg(not(feature = "docx"))]
const READ_FILE: &str = "Read text files. Resolves relative paths by walking up to the repo root, then falling back to the working directory.";

/// The same reader, which looks for a file in the folders above too.
fn looking_up(read_file: &ReadFile) -> Arc<ReadFile> {
    Arc::new(read_file.clone().with_look_up())
}

#[cfg(feature = "shell")]
fn bash() -> Presentation<CommandOutput> {
    documented(
        "bash",
        "Execute a shell command. It is ended after 30 seconds.",
    )
    .only(["command"])
    .schema("command", text("Shell command to execute"))
}

/// A query that is too long is cut without a word.
#[cfg(feature = "web")]
fn web_search() -> Presentation<WebSearchOutput> {
    documented(
        "web_search",
        "Search the web and return a list of results with titles, URLs, and descriptions.",
    )
    .only(["query", "count"])
    .schema("query", text("Search query, at most 400 characters"))
    .schema(
        "count",
        with_default("integer", "Number of results, from 1 to 20", 5),
    )
}

fn read_file() -> Presentation<ReadFileOutput> {
    documented("read_file", READ_FILE)
        .only(["path"])
        .schema("path", text("Path of the file"))
        .pin("max_lines", NO_LIMIT)
}

fn write_file() -> Presentation<WriteFileOutput> {
    let description = "Write content to a file, creating parent directories as needed.";
    documented("write_file", description)
        .only(["path", "content"])
        .schema("path", text("Path of the file"))
        .schema("content", text("Content to write"))
        .pin("mode", "overwrite")
        .pin("create_directories", true)
}

fn append_file() -> Presentation<AppendFileOutput> {
    let description = "Append content to an existing file. The file must already exist; use write_file to create it first.";
    documented("append_file", description)
        .only(["path", "content"])
        .schema("path", text("Path of the file"))
        .schema("content", text("Content to append"))
}
