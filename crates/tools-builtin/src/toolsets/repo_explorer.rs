//! Toolset of an agent that explores a repository and plans.

mod checks;
mod reading;
mod result;
mod source;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tool_core::{Toolset, ToolsetError, TypedTool};

use self::checks::CheckOutput;
use self::reading::{Directories, FileContent, FilesOfDirectory, Snippets};
use self::source::FromSource;
use super::document::documented;
use crate::Kit;
use crate::files::{
    ListDirs, ListDirsInput, ListDirsOutput, ListFiles, ListFilesInput, ListFilesOutput, ReadFile,
    ReadFileInput, ReadFileOutput,
};
use crate::search::{SearchCode, SearchCodeInput, SearchCodeOutput};
use crate::todo::TodoManagerInput;
pub use result::RepoExplorerResult;

/// Returns the `repo_explorer` toolset: outputs are JSON, numbers out of range are clamped, unknown
/// parameters are ignored.
///
/// Listings include hidden and ignored files; `list_dirs` names ignored directories and `.git`
/// without their subdirectories. With [`Kit::with_repository`] the tools read from
/// that repository instead of the workspace.
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
pub fn repo_explorer(kit: &Kit) -> Result<Toolset, ToolsetError> {
    let toolset = Toolset::named("repo_explorer");
    let workspace = || kit.workspace().clone();
    let toolset = match kit.repository() {
        Some(source) => with_reading(
            toolset,
            FromSource::new(source, ListDirs, |_| Vec::new()),
            FromSource::new(source, ListFiles::new, |_| Vec::new()),
            // As lines of a hex dump, a secret in a binary file would not be recognized.
            FromSource::new(
                source,
                |workspace| ReadFile::new(workspace).with_lossy_decoding(),
                |output| vec![&mut output.content],
            ),
            FromSource::new(source, SearchCode::new, |output| {
                let matches = output.matches.iter_mut();
                matches.map(|found| &mut found.text).collect()
            }),
        )?,
        None => with_reading(
            toolset,
            ListDirs(workspace()),
            ListFiles::new(workspace()),
            ReadFile::new(workspace()),
            SearchCode::clone(&kit.search_code),
        )?,
    };
    let (plan, validate) = (&kit.todo_manager, &kit.validate_output);
    let validate =
        documented::<CheckOutput, _>("validate_output", VALIDATE_OUTPUT, Arc::clone(validate));
    let types = kit.validate_output.types();
    toolset
        .with_tool(documented::<TodoManagerInput, _>(
            "todo_manager",
            TODO_MANAGER,
            Arc::clone(plan),
        ))?
        .with_tool(validate.define(|definition| types.describe(definition, "outputType")))
}

const LIST_DIRS: &str = "List the directories below a directory of the repository.";
const LIST_FILES: &str = "List the files of one directory of the repository, not recursively.";
const READ_FILE: &str = "Read a file of the repository; content over 100 KB is truncated.";
const SEARCH_CODE: &str = "Search the text of the files of the repository.";
const TODO_MANAGER: &str = "Replace the plan: always send the complete list of steps.";
const VALIDATE_OUTPUT: &str = "Validate an output before returning it; warnings do not block.";

/// Adds the tools that read the workspace, or the repository instead of it.
fn with_reading(
    toolset: Toolset,
    directories: impl TypedTool<Input = ListDirsInput, Output = ListDirsOutput>,
    files: impl TypedTool<Input = ListFilesInput, Output = ListFilesOutput>,
    content: impl TypedTool<Input = ReadFileInput, Output = ReadFileOutput>,
    search: impl TypedTool<Input = SearchCodeInput, Output = SearchCodeOutput>,
) -> Result<Toolset, ToolsetError> {
    let directories = documented::<Directories, _>("list_dirs", LIST_DIRS, directories);
    let files = documented::<FilesOfDirectory, _>("list_files", LIST_FILES, files);
    let content = documented::<FileContent, _>("read_file", READ_FILE, content);
    let search = documented::<Snippets, _>("search_code", SEARCH_CODE, search);
    toolset
        .with_tool(directories)?
        .with_tool(files)?
        .with_tool(content)?
        .with_tool(search)
}
