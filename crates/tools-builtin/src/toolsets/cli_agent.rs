//! Toolset of a command-line agent that requires approval for writes.

mod errors;
mod files;
mod result;
mod result_text;
mod search;
mod terminal;
#[cfg(test)]
mod tests;
#[cfg(feature = "web")]
mod web;

use tool_core::{PresentationError, Toolset};

use crate::Kit;
pub use result::CliAgentResult;
pub use result_text::CliAgentText;

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
/// Returns [`PresentationError`] if a presentation does not match its tool. Tests build the toolset
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
pub fn cli_agent(kit: &Kit) -> Result<Toolset, PresentationError> {
    let toolset = Toolset::named("cli_agent")
        .tool(&kit.files.write_file, files::create_file())?
        .tool(&kit.files.read_file, files::read_file())?
        .tool(&kit.files.replace_string, files::replace_string_in_file())?
        .tool(&kit.files.list_dir, files::list_dir())?
        .tool(&kit.files.file_search, files::file_search())?
        .tool(&kit.search.search_code, search::grep_search())?
        .tool(&kit.shell.bash, terminal::run_in_terminal())?
        .tool(&kit.shell.last_command, terminal::terminal_last_command())?
        .tool(&kit.files.create_directory, files::create_directory())?;
    #[cfg(feature = "web")]
    let toolset = toolset.tool(&kit.web.web_fetch, web::fetch_webpage())?;
    Ok(toolset)
}
