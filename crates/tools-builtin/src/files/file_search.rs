//! Tool that finds files by name.

use std::fmt::Write as _;
use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::{defaults, warn_of_missed};
use crate::blocking::blocking;
use crate::workspace::{Entry, EntryKind, Pattern, WalkOptions, Workspace, on_one_line};

/// Maximum directory depth.
const MAX_DEPTH: usize = 20;

/// Files to find.
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
    /// Glob that paths below `base_path` must match, such as `**/*.py`, `src/**/*.ts` or `*.{js,ts}`. A glob without `/` matches the file name at any depth. Hidden and ignored files must be named, as in `.github/**`.
    pub pattern: String,
    /// Path of the directory to search, relative to the workspace root. Omit to search the root.
    #[serde(default = "defaults::root")]
    pub base_path: String,
    /// Maximum number of files to return.
    #[serde(default = "defaults::limit")]
    pub limit: NonZeroUsize,
}

/// Files found, sorted by path.
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
    /// Number of matching files; a lower bound if some directories were not searched.
    pub matches: usize,
    /// Whether more files match than were returned.
    pub truncated: bool,
    /// The glob. Used only for the rendered text.
    #[serde(skip)]
    pub pattern: String,
}

/// Finds files by glob inside one workspace, at most 20 levels deep.
///
/// Hidden and ignored files are found if the glob names them: `.github/**` names a hidden directory,
/// `target/debug/a.d` an ignored one. A result of fewer than 5 files states the number of other
/// hidden and ignored files that match.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::files::{FileSearch, FileSearchInput};
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("src/a.rs", "").file("src/web/b.rs", "").file("README.md", "");
/// let tool = FileSearch::new(Workspace::open(scratch.path())?);
/// let input: FileSearchInput = serde_json::from_str(r#"{"pattern": "**/*.rs"}"#)?;
/// let output = tool.run(&ToolContext::test(), input).await?;
/// assert_eq!(FileSearch::render(&output), "src/a.rs\nsrc/web/b.rs");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FileSearch {
    workspace: Workspace,
}

impl FileSearch {
    /// Creates a tool that reads only inside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn search(
        &self,
        cx: &ToolContext,
        input: FileSearchInput,
    ) -> Result<FileSearchOutput, ToolError> {
        let pattern = Pattern::parse("pattern", &input.pattern)?;
        let options = WalkOptions {
            pattern: Some(pattern.clone()),
            max_depth: MAX_DEPTH,
            is_depth_chosen: false,
            counts_skipped: true,
            ..WalkOptions::kinds([EntryKind::File, EntryKind::Link])
        };
        let size_of =
            |entry: &Entry| (self.workspace.kind_of(entry) == EntryKind::File).then_some(0);
        let (found, walk) = self.workspace.find(
            "base_path",
            &input.base_path,
            &options,
            cx.cancellation(),
            usize::MAX,
            size_of,
        )?;
        let matches = found.len();
        let found = found.into_iter().take(input.limit.get());
        let files: Vec<String> = found.map(|(path, _)| path).collect();
        warn_of_missed(cx, &self.workspace, &walk, matches);
        if matches == 0 {
            let repeated = pattern.repeats("pattern", "base_path", &input.base_path);
            if let Some(warning) = repeated {
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
}

impl TypedTool for FileSearch {
    type Input = FileSearchInput;
    type Output = FileSearchOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn plan(&self, _cx: &ToolContext, input: &FileSearchInput) -> Result<CallPlan, ToolError> {
        Pattern::parse("pattern", &input.pattern)?;
        Ok(self.workspace.plan_of_read("base_path", &input.base_path))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let tool = self.clone();
        blocking(cx, move |cx| tool.search(cx, input)).await
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
                "\n[… {more} more {noun}; narrow pattern or base_path, or raise limit]"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests;
