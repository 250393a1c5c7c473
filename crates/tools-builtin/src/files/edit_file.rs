//! Tool that changes parts of a file.

mod change;
mod input;
mod refused;
mod reply;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::approval::Preview;
use tool_core::output_store::OutputStore;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

pub(super) use self::change::{Change, NotChanged};
pub(crate) use self::input::EditFileInput;
pub(super) use self::refused::code_of;
use super::SessionFiles;
use super::diff::{Hunk, between, hunks};
use super::edit::Edit;
use super::stored::StoredOutputs;
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
pub(crate) struct EditFile {
    files: SessionFiles,
    /// Outputs that are changed by their handles.
    outputs: StoredOutputs,
}

impl EditFile {
    pub(super) fn new(files: SessionFiles) -> Self {
        let outputs = StoredOutputs::default();
        Self { files, outputs }
    }

    /// Changes the outputs in `store` too, by their handles. Each result is another output.
    pub(crate) fn edit_outputs(&mut self, store: Arc<dyn OutputStore>) {
        self.outputs = StoredOutputs::of(store);
    }

    /// Returns the text of the stored output whose handle is the path, if it is one.
    async fn stored(&self, input: &EditFileInput) -> Result<Option<String>, ToolError> {
        let Some(handle) = self.outputs.handle(&input.path) else {
            return Ok(None);
        };
        match self.outputs.read(&handle, MAX_BYTES).await? {
            (text, true) => Ok(Some(text)),
            _ => Err(ToolError::about(
                ErrorCode::FileTooLarge,
                "path",
                "is a stored output of more than 10 MB",
            )
            .suggest("Write a part of it to a file, and edit the file.")),
        }
    }

    /// Edits a stored output in memory. Returns the new text too.
    fn edit_text(
        &self,
        cx: &ToolContext,
        input: &EditFileInput,
        before: &str,
    ) -> Result<(String, EditFileOutput), ToolError> {
        let (edits, before) = (input.edits()?, before.as_bytes());
        let change = self.change(input.path.trim(), input, before, &edits)?;
        let after = change.content(&edits)?;
        self.files.previewed.check(cx, "path", [before, &after])?;
        for note in change.notes() {
            cx.warn(note);
        }
        let output = change.output(before, &after);
        let text = String::from_utf8(after);
        let text =
            text.map_err(|error| ToolError::failed("The result is not text").caused_by(error))?;
        Ok((text, output))
    }

    fn edit(&self, cx: &ToolContext, input: &EditFileInput) -> Result<EditFileOutput, ToolError> {
        let edits = input.edits()?;
        let workspace = self.files.workspace.for_call(cx);
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
        self.files
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
        let key = self.files.workspace.key_of(&input.path);
        Change::of(path, content, edits, (&self.files.seen, &key)).map_err(|error| match error {
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
        self.files
            .previewed
            .check(cx, "path", [b"", text.as_bytes()])?;
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
            self.files
                .seen
                .remember(&self.files.workspace.key_of(path), content);
        }
    }

    /// Returns the diff that the edits would make now.
    fn preview(&self, cx: &ToolContext, input: &EditFileInput) -> Result<String, ToolError> {
        let edits = input.edits()?;
        let mut file = match self.files.workspace.existing_file("path", &input.path) {
            Err(error) if *error.code() == ErrorCode::FileNotFound => {
                let text = new_content(&edits).ok_or(error)?;
                self.files.previewed.remember(cx, [b"", text.as_bytes()]);
                return Ok(between(&input.path, b"", text.as_bytes()));
            }
            opened => opened?,
        };
        let content = file.read(MAX_BYTES as u64)?;
        self.preview_of(cx, input, file.path(), &content)
    }

    fn preview_of(
        &self,
        cx: &ToolContext,
        input: &EditFileInput,
        path: &str,
        content: &[u8],
    ) -> Result<String, ToolError> {
        let edits = input.edits()?;
        let change = self.change(path, input, content, &edits)?;
        let after = change.content(&edits)?;
        self.files.previewed.remember(cx, [content, &after]);
        Ok(change.output(content, &after).diff)
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
        if self.outputs.handle(&input.path).is_some() {
            return Ok(CallPlan::of(Self::RISK));
        }
        let workspace = &self.files.workspace;
        Ok(workspace.plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &EditFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        let stored = self.stored(input).await?;
        let (tool, input) = (self.clone(), input.clone());
        // Edits that fail here fail when they run, so nobody should approve them.
        let diff = blocking(cx, move |cx| match stored {
            Some(text) => tool.preview_of(cx, &input, input.path.trim(), text.as_bytes()),
            None => tool.preview(cx, &input),
        })
        .await?;
        Ok(Some(Preview::diff(diff)))
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let stored = self.stored(&input).await?;
        let tool = self.clone();
        let Some(text) = stored else {
            return blocking(cx, move |cx| tool.edit(cx, &input)).await;
        };
        let edited = blocking(cx, move |cx| tool.edit_text(cx, &input, &text));
        let (text, mut output) = edited.await?;
        let handle = self.outputs.put(text).await?;
        output.path = handle.to_string();
        output.reply = format!("{}\nThe result is stored as {handle}", output.reply);
        Ok(output)
    }

    fn render(output: &EditFileOutput) -> String {
        output.reply.clone()
    }
}
