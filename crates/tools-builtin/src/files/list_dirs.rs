//! Listing the folders below a folder.

use std::num::NonZeroUsize;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CancellationToken, Engine, Limits, RiskLevel, ToolContext, ToolError};

use super::defaults;
use crate::blocking::blocking;
use crate::workspace::{Entry, EntryKind, Walk, WalkOptions, Workspace, on_one_line};

const MAX_DEPTH: usize = 3;

/// Which folders to list.
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
    /// Path of the folder, relative to the workspace root. Omit for the root itself.
    #[serde(default = "defaults::root")]
    pub path: String,
    /// How many levels below the folder to list, from 1 to 3; a number outside is brought into this range.
    #[serde(default = "one")]
    #[schemars(with = "i64")]
    pub depth: usize,
    /// The most folders to list.
    #[serde(default = "fifty")]
    pub limit: NonZeroUsize,
    /// Whether to list folders whose names begin with a dot.
    #[serde(default)]
    pub hidden: bool,
    /// Whether to list folders that .gitignore and .ignore leave out.
    #[serde(default)]
    pub ignored: bool,
}

fn one() -> usize {
    1
}

fn fifty() -> NonZeroUsize {
    NonZeroUsize::MIN.saturating_add(49)
}

/// The folders that were found, in the order of their paths.
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
    /// The folders.
    pub dirs: Vec<FoundDirectory>,
    /// Whether there are more folders than were listed.
    pub truncated: bool,
}

/// One folder.
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
    /// How many levels it lies below the folder that was asked for; 1 is directly in it.
    pub depth: usize,
}

/// Lists folders inside one workspace, at most three levels deep.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::files::{ListDirs, ListDirsInput};
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().folder("src/web").folder("tests");
/// let engine = ListDirs::new(Workspace::open(scratch.path())?);
/// let input: ListDirsInput = serde_json::from_str(r#"{"depth": 2}"#)?;
/// let output = engine.run(&ToolContext::test(), input, &Limits::default()).await?;
/// assert_eq!(ListDirs::render(&output), "src/\nsrc/web/\ntests/");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ListDirs {
    workspace: Workspace,
}

impl ListDirs {
    /// Creates an engine that never looks outside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn list(
        &self,
        cx: &ToolContext,
        input: &ListDirsInput,
        limits: &Limits,
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
            .filter(|entry| self.is_folder(entry))
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

    /// A link counts when it leads to a folder inside the workspace.
    fn is_folder(&self, entry: &Entry) -> bool {
        entry.kind() == EntryKind::Directory
            || self
                .workspace
                .target_of(entry)
                .is_some_and(|(kind, _)| kind == EntryKind::Directory)
    }
}

#[async_trait]
impl Engine for ListDirs {
    type Input = ListDirsInput;
    type Output = ListDirsOutput;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(
        &self,
        cx: &ToolContext,
        input: ListDirsInput,
        limits: &Limits,
    ) -> Result<ListDirsOutput, ToolError> {
        let (engine, context, limits) = (self.clone(), cx.clone(), *limits);
        blocking(cx, move |cancellation| {
            engine.list(&context, &input, &limits, cancellation)
        })
        .await
    }

    fn render(output: &ListDirsOutput) -> String {
        if output.dirs.is_empty() && !output.truncated {
            return "No folders found.".to_owned();
        }
        let mut lines: Vec<String> = output
            .dirs
            .iter()
            .map(|found| format!("{}/", on_one_line(&found.path)))
            .collect();
        if output.truncated {
            lines.push("[… more folders; list one of these, or raise limit]".to_owned());
        }
        lines.join("\n")
    }
}

fn warn(cx: &ToolContext, input: &ListDirsInput, depth: usize, walk: &Walk) {
    if depth != input.depth {
        let further = if depth < input.depth {
            " List a folder further down to see more."
        } else {
            ""
        };
        cx.warn(format!(
            "A depth of {} was asked for; {depth} was used.{further}",
            input.depth
        ));
    }
    let unreadable = walk.unreadable();
    if unreadable > 0 {
        cx.warn(format!("Folders that could not be read: {unreadable}."));
    }
}

#[cfg(test)]
mod tests;
