//! Tool that writes complete files without losing what others wrote.

#[cfg(test)]
mod tests;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use super::SessionFiles;
use super::diff::between;
use super::encoding::Encoding;
use super::foreign::ForeignChange;
use super::seen::Comparison;
use super::text_format::FileText;
use crate::blocking::blocking;
use crate::newlines::{are_windows, with_endings};
use crate::workspace::WriteMode;

/// Maximum size in bytes of a file, and of a replaced file whose content is compared.
pub(super) const MAX_BYTES: usize = 10 * 1024 * 1024;

/// File to write, and its content.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct WriteTextInput {
    /// File.
    path: String,
    /// Complete text.
    content: String,
}

/// Result of a write.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct WriteFileOutput {
    /// Path relative to the workspace root.
    pub(crate) path: String,
    /// Size of the file in bytes.
    pub(crate) bytes_written: usize,
    /// Whether the file did not exist before.
    pub(crate) created: bool,
}

impl fmt::Display for WriteFileOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.created { "Created" } else { "Wrote" };
        let (path, bytes) = (&self.path, self.bytes_written);
        write!(f, "{verb} file: {path} ({bytes} bytes)")
    }
}

/// Writes files in a workspace, unless that would overwrite a change that the model has not seen.
#[derive(Debug, Clone)]
pub(crate) struct WriteText(pub(super) SessionFiles);

impl WriteText {
    fn write(
        &self,
        cx: &ToolContext,
        input: &WriteTextInput,
    ) -> Result<WriteFileOutput, ToolError> {
        let workspace = self.0.workspace.for_call(cx);
        let (parameter, path, token) = ("path", input.path.as_str(), cx.cancellation());
        let previewed = &self.0.previewed;
        let mut content = input.content.clone().into_bytes();
        let (path, created) = match workspace.edit(parameter, path, MAX_BYTES as u64, token) {
            Ok(file) => {
                file.check_is_writable()?;
                let (formatted, notes) = self.formatted(input, file.content())?;
                content = formatted;
                previewed.check(cx, parameter, [file.content(), &content])?;
                let path = file.path().to_owned();
                file.replace(&content, token)?;
                for note in notes {
                    cx.warn(note);
                }
                (path, false)
            }
            // Not `Overwrite`: another process may create the file now.
            Err(error) if *error.code() == ErrorCode::FileNotFound => {
                previewed.check(cx, parameter, [b"", content.as_slice()])?;
                let mode = WriteMode::CreateNew;
                let written = workspace.write(parameter, path, &content, mode, true, token)?;
                (written.path, written.created)
            }
            Err(error) => return Err(error),
        };
        let key = workspace.key_of(&input.path);
        self.0.seen.remember(&key, &content);
        cx.affected(&path);
        Ok(WriteFileOutput {
            path,
            bytes_written: content.len(),
            created,
        })
    }

    /// Returns the content in the format of the file that it replaces, and what the model should know about it.
    ///
    /// # Errors
    /// Fails if the file has changed since the model has seen it.
    fn formatted(
        &self,
        input: &WriteTextInput,
        old: &[u8],
    ) -> Result<(Vec<u8>, Vec<String>), ToolError> {
        let key = self.0.workspace.key_of(&input.path);
        let file = FileText::of(old).ok();
        let text = file.as_ref().map_or("", |file| file.text.as_str());
        if let Some(foreign) = ForeignChange::of(&self.0.seen, &key, old, text)
            // Writing what is already there loses nothing, and a repeated call does it.
            && old != input.content.as_bytes()
        {
            return Err(foreign.conflict(text));
        }
        let mut notes = Vec::new();
        if self.0.seen.compare(&key, old) == Comparison::NeverSeen && !old.is_empty() {
            notes.push(format!(
                "It replaced {} bytes that you had not read.",
                old.len()
            ));
        }
        let content = match file {
            Some(file) => in_format(&file, &input.content, &mut notes),
            None => input.content.clone().into_bytes(),
        };
        Ok((content, notes))
    }

    fn preview(&self, cx: &ToolContext, input: &WriteTextInput) -> Result<Preview, ToolError> {
        let mut file = match self.0.workspace.existing_file("path", &input.path) {
            Err(error) if *error.code() == ErrorCode::FileNotFound => {
                self.0
                    .previewed
                    .remember(cx, [b"", input.content.as_bytes()]);
                return Ok(difference(&input.path, b"", input.content.as_bytes()));
            }
            opened => opened?,
        };
        let old = file.read(MAX_BYTES as u64)?;
        let (content, _) = self.formatted(input, &old)?;
        self.0.previewed.remember(cx, [&old, &content]);
        Ok(difference(file.path(), &old, &content))
    }
}

/// Returns the text in the format of the content that it replaces.
pub(super) fn in_format_of(old: &[u8], text: &str) -> Vec<u8> {
    match FileText::of(old) {
        Ok(file) => in_format(&file, text, &mut Vec::new()),
        Err(_) => text.as_bytes().to_vec(),
    }
}

/// Returns the text with the byte-order mark, the line endings and the encoding of the old file.
fn in_format(file: &FileText, text: &str, notes: &mut Vec<String>) -> Vec<u8> {
    let is_windows = are_windows(&file.text) == Some(true);
    let mut text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    if is_windows && text.contains('\n') && !text.contains("\r\n") {
        text = with_endings(&text, Some(true));
        notes.push("The line endings of the file (CRLF) were kept.".to_owned());
    }
    let encoding = file.encoding();
    let Ok(content) = file.encode("content", &text) else {
        notes.push(format!(
            "The file is UTF-8 now, because {encoding} does not support the text."
        ));
        return text.into_bytes();
    };
    if encoding != Encoding::Utf8 {
        notes.push(format!("The encoding of the file ({encoding}) was kept."));
    } else if file.has_mark() {
        notes.push("The byte-order mark of the file was kept.".to_owned());
    }
    content
}

impl TypedTool for WriteText {
    type Input = WriteTextInput;
    type Output = WriteFileOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("contents", "content"),
        ("text", "content"),
    ];

    fn plan(&self, _cx: &ToolContext, input: &WriteTextInput) -> Result<CallPlan, ToolError> {
        check_size("content", &input.content)?;
        let workspace = &self.0.workspace;
        Ok(workspace.plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &WriteTextInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (tool, input) = (self.clone(), input.clone());
        // Nobody should approve a call that cannot work.
        blocking(cx, move |cx| tool.preview(cx, &input).map(Some)).await
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        check_size("content", &input.content)?;
        let tool = self.clone();
        blocking(cx, move |cx| tool.write(cx, &input)).await
    }

    fn render(output: &WriteFileOutput) -> String {
        output.to_string()
    }
}

/// Returns the preview of a write.
pub(super) fn difference(path: &str, old: &[u8], new: &[u8]) -> Preview {
    if old == new {
        return Preview::text("The file does not change.");
    }
    if Encoding::of_beginning(old).0 != Encoding::Utf8 {
        let size = old.len();
        return Preview::text(format!("Replaces {size} bytes that are not UTF-8 text."));
    }
    Preview::diff(between(path, old, new))
}

/// Rejects content that is too large for one file.
pub(super) fn check_size(parameter: &str, content: &str) -> Result<(), ToolError> {
    let size = content.len();
    if size <= MAX_BYTES {
        return Ok(());
    }
    let sentence = format!("has {size} bytes; at most {MAX_BYTES} are allowed");
    Err(
        ToolError::about(ErrorCode::FileTooLarge, parameter, sentence)
            .suggest("Split it into several files."),
    )
}
