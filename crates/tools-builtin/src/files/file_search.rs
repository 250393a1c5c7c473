//! Finding files by their names.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CancellationToken, Engine, Limits, RiskLevel, ToolContext, ToolError};

use super::defaults;
use crate::blocking::blocking;
use crate::workspace::{Entry, EntryKind, Pattern, Walk, WalkOptions, Workspace, on_one_line};

/// How many folders may lie inside each other.
const MAX_DEPTH: usize = 20;

/// Which files to find.
///
/// # Examples
/// ```
/// use tools_builtin::files::FileSearchInput;
///
/// let input: FileSearchInput = serde_json::from_str(r#"{"pattern": "**/*.rs"}"#)?;
/// assert_eq!((input.base_path.as_str(), input.limit.get()), (".", 1000));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct FileSearchInput {
    /// Glob that the paths below `base_path` must match, such as `**/*.py`, `src/**/*.ts` or `*.{js,ts}`. A glob without `/` is about the file name, at any depth.
    pub pattern: String,
    /// Path of the folder to search in, relative to the workspace root. Omit for the root itself.
    #[serde(default = "defaults::root")]
    pub base_path: String,
    /// The most files to return.
    #[serde(default = "defaults::limit")]
    pub limit: NonZeroUsize,
    /// Whether to find files and folders whose names begin with a dot.
    #[serde(default)]
    pub hidden: bool,
    /// Whether to find files that .gitignore and .ignore leave out.
    #[serde(default)]
    pub ignored: bool,
}

/// The files that were found, in the order of their paths.
///
/// # Examples
/// ```
/// use tools_builtin::files::FileSearchOutput;
///
/// let output = FileSearchOutput { files: vec!["src/a.rs".to_owned()], matches: 1, ..FileSearchOutput::default() };
/// assert_eq!(serde_json::to_value(output)?["files"][0], "src/a.rs");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileSearchOutput {
    /// Paths of the files, relative to the workspace root.
    pub files: Vec<String>,
    /// How many files match; at least so many where not every folder could be looked into.
    pub matches: usize,
    /// Whether more files match than were returned.
    pub truncated: bool,
    /// The glob; for the text alone.
    #[serde(skip)]
    pub pattern: String,
}

/// Finds files by glob inside one workspace, at most 20 levels deep.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::files::{FileSearch, FileSearchInput};
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("src/a.rs", "").file("src/web/b.rs", "").file("README.md", "");
/// let engine = FileSearch::new(Workspace::open(scratch.path())?);
/// let input: FileSearchInput = serde_json::from_str(r#"{"pattern": "**/*.rs"}"#)?;
/// let output = engine.run(&ToolContext::test(), input, &Limits::default()).await?;
/// assert_eq!(FileSearch::render(&output), "src/a.rs\nsrc/web/b.rs");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FileSearch {
    workspace: Workspace,
}

impl FileSearch {
    /// Creates an engine that never looks outside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn search(
        &self,
        cx: &ToolContext,
        input: FileSearchInput,
        limits: &Limits,
        cancellation: &CancellationToken,
    ) -> Result<FileSearchOutput, ToolError> {
        let pattern = Pattern::parse("pattern", &input.pattern)?;
        let options = WalkOptions::kinds([EntryKind::File, EntryKind::Link])
            .with_pattern(Some(pattern.clone()))
            .with_hidden(input.hidden)
            .with_ignored(input.ignored)
            .with_max_depth(MAX_DEPTH);
        let mut walk =
            self.workspace
                .walk("base_path", &input.base_path, &options, cancellation)?;
        let limit = input.limit.get().min(limits.max_lines);
        let (mut files, mut matches) = (Vec::new(), 0);
        // Nothing breaks it off: all of them are counted.
        let _ = walk.hand_over(|entry| {
            if self.is_file(&entry) {
                matches += 1;
                if files.len() < limit {
                    files.push(entry.into_path());
                }
            }
            ControlFlow::Continue(())
        });
        warn(cx, &walk);
        if matches == 0 {
            let told = pattern.repeats("pattern", "base_path", &input.base_path);
            if let Some(warning) = told {
                cx.warn(warning);
            }
        }
        Ok(FileSearchOutput {
            truncated: matches > files.len() || walk.truncated(),
            files,
            matches,
            pattern: input.pattern,
        })
    }

    /// A link counts when it leads to a file inside the workspace.
    fn is_file(&self, entry: &Entry) -> bool {
        entry.kind() == EntryKind::File
            || self
                .workspace
                .target_of(entry)
                .is_some_and(|(kind, _)| kind == EntryKind::File)
    }
}

#[async_trait]
impl Engine for FileSearch {
    type Input = FileSearchInput;
    type Output = FileSearchOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn check(&self, input: &FileSearchInput) -> Result<(), ToolError> {
        Pattern::parse("pattern", &input.pattern).map(|_| ())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: FileSearchInput,
        limits: &Limits,
    ) -> Result<FileSearchOutput, ToolError> {
        let (engine, context, limits) = (self.clone(), cx.clone(), *limits);
        blocking(cx, move |cancellation| {
            engine.search(&context, input, &limits, cancellation)
        })
        .await
    }

    fn render(output: &FileSearchOutput) -> String {
        if output.files.is_empty() {
            return format!("No files match `{}`.", output.pattern);
        }
        let more = output.matches.saturating_sub(output.files.len());
        let paths: Vec<_> = output.files.iter().map(|path| on_one_line(path)).collect();
        let mut text = paths.join("\n");
        if more > 0 {
            let noun = if more == 1 { "file" } else { "files" };
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "\n[… {more} {noun} more; narrow pattern or base_path, or raise limit]"
            );
        }
        text
    }
}

fn warn(cx: &ToolContext, walk: &Walk) {
    if walk.truncated() {
        cx.warn("Not every folder was looked into: there are too many entries. Search in a folder further down.");
    }
    let unreadable = walk.unreadable();
    if unreadable > 0 {
        cx.warn(format!("Folders that could not be read: {unreadable}."));
    }
}

#[cfg(test)]
mod tests;
