//! Tool that changes parts of a file.

mod input;
mod refused;
mod reply;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::approval::Preview;
use tool_core::{
    CallPlan, CancellationToken, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool,
};

pub(crate) use self::input::EditFileInput;
use super::diff::{Hunk, between, hunks};
use super::edit::{Edit, Edited, apply};
use super::foreign::ForeignChange;
use super::previewed::Previewed;
use super::seen::SeenFiles;
use super::text_format::FileText;
use crate::blocking::blocking;
use crate::workspace::{Workspace, WriteMode, digest_of};

/// Maximum size in bytes of a file, before and after its edits.
const MAX_BYTES: usize = 10 * 1024 * 1024;

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
    workspace: Workspace,
    seen: SeenFiles,
    previewed: Previewed,
}

impl EditFile {
    /// Creates a tool that writes only inside `workspace`, and knows what the model has `seen` and what approvers have.
    pub(crate) fn new(workspace: Workspace, seen: SeenFiles, previewed: Previewed) -> Self {
        Self {
            workspace,
            seen,
            previewed,
        }
    }

    fn edit(
        &self,
        cx: &ToolContext,
        input: &EditFileInput,
        cancellation: &CancellationToken,
    ) -> Result<EditFileOutput, ToolError> {
        let edits = input.edits()?;
        let workspace = self.workspace.for_call(cx);
        let file = match workspace.edit("path", &input.path, MAX_BYTES as u64, cancellation) {
            Err(error) if *error.code() == ErrorCode::FileNotFound => {
                let content = new_content(&edits).ok_or(error)?;
                return self.create(cx, &workspace, &input.path, content, cancellation);
            }
            opened => opened?,
        };
        file.check_is_writable()?;
        let change = self.change(file.path(), input, file.content(), &edits)?;
        let content = change.content(&edits)?;
        self.previewed
            .check(cx, "path", [file.content(), &content])?;
        let output = change.output(file.content(), &content);
        file.replace(&content, cancellation)?;
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
        let file = FileText::of(content)?;
        let key = self.workspace.key_of(&input.path);
        let foreign = ForeignChange::of(&self.seen, &key, content, &file.text);
        let mut edits = edits.to_vec();
        if let Some(foreign) = &foreign {
            for edit in &mut edits {
                // The model counts the lines that it has seen. A line that has changed is none, so that it chooses nothing.
                let now = |line| foreign.line_now(line).unwrap_or(0);
                edit.near_line = edit.near_line.map(now);
            }
        }
        let edited = apply(&file.text, &edits, MAX_BYTES)
            .map_err(|refusals| refused::error(refusals, edits.len(), foreign.as_ref()))?;
        let hunks = hunks(&file.text, &edited.text);
        if let Some(foreign) = &foreign
            && foreign.touches(&hunks)
        {
            return Err(foreign.conflict(&file.text));
        }
        Ok(Change {
            path: path.to_owned(),
            file,
            edited,
            hunks,
            foreign,
        })
    }

    fn create(
        &self,
        cx: &ToolContext,
        workspace: &Workspace,
        path: &str,
        text: &str,
        cancellation: &CancellationToken,
    ) -> Result<EditFileOutput, ToolError> {
        self.previewed.check(cx, "path", [b"", text.as_bytes()])?;
        let mode = WriteMode::CreateNew;
        let written = workspace.write("path", path, text.as_bytes(), mode, true, cancellation)?;
        self.remember(path, Some(text.as_bytes()));
        cx.affected(&written.path);
        let lines = text.lines().count();
        Ok(EditFileOutput {
            reply: format!("Created {} ({lines} lines)", written.path),
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
            self.seen.remember(&self.workspace.key_of(path), content);
        }
    }

    /// Returns the diff that the edits would make now.
    fn preview(&self, cx: &ToolContext, input: &EditFileInput) -> Result<String, ToolError> {
        let edits = input.edits()?;
        let mut file = match self.workspace.existing_file("path", &input.path) {
            Err(error) if *error.code() == ErrorCode::FileNotFound => {
                let text = new_content(&edits).ok_or(error)?;
                self.previewed.remember(cx, [b"", text.as_bytes()]);
                return Ok(between(&input.path, b"", text.as_bytes()));
            }
            opened => opened?,
        };
        let content = file.read(MAX_BYTES as u64)?;
        let change = self.change(file.path(), input, &content, &edits)?;
        let after = change.content(&edits)?;
        self.previewed.remember(cx, [&content, &after]);
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
        let workspace = &self.workspace;
        Ok(workspace.plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &EditFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (tool, context, input) = (self.clone(), cx.clone(), input.clone());
        // Edits that fail here fail when they run, so nobody should approve them.
        let diff = blocking(cx, move |_| tool.preview(&context, &input)).await?;
        Ok(Some(Preview::diff(diff)))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: EditFileInput,
    ) -> Result<EditFileOutput, ToolError> {
        let (tool, context) = (self.clone(), cx.clone());
        blocking(cx, move |cancellation| {
            tool.edit(&context, &input, cancellation)
        })
        .await
    }

    fn render(output: &EditFileOutput) -> String {
        output.reply.clone()
    }
}

/// Edits of one file, in memory.
struct Change {
    path: String,
    /// File before the edits.
    file: FileText,
    edited: Edited,
    hunks: Vec<Hunk>,
    foreign: Option<ForeignChange>,
}

impl Change {
    /// Returns the new content of the file.
    fn content(&self, edits: &[Edit<'_>]) -> Result<Vec<u8>, ToolError> {
        for edit in edits {
            self.file.encode("edits", edit.new)?;
        }
        self.file.encode("edits", &self.edited.text)
    }

    fn output(&self, before: &[u8], after: &[u8]) -> EditFileOutput {
        let (old, new) = (&self.file.text, &self.edited.text);
        EditFileOutput {
            path: self.path.clone(),
            created: false,
            replaced: self.edited.places.len(),
            hunks: self.hunks.clone(),
            diff: between(&self.path, old.as_bytes(), new.as_bytes()),
            before: Some(digest_of(before)),
            after: digest_of(after),
            reply: reply::reply(&self.path, &self.edited, &self.hunks),
        }
    }

    /// Returns what the model knows of the file after the edits; `None` if that is not certain.
    fn seen(&self, content: Vec<u8>, edits: &[Edit<'_>]) -> Option<Vec<u8>> {
        let Some(foreign) = &self.foreign else {
            return Some(content);
        };
        // The foreign change stays unseen, so that no call overwrites it.
        let edited = apply(foreign.seen.as_deref()?, edits, MAX_BYTES).ok()?;
        self.file.encode("edits", &edited.text).ok()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = reply::notes(&self.edited);
        notes.extend(self.foreign.as_ref().map(|foreign| {
            let places = foreign.places();
            format!("The file was also changed by others since you read it ({places}). The edits are elsewhere.")
        }));
        notes
    }
}
