//! Tool that lists the files in a directory or in a directory tree.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::{defaults, warn_of_missed};
use crate::blocking::blocking;
use crate::workspace::{Entry, EntryKind, FoundFile, Pattern, WalkOptions, Workspace};

/// Files to list.
///
/// # Examples
/// ```
/// use tools_builtin::files::ListFilesInput;
///
/// let input: ListFilesInput = serde_json::from_str(r#"{"pattern": "*.rs"}"#)?;
/// assert_eq!((input.path.as_str(), input.limit.get()), (".", 1000));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate parameter"
)]
pub struct ListFilesInput {
    /// Path of the directory, relative to the workspace root. Omit to list the root.
    #[serde(default = "defaults::root")]
    pub path: String,
    /// Glob that the files must match, such as `*.rs`, `src/**/*.ts` or `*.{js,ts}`. A glob without `/` matches the file name. Omit to list all files.
    pub pattern: Option<String>,
    /// Whether to list the files in all subdirectories as well.
    #[serde(default)]
    pub recursive: bool,
    /// Maximum number of files to list.
    #[serde(default = "defaults::limit")]
    pub limit: NonZeroUsize,
    /// Whether to include files and directories whose names start with a dot.
    #[serde(default)]
    pub hidden: bool,
    /// Whether to include files that .gitignore and .ignore exclude.
    #[serde(default)]
    pub ignored: bool,
    /// Whether a recursive listing omits the directory .git even if hidden files are included.
    #[serde(default)]
    pub skip_git: bool,
}

/// Files found, sorted by path.
///
/// # Examples
/// ```
/// use tools_builtin::files::ListFilesOutput;
///
/// let output = ListFilesOutput { files: Vec::new(), truncated: false };
/// assert_eq!(serde_json::to_value(output)?["truncated"], false);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListFilesOutput {
    /// Files found.
    pub files: Vec<FileEntry>,
    /// Whether there are more files than were listed.
    pub truncated: bool,
}

/// File in a listing.
///
/// # Examples
/// ```
/// use tools_builtin::files::FileEntry;
///
/// let file = FileEntry { path: "src/a.rs".to_owned(), name: "a.rs".to_owned(), size: 7 };
/// assert!(file.path.ends_with(&file.name));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileEntry {
    /// Path relative to the workspace root.
    pub path: String,
    /// Last component of the path.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
}

/// Lists files in a workspace.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::files::{ListFiles, ListFilesInput};
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("src/a.rs", "fn a() {}");
/// let tool = ListFiles::new(Workspace::open(scratch.path())?);
/// let input: ListFilesInput = serde_json::from_str(r#"{"recursive": true}"#)?;
/// let output = tool.run(&ToolContext::test(), input).await?;
/// assert_eq!(output.files[0].path, "src/a.rs");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ListFiles {
    pub(crate) workspace: Workspace,
}

impl ListFiles {
    /// Creates a tool that reads only inside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn list(&self, cx: &ToolContext, input: &ListFilesInput) -> Result<ListFilesOutput, ToolError> {
        let options = options_of(input)?;
        let limit = input.limit.get();
        let (mut found, walk) = self.workspace.find(
            "path",
            &input.path,
            &options,
            cx.cancellation(),
            limit.saturating_add(1),
            |entry| self.size_of(entry),
        )?;
        let more = found.len() > limit;
        found.truncate(limit);
        let files: Vec<FileEntry> = found.into_iter().map(entry_of).collect();
        warn_of_directory_in_pattern(cx, input);
        if let (true, Some(pattern)) = (files.is_empty() && input.recursive, &input.pattern) {
            let repeated =
                Pattern::parse("pattern", pattern)?.repeats("pattern", "path", &input.path);
            if let Some(warning) = repeated {
                cx.warn(warning);
            }
        }
        if !more {
            warn_of_missed(cx, &self.workspace, &walk, files.len());
        }
        let truncated = more || walk.truncated();
        Ok(ListFilesOutput { files, truncated })
    }

    /// Returns the size of a file. A symlink counts if its target is a file inside the workspace.
    fn size_of(&self, entry: &Entry) -> Option<u64> {
        if entry.kind() != EntryKind::Link {
            return Some(entry.size());
        }
        let (kind, size) = self.workspace.target_of(entry)?;
        (kind == EntryKind::File).then_some(size)
    }
}

fn entry_of((path, size): FoundFile) -> FileEntry {
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    FileEntry { path, name, size }
}

impl TypedTool for ListFiles {
    type Input = ListFilesInput;
    type Output = ListFilesOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &ListFilesInput) -> Result<CallPlan, ToolError> {
        drop(options_of(input)?);
        Ok(self.workspace.plan_of_read("path", &input.path))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let tool = self.clone();
        blocking(cx, move |cx| tool.list(cx, &input)).await
    }
}

fn warn_of_directory_in_pattern(cx: &ToolContext, input: &ListFilesInput) {
    let pattern = input.pattern.as_deref().unwrap_or_default();
    if !input.recursive && pattern.trim_start_matches(['.', '/']).contains('/') {
        cx.warn("The pattern contains a directory, but only one directory was listed. Pass that directory as `path`. Set `recursive` to list all subdirectories.");
    }
}

fn options_of(input: &ListFilesInput) -> Result<WalkOptions, ToolError> {
    let pattern = input
        .pattern
        .as_deref()
        .map(|pattern| Pattern::parse("pattern", pattern))
        .transpose()?;
    Ok(WalkOptions {
        counts_skipped: pattern.is_some(),
        pattern,
        hidden: input.hidden,
        ignored: input.ignored,
        skips_git: input.skip_git,
        max_depth: if input.recursive { usize::MAX } else { 1 },
        ..WalkOptions::kinds([EntryKind::File, EntryKind::Link])
    })
}

#[cfg(test)]
mod tests;
