//! Tool that lists one directory.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::defaults;
use crate::blocking::blocking;
use crate::workspace::{Entry, EntryKind, Workspace};

const MAX_ENTRIES: usize = 100_000;

/// Directory to list, and the part of the listing to return.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ListDirInput {
    /// Path of the directory, relative to the workspace root. Omit to list the root.
    #[serde(default = "defaults::root")]
    pub(crate) path: String,
    /// Number of entries to skip, to continue a truncated listing.
    #[serde(default)]
    pub(crate) offset: usize,
    /// Maximum number of entries to list.
    #[serde(default = "defaults::limit")]
    pub(crate) limit: NonZeroUsize,
}

/// Entries of a directory: first files and other entries, then directories, both sorted by name.
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ListDirOutput {
    /// The entries.
    pub(crate) entries: Vec<DirEntry>,
    /// Number of entries in the directory.
    pub(crate) total_entries: usize,
    /// Number of files among them.
    pub(crate) files: usize,
    /// Number of directories among them.
    pub(crate) directories: usize,
    /// Whether there are more entries after the last one listed.
    pub(crate) truncated: bool,
    /// Offset of the next entry. Used only for the rendered text.
    #[serde(skip)]
    pub(crate) next_offset: usize,
}

/// Entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DirEntry {
    /// Name of the entry.
    pub(crate) name: String,
    /// Kind of the entry. A symlink has the kind of its target if the target is in the workspace.
    pub(crate) kind: EntryKind,
    /// Size in bytes, for a file.
    pub(crate) size: Option<u64>,
}

/// Lists directories in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct ListDir(pub(crate) Workspace);

impl ListDir {
    fn list(&self, cx: &ToolContext, input: &ListDirInput) -> Result<ListDirOutput, ToolError> {
        let directory = self.0.existing_dir("path", &input.path)?;
        let (entries, complete) = directory.entries("path", MAX_ENTRIES)?;
        if !complete {
            cx.warn(format!(
                "The directory has more than {MAX_ENTRIES} entries, of which only {MAX_ENTRIES} can be listed. Search for names instead."
            ));
        }
        let total = entries.len();
        if input.offset > 0 && input.offset >= total {
            return Err(past_the_end(total));
        }
        let mut known: Vec<(EntryKind, Entry)> = entries
            .into_iter()
            .map(|entry| (self.0.kind_of(&entry), entry))
            .collect();
        known.sort_by(|left, right| in_order(left).cmp(&in_order(right)));
        let count = |wanted| known.iter().filter(|(kind, _)| *kind == wanted).count();
        let (files, directories) = (count(EntryKind::File), count(EntryKind::Directory));
        let entries: Vec<DirEntry> = known
            .iter()
            .skip(input.offset)
            .take(input.limit.get())
            .map(|(kind, entry)| self.show(*kind, entry))
            .collect();
        let next_offset = input.offset.saturating_add(entries.len());
        Ok(ListDirOutput {
            entries,
            total_entries: total,
            files,
            directories,
            truncated: next_offset < total || !complete,
            next_offset,
        })
    }

    fn show(&self, kind: EntryKind, entry: &Entry) -> DirEntry {
        let size = match (kind, entry.kind()) {
            (EntryKind::File, EntryKind::Link) => self.0.target_of(entry).map(|(_, size)| size),
            (EntryKind::File, _) => Some(entry.size()),
            _ => None,
        };
        DirEntry {
            name: entry.name().to_owned(),
            kind,
            size,
        }
    }
}

impl TypedTool for ListDir {
    type Input = ListDirInput;
    type Output = ListDirOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &ListDirInput) -> Result<CallPlan, ToolError> {
        Ok(self.0.plan_of_read("path", &input.path))
    }

    async fn run(&self, cx: &ToolContext, input: ListDirInput) -> Result<ListDirOutput, ToolError> {
        let tool = self.clone();
        blocking(cx, move |cx| tool.list(cx, &input)).await
    }
}

fn in_order((kind, entry): &(EntryKind, Entry)) -> (bool, &str) {
    (*kind == EntryKind::Directory, entry.name())
}

fn past_the_end(total: usize) -> ToolError {
    let noun = if total == 1 { "entry" } else { "entries" };
    let sentence = format!("is past the end: the directory has {total} {noun}");
    ToolError::invalid_arguments("offset", sentence).suggest("Use a smaller `offset`.")
}

#[cfg(test)]
mod tests;
