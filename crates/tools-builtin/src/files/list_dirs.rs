//! Tool that lists the directories below a directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::warn_of_unreadable;
use crate::blocking::blocking;
use crate::workspace::{EntryKind, WalkOptions, Workspace, on_one_line};

/// Maximum number of omitted directories to name.
const MAX_NAMED: usize = 20;

/// Directories to list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ListDirsInput {
    /// Path of the directory, relative to the workspace root.
    pub(crate) path: String,
    /// Number of levels below the directory to list.
    pub(crate) depth: usize,
    /// Maximum number of directories to list.
    pub(crate) limit: usize,
}

/// Directories found, level by level, sorted by path in each level.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ListDirsOutput {
    /// Directories found.
    pub(crate) dirs: Vec<FoundDirectory>,
    /// Whether there are more directories than were listed.
    pub(crate) truncated: bool,
}

/// Directory in a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct FoundDirectory {
    /// Path relative to the workspace root.
    pub(crate) path: String,
    /// Number of levels below the listed directory; 1 for its own entries.
    pub(crate) depth: usize,
}

/// Lists directories in a workspace, also hidden ones: first all directories of the first level, then the directories
/// below them.
///
/// Ignored directories and `.git` are listed, but their subdirectories are not, unless
/// [`path`](ListDirsInput::path) is such a directory. If the listing is truncated, a warning names up to 20 of the
/// omitted directories.
#[derive(Debug, Clone)]
pub(crate) struct ListDirs(pub(crate) Workspace);

impl ListDirs {
    fn list(&self, cx: &ToolContext, input: &ListDirsInput) -> Result<ListDirsOutput, ToolError> {
        let options = WalkOptions {
            hidden: true,
            lists_ignored: true,
            max_depth: input.depth,
            ..WalkOptions::kinds([EntryKind::Directory, EntryKind::Link])
        };
        let token = cx.cancellation();
        let mut walk = self.0.walk("path", &input.path, &options, token)?;
        let found = walk
            .by_ref()
            .filter(|entry| self.0.kind_of(entry) == EntryKind::Directory);
        let mut dirs: Vec<FoundDirectory> = found
            .map(|entry| FoundDirectory {
                depth: entry.depth(),
                path: entry.into_path(),
            })
            .collect();
        // Each level stays sorted by path.
        dirs.sort_by_key(|found| found.depth);
        let mut truncated = walk.truncated();
        if truncated {
            cx.warn("Not every directory was read, because there are too many entries. List a subdirectory.");
        }
        warn_of_unreadable(cx, walk.unreadable());
        let omitted = dirs.split_off(input.limit.min(dirs.len()));
        if !omitted.is_empty() {
            truncated = true;
            cx.warn(omitted_warning(&omitted));
        }
        Ok(ListDirsOutput { dirs, truncated })
    }
}

/// Returns a warning that names omitted directories.
fn omitted_warning(omitted: &[FoundDirectory]) -> String {
    let first = omitted.iter().take(MAX_NAMED);
    let names: Vec<_> = first.map(|found| on_one_line(&found.path)).collect();
    let more = match omitted.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = names.join(", ");
    format!("Omitted directories: {names}{more}. Pass a directory as `path`, or raise `limit`.")
}

impl TypedTool for ListDirs {
    type Input = ListDirsInput;
    type Output = ListDirsOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &ListDirsInput) -> Result<CallPlan, ToolError> {
        Ok(self.0.plan_of_read("path", &input.path))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let tool = self.clone();
        blocking(cx, move |cx| tool.list(cx, &input)).await
    }
}

#[cfg(test)]
mod tests;
