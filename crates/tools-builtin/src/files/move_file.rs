//! Tool that moves a file.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, CancellationToken, RiskLevel, ToolContext, ToolError, TypedTool};

use super::delete_file::MAX_BYTES;
use super::seen::{Comparison, SeenFiles};
use crate::blocking::blocking;
use crate::workspace::{FileWrite, Workspace};

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

impl fmt::Display for MoveFileOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Moved {} to {}", self.from, self.to)
    }
}

/// Moves files in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct MoveFile {
    workspace: Workspace,
    seen: SeenFiles,
}

impl MoveFile {
    /// Creates a tool that moves files only inside `workspace`, and knows what the model has `seen`.
    pub(crate) fn new(workspace: Workspace, seen: SeenFiles) -> Self {
        Self { workspace, seen }
    }

    fn relocate(
        &self,
        cx: &ToolContext,
        input: &MoveFileInput,
        cancellation: &CancellationToken,
    ) -> Result<MoveFileOutput, ToolError> {
        let content = self
            .workspace
            .existing_file("from", &input.from)?
            .read(MAX_BYTES)?;
        let (old, new) = (
            self.workspace.key_of(&input.from),
            self.workspace.key_of(&input.to),
        );
        let is_known = self.seen.compare(&old, &content) == Comparison::Unchanged;
        let content = Arc::new(content);
        let write = |parameter: &str, path: &str, before, after, like| FileWrite {
            parameter: parameter.to_owned(),
            path: path.to_owned(),
            before,
            after,
            like,
        };
        let writes = [
            write("to", &input.to, None, Some(content.to_vec()), Some(1)),
            write("from", &input.from, Some(Arc::clone(&content)), None, None),
        ];
        let workspace = self.workspace.for_call(cx);
        let paths = workspace.write_together(&writes, cancellation)?;
        if is_known {
            self.seen.remember(&new, &content);
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
        let plan = self
            .workspace
            .plan_of_write(Self::RISK, "from", &input.from);
        let findings = self
            .workspace
            .assess_path(plan.findings.clone(), "to", &input.to);
        let plan = plan.with_findings(findings);
        Ok(self.workspace.also_writing(plan, &input.to))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: MoveFileInput,
    ) -> Result<MoveFileOutput, ToolError> {
        let (tool, context) = (self.clone(), cx.clone());
        blocking(cx, move |cancellation| {
            tool.relocate(&context, &input, cancellation)
        })
        .await
    }

    fn render(output: &MoveFileOutput) -> String {
        output.to_string()
    }
}
