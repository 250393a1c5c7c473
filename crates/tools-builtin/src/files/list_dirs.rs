//! Tool that lists the directories below a directory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, CancellationToken, RiskLevel, ToolContext, ToolError, TypedTool};

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
pub(crate) struct ListDirs {
    workspace: Workspace,
}

impl ListDirs {
    /// Creates a tool that reads only inside `workspace`.
    #[must_use]
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn list(
        &self,
        cx: &ToolContext,
        input: &ListDirsInput,
        cancellation: &CancellationToken,
    ) -> Result<ListDirsOutput, ToolError> {
        let (depth, limit) = (input.depth, input.limit);
        let mut found = CollectedDirectories::default();
        // One walk per level: a walk in the order of paths could end before the first level does.
        for level in 1..=depth {
            self.add_level(input, level, &mut found, cancellation)?;
            if found.dirs.len() > limit || found.truncated {
                break;
            }
        }
        if found.truncated {
            cx.warn("Not every directory was read, because there are too many entries. List a subdirectory.");
        }
        warn_of_unreadable(cx, found.unreadable);
        let omitted = found.dirs.split_off(limit.min(found.dirs.len()));
        if let Some(warning) = omitted_warning(&omitted, depth) {
            found.truncated = true;
            cx.warn(warning);
        }
        Ok(ListDirsOutput {
            dirs: found.dirs,
            truncated: found.truncated,
        })
    }

    fn add_level(
        &self,
        input: &ListDirsInput,
        level: usize,
        found: &mut CollectedDirectories,
        cancellation: &CancellationToken,
    ) -> Result<(), ToolError> {
        let options = WalkOptions::kinds([EntryKind::Directory, EntryKind::Link])
            .with_hidden(true)
            .with_ignored_listed(true)
            .with_max_depth(level);
        let mut walk = self
            .workspace
            .walk("path", &input.path, &options, cancellation)?;
        let directories = walk.by_ref().filter(|entry| {
            entry.depth() == level && self.workspace.kind_of(entry) == EntryKind::Directory
        });
        found.dirs.extend(directories.map(|entry| FoundDirectory {
            depth: level,
            path: entry.into_path(),
        }));
        found.truncated = walk.truncated();
        found.unreadable = walk.unreadable();
        Ok(())
    }
}

/// Directories of the levels so far.
#[derive(Default)]
struct CollectedDirectories {
    dirs: Vec<FoundDirectory>,
    unreadable: usize,
    truncated: bool,
}

/// Returns a warning that names omitted directories; `None` if there are none. `depth` is the number
/// of requested levels.
fn omitted_warning(omitted: &[FoundDirectory], depth: usize) -> Option<String> {
    let level = omitted.first()?.depth;
    let first = omitted.iter().take(MAX_NAMED);
    let names: Vec<_> = first.map(|found| on_one_line(&found.path)).collect();
    let noun = if omitted.len() == 1 {
        "directory is"
    } else {
        "directories are"
    };
    let more = match omitted.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let below = if level < depth {
        " Directories below this level are omitted as well."
    } else {
        ""
    };
    Some(format!(
        "{} {noun} omitted: {}{more}.{below} Pass a directory as `path`, or raise `limit`.",
        omitted.len(),
        names.join(", "),
    ))
}

impl TypedTool for ListDirs {
    type Input = ListDirsInput;
    type Output = ListDirsOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &ListDirsInput) -> Result<CallPlan, ToolError> {
        Ok(self.workspace.plan_of_read("path", &input.path))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListDirsInput,
    ) -> Result<ListDirsOutput, ToolError> {
        let (tool, context) = (self.clone(), cx.clone());
        blocking(cx, move |cancellation| {
            tool.list(&context, &input, cancellation)
        })
        .await
    }
}

#[cfg(test)]
mod tests;
