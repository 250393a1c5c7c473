//! Toolset of a personal assistant: its tools for files, the shell and the web.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tool_core::{Presentation, PresentationError, Toolset};

#[cfg(feature = "web")]
use super::document::with_default;
use super::document::{NO_LIMIT, PresentationLists as _, documented, text};
use crate::Kit;
use crate::files::{AppendFileOutput, ReadFile, ReadFileOutput, WriteFileOutput};
use crate::shell::CommandOutput;
#[cfg(feature = "web")]
use crate::web::{WebFetchOutput, WebSearchOutput};

/// Returns the `assistant` toolset: tools for files, the shell and the web, and `web_search` if the
/// kit has a search provider.
///
/// `read_file` also searches for a relative path in the directories above the first root, up to the
/// repository root. The toolset grants it read access to the repository, unless the repository is
/// the home directory or [`Kit::without_repository_root`] is set; the error for a missing file then
/// states the reason. The other tools use paths unchanged.
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
/// let registry = Registry::builder().toolset(&toolsets::assistant(&kit)?)?.build();
///
/// let note = json!({"path": "notes/today.md", "content": "Call the bank.\n"});
/// assert!(registry.execute("write_file", note).await.success);
/// assert_eq!(scratch.read("notes/today.md"), "Call the bank.\n");
/// # Ok(()) }
/// ```
pub fn assistant(kit: &Kit) -> Result<Toolset, PresentationError> {
    let mut read_file_above = ReadFile::clone(&kit.files.read_file).with_look_up();
    if !kit.keeps_to_roots {
        read_file_above = read_file_above.with_repository_root();
    }
    let toolset = Toolset::named("assistant")
        .tool(&kit.shell.bash, bash())?
        .tool(&Arc::new(read_file_above), read_file())?
        .tool(&kit.files.write_file, write_file())?
        .tool(&kit.files.append_file, append_file())?;
    #[cfg(feature = "web")]
    let toolset = toolset.tool(&kit.web.web_fetch, web_fetch())?;
    #[cfg(feature = "web")]
    let toolset = match &kit.web.web_search {
        Some(search) => toolset.tool(search, web_search())?,
        None => toolset,
    };
    Ok(toolset)
}

#[cfg(feature = "office")]
const READ_FILE: &str = "Read text files and .docx documents. Resolves relative paths by walking up to the repo root, then falling back to the working directory.";
#[cfg(not(feature = "office"))]
const READ_FILE: &str = "Read text files. Resolves relative paths by walking up to the repo root, then falling back to the working directory.";

fn bash() -> Presentation<CommandOutput> {
    let description = "Execute a shell command. Times out after 30 seconds.";
    documented("bash", description).parameters([("command", text("Shell command to execute"))])
}

fn read_file() -> Presentation<ReadFileOutput> {
    documented("read_file", READ_FILE)
        .parameters([("path", text("Path of the file"))])
        .pin("max_lines", NO_LIMIT)
}

fn write_file() -> Presentation<WriteFileOutput> {
    let description = "Write content to a file, creating parent directories as needed.";
    documented("write_file", description)
        .parameters([
            ("path", text("Path of the file")),
            ("content", text("Content to write")),
        ])
        .pin("mode", "overwrite")
        .pin("create_directories", true)
}

fn append_file() -> Presentation<AppendFileOutput> {
    let description = "Append content to an existing file. The file must already exist; use write_file to create it first.";
    documented("append_file", description).parameters([
        ("path", text("Path of the file")),
        ("content", text("Content to append")),
    ])
}

// The source document truncates long queries without a warning.
#[cfg(feature = "web")]
fn web_search() -> Presentation<WebSearchOutput> {
    let description =
        "Search the web and return a list of results with titles, URLs, and descriptions.";
    let count = "Number of results, from 1 to 20";
    documented("web_search", description).parameters([
        ("query", text("Search query, at most 400 characters")),
        ("count", with_default("integer", count, 5)),
    ])
}

#[cfg(feature = "web")]
fn web_fetch() -> Presentation<WebFetchOutput> {
    let description = "Fetch content from a URL and return it as readable text. Supports HTML (converted to plain text), JSON (pretty-printed), and plain text. GET requests only.";
    let max_chars = "Maximum characters to return (default: 50000)";
    documented::<WebFetchOutput>("web_fetch", description)
        .parameters([
            ("url", text("URL to fetch")),
            ("max_chars", with_default("integer", max_chars, 50_000)),
        ])
        .rename("max_chars", "maxChars")
        .render(|output, _| {
            output.with_notice(|more, shown| {
                format!(
                    "[Content truncated at {shown} characters; {more} more. Use a larger maxChars.]"
                )
            })
        })
        .notes([("untrusted_origin", |output| output.origin().into())])
}
