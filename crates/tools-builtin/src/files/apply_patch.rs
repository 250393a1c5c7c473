//! Tool that changes several files by a patch: all of it, or nothing.

mod placed;
mod sections;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use self::placed::{Placed, place};
use self::sections::{Section, sections};
use super::SessionFiles;
use super::diff::Hunk;
use super::patch::parse;
use crate::blocking::blocking;
use crate::workspace::on_one_line;

/// Patch to apply.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct ApplyPatchInput {
    /// The patch.
    patch: String,
}

/// Result of a patch.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ApplyPatchOutput {
    /// Changed files.
    pub(crate) files: Vec<PatchedFile>,
    /// Text for the model.
    #[serde(skip)]
    reply: String,
}

/// File that a patch changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct PatchedFile {
    /// Path relative to the workspace root; of a moved file, the new one.
    pub(crate) path: String,
    /// What happened.
    pub(crate) kind: PatchKind,
    /// Path before a move; null if it was not moved.
    pub(crate) moved_from: Option<String>,
    /// Lines that changed, in an updated file.
    pub(crate) hunks: Vec<Hunk>,
    /// Unified diff of the change.
    pub(crate) diff: String,
    /// SHA-256 digest of the file before; null if it did not exist.
    pub(crate) before: Option<String>,
    /// SHA-256 digest of the file after; null if it was deleted.
    pub(crate) after: Option<String>,
}

/// What a patch does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PatchKind {
    Added,
    Updated,
    Deleted,
}

/// Applies patches to the files of a workspace.
#[derive(Debug, Clone)]
pub(crate) struct ApplyPatch(pub(super) SessionFiles);

impl ApplyPatch {
    /// Places the whole patch in memory.
    fn place(&self, input: &ApplyPatchInput) -> Result<Vec<Placed>, ToolError> {
        let sections = sections(parse(&input.patch)?, &self.0.workspace)?;
        place(sections, &self.0.workspace, &self.0.seen)
    }

    fn apply(
        &self,
        cx: &ToolContext,
        input: &ApplyPatchInput,
    ) -> Result<ApplyPatchOutput, ToolError> {
        let placed = self.place(input)?;
        self.0.previewed.check(cx, "patch", contents(&placed))?;
        let writes = placed::writes(&placed);
        let workspace = self.0.workspace.for_call(cx);
        workspace
            .write_together(&writes, cx.cancellation())
            .map_err(placed::about_patch)?;
        let (mut files, mut text) = (Vec::new(), String::new());
        let mut lines_left = MAX_LINES;
        for placed in &placed {
            files.push(placed.output());
            let shown = placed.reply(lines_left);
            lines_left = lines_left.saturating_sub(shown.lines().count().saturating_sub(1));
            let _ = writeln!(text, "{shown}");
            placed.remember(&self.0.seen, &self.0.workspace);
            placed.paths().for_each(|path| cx.affected(path));
            placed.notes().into_iter().for_each(|note| cx.warn(note));
        }
        let reply = text.trim_end().to_owned();
        Ok(ApplyPatchOutput { files, reply })
    }

    fn preview(&self, cx: &ToolContext, input: &ApplyPatchInput) -> Result<String, ToolError> {
        let placed = self.place(input)?;
        self.0.previewed.remember(cx, contents(&placed));
        let mut text = String::new();
        for placed in &placed {
            let output = placed.output();
            if let Some(from) = &output.moved_from {
                let (from, to) = (on_one_line(from), on_one_line(&output.path));
                let _ = writeln!(text, "rename from {from}\nrename to {to}");
            }
            text.push_str(&output.diff);
        }
        Ok(text)
    }
}

/// Maximum number of lines of all files in the reply.
const MAX_LINES: usize = 60;

/// Returns the contents before and after.
fn contents(placed: &[Placed]) -> impl Iterator<Item = &[u8]> {
    placed.iter().flat_map(Placed::contents)
}

impl TypedTool for ApplyPatch {
    type Input = ApplyPatchInput;
    type Output = ApplyPatchOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("input", "patch"),
        ("diff", "patch"),
        ("patch_text", "patch"),
        ("patchText", "patch"),
        ("command", "patch"),
    ];

    fn plan(&self, _cx: &ToolContext, input: &ApplyPatchInput) -> Result<CallPlan, ToolError> {
        let sections = sections(parse(&input.patch)?, &self.0.workspace)?;
        let paths = sections.iter().flat_map(Section::paths);
        Ok(paths.fold(CallPlan::of(Self::RISK), |plan, path| {
            self.0.workspace.also_writing(plan, path)
        }))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &ApplyPatchInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (tool, input) = (self.clone(), input.clone());
        // A patch that fails here fails when it runs, so nobody should approve it.
        let diff = blocking(cx, move |cx| tool.preview(cx, &input)).await?;
        Ok(Some(Preview::diff(diff)))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let tool = self.clone();
        blocking(cx, move |cx| tool.apply(cx, &input)).await
    }

    fn render(output: &ApplyPatchOutput) -> String {
        output.reply.clone()
    }
}
