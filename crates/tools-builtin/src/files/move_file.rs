//! Tool that moves a file.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::SessionFiles;
use super::delete_file::MAX_BYTES;
use super::seen::Comparison;
use crate::blocking::blocking;
use crate::workspace::FileWrite;

/// File to move.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct MoveFileInput {
    /// File.
    from: String,
    /// New path, which must not exist.
    to: String,
}

/// Result of a move.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct MoveFileOutput {
    /// Path before, relative to the workspace root.
    from: String,
    /// Path after, relative to the workspace root.
    to: String,
}

/// Moves files in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct MoveFile(pub(super) SessionFiles);

impl MoveFile {
    fn relocate(
        &self,
        cx: &ToolContext,
        input: &MoveFileInput,
    ) -> Result<MoveFileOutput, ToolError> {
        let SessionFiles {
            workspace, seen, ..
        } = &self.0;
        let mut file = workspace.existing_file("from", &input.from)?;
        let content = file.read(MAX_BYTES)?;
        let [old, new] = [&input.from, &input.to].map(|path| workspace.key_of(path));
        let is_known = seen.compare(&old, &content) == Comparison::Unchanged;
        let content = Arc::new(content);
        let write = |parameter: &str, path: &str, before, after, like| FileWrite {
            parameter: parameter.to_owned(),
            path: path.to_owned(),
            before,
            after,
            like,
        };
        let writes = [
            write("to", &input.to, None, Some(Arc::clone(&content)), Some(1)),
            write("from", &input.from, Some(Arc::clone(&content)), None, None),
        ];
        let workspace = workspace.for_call(cx);
        let paths = workspace.write_together(&writes, cx.cancellation())?;
        if is_known {
            seen.remember(&new, &content);
        }
        paths.iter().rev().for_each(|path| cx.affected(path));
        let mut paths = paths.into_iter();
        let to = paths.next().unwrap_or_default();
        Ok(MoveFileOutput {
            from: paths.next().unwrap_or_default(),
            to,
        })
    }
}

impl TypedTool for MoveFile {
    type Input = MoveFileInput;
    type Output = MoveFileOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("source", "from"),
        ("old_path", "from"),
        ("destination", "to"),
        ("new_path", "to"),
    ];

    fn plan(&self, _cx: &ToolContext, input: &MoveFileInput) -> Result<CallPlan, ToolError> {
        let workspace = &self.0.workspace;
        let plan = workspace.plan_of_write(Self::RISK, "from", &input.from);
        let plan = workspace.matching_path(plan, "to", &input.to);
        Ok(workspace.also_writing(plan, &input.to))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let tool = self.clone();
        blocking(cx, move |cx| tool.relocate(cx, &input)).await
    }

    fn render(output: &MoveFileOutput) -> String {
        format!("Moved {} to {}", output.from, output.to)
    }
}
