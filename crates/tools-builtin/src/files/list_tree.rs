//! Tool that lists a directory, and the directories below it.

#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::warn_of_unreadable;
use crate::blocking::blocking;
use crate::workspace::{EntryKind, FEW_HITS, WalkOptions, Workspace, on_one_line};

/// Maximum number of entries.
const MAX_ENTRIES: usize = 1000;

/// Directory to list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ListTreeInput {
    /// Directory.
    path: Option<String>,
    /// Levels, 1 if omitted.
    depth: Option<NonZeroUsize>,
    /// Also hidden and ignored files.
    all: Option<bool>,
}

impl ListTreeInput {
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(".")
    }
}

/// Entries of a directory, sorted by path.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ListTreeOutput {
    /// The entries.
    pub(crate) entries: Vec<TreeEntry>,
    /// Whether there are more entries.
    pub(crate) truncated: bool,
}

/// Entry of a directory.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TreeEntry {
    /// Path relative to the workspace root.
    pub(crate) path: String,
    /// Kind of the entry. A symlink has the kind of its target if the target is in the workspace.
    pub(crate) kind: EntryKind,
}

/// Lists directories in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct ListTree(pub(crate) Workspace);

impl ListTree {
    fn list(&self, cx: &ToolContext, input: &ListTreeInput) -> Result<ListTreeOutput, ToolError> {
        let kinds = [
            EntryKind::File,
            EntryKind::Directory,
            EntryKind::Link,
            EntryKind::Other,
        ];
        let all = input.all.unwrap_or_default();
        let options = WalkOptions {
            hidden: all,
            ignored: all,
            lists_ignored: !all,
            max_depth: input.depth.map_or(1, NonZeroUsize::get),
            counts_skipped: true,
            ..WalkOptions::kinds(kinds)
        };
        let mut walk = self
            .0
            .walk("path", input.path(), &options, cx.cancellation())?;
        let entries = walk.by_ref().take(MAX_ENTRIES).map(|entry| TreeEntry {
            kind: self.0.kind_of(&entry),
            path: entry.into_path(),
        });
        let entries: Vec<TreeEntry> = entries.collect();
        let truncated = entries.len() == MAX_ENTRIES && walk.next().is_some() || walk.truncated();
        warn_of_unreadable(cx, walk.unreadable());
        if entries.len() < FEW_HITS
            && let Some(skipped) = walk.skipped(&self.0)
        {
            cx.warn(format!(
                "Skipped {}. Set `all` to list them.",
                skipped.described()
            ));
        }
        Ok(ListTreeOutput { entries, truncated })
    }
}

impl TypedTool for ListTree {
    type Input = ListTreeInput;
    type Output = ListTreeOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("directory", "path"),
        ("base_path", "path"),
        ("dir_path", "path"),
        ("file_path", "path"),
    ];

    fn plan(&self, _cx: &ToolContext, input: &ListTreeInput) -> Result<CallPlan, ToolError> {
        Ok(self.0.plan_of_read("path", input.path()))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let tool = self.clone();
        blocking(cx, move |cx| tool.list(cx, &input)).await
    }

    fn render(output: &ListTreeOutput) -> String {
        if output.entries.is_empty() && !output.truncated {
            return "The directory is empty.".to_owned();
        }
        let line = |entry: &TreeEntry| {
            let path = on_one_line(&entry.path);
            let slash = if entry.kind == EntryKind::Directory {
                "/"
            } else {
                ""
            };
            format!("{path}{slash}")
        };
        let mut lines: Vec<String> = output.entries.iter().map(line).collect();
        if output.truncated {
            lines.push(
                "[… more entries; list one of these directories, or search with a glob]".to_owned(),
            );
        }
        lines.join("\n")
    }
}
