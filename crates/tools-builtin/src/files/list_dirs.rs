//! Tool that lists the directories below a directory.

use std::num::NonZeroUsize;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Assessment;
use tool_core::{CancellationToken, RiskLevel, TextLimit, ToolContext, ToolError, TypedTool};

use super::defaults;
use crate::blocking::blocking;
use crate::workspace::{EntryKind, Walk, WalkOptions, Workspace, on_one_line};

const MAX_DEPTH: usize = 3;

/// Directories to list.
///
/// # Examples
/// ```
/// use tools_builtin::files::ListDirsInput;
///
/// let input: ListDirsInput = serde_json::from_str("{}")?;
/// assert_eq!((input.path.as_str(), input.depth, input.limit.get()), (".", 1, 50));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ListDirsInput {
    /// Path of the directory, relative to the workspace root. Omit to start at the root.
    #[serde(default = "defaults::root")]
    pub path: String,
    /// Number of levels below the directory to list, from 1 to 3. Other values are clamped to this range.
    #[serde(default = "one")]
    #[schemars(with = "i64")]
    pub depth: usize,
    /// Maximum number of directories to list.
    #[serde(default = "fifty")]
    pub limit: NonZeroUsize,
    /// Whether to include directories whose names start with a dot.
    #[serde(default)]
    pub hidden: bool,
    /// Whether to include directories that .gitignore and .ignore exclude.
    #[serde(default)]
    pub ignored: bool,
}

fn one() -> usize {
    1
}

fn fifty() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(49)
}

/// Directories found, sorted by path.
///
/// # Examples
/// ```
/// use tools_builtin::files::ListDirsOutput;
///
/// let output = ListDirsOutput { dirs: Vec::new(), truncated: false };
/// assert_eq!(serde_json::to_value(output)?["truncated"], false);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListDirsOutput {
    /// Directories found.
    pub dirs: Vec<FoundDirectory>,
    /// Whether there are more directories than were listed.
    pub truncated: bool,
}

/// Directory in a listing.
///
/// # Examples
/// ```
/// use tools_builtin::files::FoundDirectory;
///
/// let found = FoundDirectory { path: "src/web".to_owned(), depth: 2 };
/// assert_eq!(serde_json::to_value(found)?["depth"], 2);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundDirectory {
    /// Path relative to the workspace root.
    pub path: String,
    /// Number of levels below the listed directory; 1 for its own entries.
    pub depth: usize,
}

/// Lists directories in a workspace, at most three levels deep.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, TextLimit, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::files::{ListDirs, ListDirsInput};
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().folder("src/web").folder("tests");
/// let tool = ListDirs::new(Workspace::open(scratch.path())?);
/// let input: ListDirsInput = serde_json::from_str(r#"{"depth": 2}"#)?;
/// let output = tool.run(&ToolContext::test(), input, &TextLimit::default()).await?;
/// assert_eq!(ListDirs::render(&output), "src/\nsrc/web/\ntests/");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ListDirs {
    workspace: Workspace,
}

impl ListDirs {
    /// Creates a tool that reads only inside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn list(
        &self,
        cx: &ToolContext,
        input: &ListDirsInput,
        limits: &TextLimit,
        cancellation: &CancellationToken,
    ) -> Result<ListDirsOutput, ToolError> {
        let depth = input.depth.clamp(1, MAX_DEPTH);
        let options = WalkOptions::kinds([EntryKind::Directory, EntryKind::Link])
            .with_hidden(input.hidden)
            .with_ignored(input.ignored)
            .with_max_depth(depth);
        let mut walk = self
            .workspace
            .walk("path", &input.path, &options, cancellation)?;
        let limit = input.limit.get().min(limits.max_lines);
        let mut found = walk
            .by_ref()
            .filter(|entry| self.workspace.kind_of(entry) == EntryKind::Directory)
            .map(|entry| FoundDirectory {
                path: entry.path().to_owned(),
                depth: entry.depth(),
            });
        let dirs: Vec<FoundDirectory> = found.by_ref().take(limit).collect();
        let more = found.next().is_some();
        warn(cx, input, depth, &walk);
        Ok(ListDirsOutput {
            dirs,
            truncated: more || walk.truncated(),
        })
    }
}

#[async_trait]
impl TypedTool for ListDirs {
    type Input = ListDirsInput;
    type Output = ListDirsOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    fn assess(&self, input: &ListDirsInput) -> Result<Assessment, ToolError> {
        Ok(self
            .workspace
            .assess_path(Assessment::default(), "path", &input.path))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListDirsInput,
        limits: &TextLimit,
    ) -> Result<ListDirsOutput, ToolError> {
        let (engine, context, limits) = (self.clone(), cx.clone(), *limits);
        blocking(cx, move |cancellation| {
            engine.list(&context, &input, &limits, cancellation)
        })
        .await
    }

    fn render(output: &ListDirsOutput) -> String {
        if output.dirs.is_empty() && !output.truncated {
            return "No directories found.".to_owned();
        }
        let mut lines: Vec<String> = output
            .dirs
            .iter()
            .map(|found| format!("{}/", on_one_line(&found.path)))
            .collect();
        if output.truncated {
            lines.push("[… more directories; list one of these, or raise limit]".to_owned());
        }
        lines.join("\n")
    }
}

fn warn(cx: &ToolContext, input: &ListDirsInput, depth: usize, walk: &Walk) {
    if depth != input.depth {
        let further = if depth < input.depth {
            " List a subdirectory to see more."
        } else {
            ""
        };
        cx.warn(format!(
            "The requested depth was {}; {depth} was used.{further}",
            input.depth
        ));
    }
    let unreadable = walk.unreadable();
    if unreadable > 0 {
        cx.warn(format!("Directories that could not be read: {unreadable}."));
    }
}

#[cfg(test)]
mod tests;
