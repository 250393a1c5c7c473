//! The tools of a command-line agent that asks before it writes.

mod files;
#[cfg(feature = "search")]
mod search;
#[cfg(feature = "shell")]
mod terminal;
#[cfg(test)]
#[cfg(all(feature = "search", feature = "shell"))]
mod tests;
#[cfg(feature = "web")]
mod web;

use tool_core::{Contract, ErrorCode, PresentationError, ToolError};

use super::words::{says, says_with};
use crate::Kit;

/// The contract set `cli_agent`: outputs with a headline, what they count in the metadata, errors as sentences, unknown
/// parameters ignored. Values out of range are errors.
///
/// [`tool_core::forms::CliAgentResult`] writes its results as JSON, [`tool_core::forms::CliAgentText`] as text for people,
/// and [`ContractSet::policy`](super::ContractSet::policy) asks before anything is written.
///
/// # Errors
/// [`PresentationError`] never comes for this crate's own engines; a test builds every contract.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_core::forms::CliAgentResult;
/// use tool_test::Scratch;
/// use tools_builtin::{Kit, Workspace, contracts};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("src/app.py", "").folder("src/models");
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::builder().contract(&contracts::cli_agent(&kit)?)?.build();
///
/// let result = registry.execute("list_dir", json!({"path": "./src"})).await;
/// let form = json!(CliAgentResult::of(&result));
/// assert_eq!(form["output"], "Contents of ./src:\n  app.py\n  models/\n");
/// assert_eq!(form["metadata"], json!({"total_entries": 2, "files": 1, "directories": 1}));
/// # Ok(()) }
/// ```
pub fn cli_agent(kit: &Kit) -> Result<Contract, PresentationError> {
    let contract = Contract::named("cli_agent")
        .tool(&kit.write_file, files::create_file())?
        .tool(&kit.read_file, files::read_file())?
        .tool(&kit.replace_string, files::replace_string_in_file())?
        .tool(&kit.list_dir, files::list_dir())?
        .tool(&kit.file_search, files::file_search())?;
    #[cfg(feature = "search")]
    let contract = contract.tool(&kit.search_code, search::grep_search())?;
    #[cfg(feature = "shell")]
    let contract = contract
        .tool(&kit.bash, terminal::run_in_terminal())?
        .tool(&kit.last_command, terminal::terminal_last_command())?;
    let contract = contract.tool(&kit.create_directory, files::create_directory())?;
    #[cfg(feature = "web")]
    let contract = contract.tool(&kit.web_fetch, web::fetch_webpage())?;
    Ok(contract)
}

/// A path that leads out, in the words of the document.
fn outside(error: ToolError, path: &str) -> ToolError {
    let code = ErrorCode::from("path_outside_working_dir");
    let text = format!("Error: Path '{path}' is outside working directory");
    says_with(error, code, text)
}

/// The words about a folder that is to be looked into.
fn in_directory(error: ToolError, path: &str) -> ToolError {
    match error.code() {
        ErrorCode::PathOutsideWorkspace => outside(error, path),
        ErrorCode::NotADirectory => says(error, format!("Error: Path '{path}' is not a directory")),
        ErrorCode::FileNotFound => says(error, format!("Error: Directory '{path}' not found")),
        ErrorCode::PermissionDenied => {
            says(error, "Error: Cannot list directory - permission denied")
        }
        _ => error,
    }
}
