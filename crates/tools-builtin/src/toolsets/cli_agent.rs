//! Toolset of a command-line agent that requires approval for writes.

mod create_directory;
mod directories;
mod errors;
mod files;
mod list_dir;
mod result;
mod search;
mod terminal;
#[cfg(test)]
mod tests;
#[cfg(feature = "web")]
mod web;

use std::sync::Arc;

use tool_core::{RiskLevel, Toolset, ToolsetError};

use self::create_directory::CreateDirectory;
use self::directories::FindFiles;
use self::files::{CreateFile, ReadLines};
use self::list_dir::ListDir;
use self::search::GrepSearch;
use self::terminal::{RunInTerminal, TerminalLastCommand};
#[cfg(feature = "web")]
use self::web::FetchWebpage;
use super::document::{documented, untruncated};
use crate::Kit;
use crate::files::{ReadFile, ReplaceString, ReplaceStringInput, WriteFile};
pub use result::{CliAgentResult, CliAgentText};

/// Returns the `cli_agent` toolset: outputs with a headline, counts in the metadata, errors as
/// sentences. Unknown parameters are ignored; values out of range are errors.
///
/// `list_dir` accepts `offset`, which is not shown, to continue after 1,000 entries.
///
/// [`CliAgentResult`] converts its results to JSON,
/// [`CliAgentText`] to text for people.
/// [`ToolsetName::policy`](super::ToolsetName::policy) requires approval for writes.
///
/// # Errors
/// Returns [`ToolsetError`] if two tools have one name. Tests build the toolset
/// with every feature.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tools_builtin::toolsets::CliAgentResult;
/// use tool_test::Scratch;
/// use tools_builtin::{Kit, Workspace, toolsets};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("src/app.py", "").folder("src/models");
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().toolset(&toolsets::cli_agent(&kit)?)?.build();
///
/// let result = registry.execute("list_dir", json!({"path": "./src"})).await;
/// let form = json!(CliAgentResult::of(&result));
/// assert_eq!(form["output"], "Contents of ./src:\n  app.py\n  models/\n");
/// assert_eq!(form["metadata"], json!({"total_entries": 2, "files": 1, "directories": 1}));
/// # Ok(()) }
/// ```
pub fn cli_agent(kit: &Kit) -> Result<Toolset, ToolsetError> {
    let (files, search) = (&kit.files.file_search, &kit.search_code);
    let (bash, history) = (&kit.shell.bash, &kit.shell.history);
    // The document requires approval for every command.
    let terminal =
        documented::<RunInTerminal, _>("run_in_terminal", RUN_IN_TERMINAL, Arc::clone(bash))
            .risk(RiskLevel::Dangerous);
    let last = TerminalLastCommand(history.clone());
    let make = CreateDirectory(kit.workspace().clone());
    let make = untruncated("create_directory", CREATE_DIRECTORY, make);
    let find = documented::<FindFiles, _>("file_search", FILE_SEARCH, Arc::clone(files));
    let grep = documented::<GrepSearch, _>("grep_search", GREP_SEARCH, Arc::clone(search));
    let toolset = with_files(Toolset::named("cli_agent"), kit)?
        .with_tool(find)?
        .with_tool(grep)?
        .with_tool(terminal)?
        .with_tool(untruncated("terminal_last_command", LAST_COMMAND, last))?
        .with_tool(make)?;
    #[cfg(feature = "web")]
    let fetch = Arc::clone(&kit.web.web_fetch);
    #[cfg(feature = "web")]
    let fetch = documented::<FetchWebpage, _>("fetch_webpage", FETCH_WEBPAGE, fetch);
    #[cfg(feature = "web")]
    let toolset = toolset.with_tool(fetch)?;
    Ok(toolset)
}

/// Adds the tools that read, write and list files.
fn with_files(toolset: Toolset, kit: &Kit) -> Result<Toolset, ToolsetError> {
    let workspace = || kit.workspace().clone();
    let create = WriteFile(workspace());
    let read = ReadFile::new(workspace());
    let replace = ReplaceString(workspace());
    let list = ListDir {
        workspace: workspace(),
        limit: 1000,
    };
    let list = untruncated("list_dir", LIST_DIR, list);
    toolset
        .with_tool(documented::<CreateFile, _>(
            "create_file",
            CREATE_FILE,
            create,
        ))?
        .with_tool(documented::<ReadLines, _>("read_file", READ_FILE, read))?
        .with_tool(documented::<ReplaceStringInput, _>(
            "replace_string_in_file",
            REPLACE_STRING,
            replace,
        ))?
        .with_tool(list.define(|definition| definition.with_hidden_parameter("offset")))
}

const CREATE_FILE: &str = "Create a new file with specified content";
const READ_FILE: &str = "Read the contents of a file, optionally specifying line range";
const REPLACE_STRING: &str = "Replace a specific string in a file with new content";
const LIST_DIR: &str = "List contents of a directory";
const FILE_SEARCH: &str = "Search for files matching a glob pattern";
const GREP_SEARCH: &str = "Search file contents for text or regex pattern";
const RUN_IN_TERMINAL: &str = "Execute a shell command";
const LAST_COMMAND: &str = "Retrieve the last shell command that was executed";
const CREATE_DIRECTORY: &str = "Create a directory structure (equivalent to mkdir -p)";
#[cfg(feature = "web")]
const FETCH_WEBPAGE: &str = "Fetch content from a web page";

/// Returns the path that the model sent, or the root if it sent none.
fn shown_path(path: &str) -> &str {
    match path {
        "" => ".",
        path => path,
    }
}
