//! Tool that changes parts of a file.

mod change;
mod input;
mod refused;
mod reply;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::approval::Preview;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

pub(super) use self::change::{Change, NotChanged};
pub(crate) use self::input::EditFileInput;
pub(super) use self::refused::code_of;
use super::SessionFiles;
use super::diff::{Hunk, between, hunks};
use super::edit::Edit;
use crate::blocking::blocking;
use crate::workspace::{Workspace, WriteMode, digest_of};

/// Maximum size in bytes of a file, before and after its edits.
pub(super) const MAX_BYTES: usize = 10 * 1024 * 1024;

/// Says how many lines a string has.
pub(super) fn counted_lines(text: &str) -> String {
    match text.lines().count() {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    }
}

/// Result of edits.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct EditFileOutput {
    /// Path relative to the workspace root.
    pub(crate) path: String,
    /// Whether the file did not exist before.
    pub(crate) created: bool,
    /// Number of replaced places.
    pub(crate) replaced: usize,
    /// Lines that changed.
    pub(crate) hunks: Vec<Hunk>,
    /// Unified diff of the change.
    pub(crate) diff: String,
    /// SHA-256 digest of the file before; null if it did not exist.
    pub(crate) before: Option<String>,
    /// SHA-256 digest of the file after.
    pub(crate) after: String,
    /// Text for the model.
    #[serde(skip)]
    pub(crate) reply: String,
}

/// Changes parts of files in a workspace: all edits of a call, or none.
#[derive(Debug, Clone)]
pub(crate) struct EditFile(pub(super) SessionFiles);

impl EditFile {
    fn edit(&self, cx: &ToolContext, input: &EditFileInput) -> Result<EditFileOutput, ToolError> {
        let edits = input.edits()?;
        let workspace = self.0.workspace.for_call(cx);
        let file = match workspace.edit("path", &input.path, MAX_BYTES as u64, cx.cancellation()) {
            Err(error) if *error.code() == ErrorCode::FileNotFound => {
                let content = new_content(&edits).ok_or(error)?;
                return self.create(cx, &workspace, &input.path, content);
            }
            opened => opened?,
        };
        file.check_is_writable()?;
        let change = self.change(file.path(), input, file.content(), &edits)?;
        let content = change.content(&edits)?;
        self.0
            .previewed
            .check(cx, "path", [file.content(), &content])?;
        let output = change.output(file.content(), &content);
        file.replace(&content, cx.cancellation())?;
        let seen = change.seen(content, &edits);
        self.remember(&input.path, seen.as_deref());
        cx.affected(&output.path);
        for note in change.notes() {
            cx.warn(note);
        }
        Ok(output)
    }

    /// Returns the change that the edits make to `content`.
    fn change(
        &self,
        path: &str,
        input: &EditFileInput,
        content: &[u8],
        edits: &[Edit<'_>],
    ) -> Result<Change, ToolError> {
        let key = self.0.workspace.key_of(&input.path);
        Change::of(path, content, edits, (&self.0.seen, &key)).map_err(|error| match error {
            NotChanged::Failed(error) => error,
            NotChanged::Refused(refusals, foreign) => {
                refused::error(refusals, edits.len(), foreign.as_ref())
            }
        })
    }

    fn create(
        &self,
        cx: &ToolContext,
        workspace: &Workspace,
        path: &str,
        text: &str,
    ) -> Result<EditFileOutput, ToolError> {
        self.0.previewed.check(cx, "path", [b"", text.as_bytes()])?;
        let mode = WriteMode::CreateNew;
        let written =
            workspace.write("path", path, text.as_bytes(), mode, true, cx.cancellation())?;
        self.remember(path, Some(text.as_bytes()));
        cx.affected(&written.path);
        Ok(EditFileOutput {
            reply: format!("Created {} ({})", written.path, counted_lines(text)),
            diff: between(&written.path, b"", text.as_bytes()),
            path: written.path,
            created: true,
            replaced: 0,
            hunks: hunks("", text),
            before: None,
            after: digest_of(text.as_bytes()),
        })
    }

    /// Remembers what the model knows of a file.
    fn remember(&self, path: &str, content: Option<&[u8]>) {
        if let Some(content) = content {
            self.0
                .seen
                .remember(&self.0.workspace.key_of(path), content);
        }
    }

    /// Returns the diff that the edits would make now.
    fn preview(&self, cx: &ToolContext, input: &EditFileInput) -> Result<String, ToolError> {
        let edits = input.edits()?;
        let mut file = match self.0.workspace.existing_file("path", &input.path) {
            Err(error) if *error.code() == ErrorCode::FileNotFound => {
                let text = new_content(&edits).ok_or(error)?;
                self.0.previewed.remember(cx, [b"", text.as_bytes()]);
                return Ok(between(&input.path, b"", text.as_bytes()));
            }
            opened => opened?,
        };
        let content = file.read(MAX_BYTES as u64)?;
        let change = self.change(file.path(), input, &content, &edits)?;
        let after = change.content(&edits)?;
        self.0.previewed.remember(cx, [&content, &after]);
        Ok(change.output(&content, &after).diff)
    }
}

/// Returns the text of a file to create, which an edit without old text stands for.
fn new_content<'e>(edits: &[Edit<'e>]) -> Option<&'e str> {
    match edits {
        [only] if only.old.is_empty() => Some(only.new),
        _ => None,
    }
}

impl TypedTool for EditFile {
    type Input = EditFileInput;
    type Output = EditFileOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;
    const ALIASES: &'static [(&'static str, &'static str)] = input::ALIASES;

    fn plan(&self, _cx: &ToolContext, input: &EditFileInput) -> Result<CallPlan, ToolError> {
        input.edits()?;
        let workspace = &self.0.workspace;
        Ok(workspace.plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &EditFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (tool, input) = (self.clone(), input.clone());
        // Edits that fail here fail when they run, so nobody should approve them.
        let diff = blocking(cx, move |cx| tool.preview(cx, &input)).await?;
        Ok(Some(Preview::diff(diff)))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let tool = self.clone();
        blocking(cx, move |cx| tool.edit(cx, &input)).await
    }

    fn render(output: &EditFileOutput) -> String {
        output.reply.clone()
    }
}
