//! Writing behind the end of a file.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{
    CancellationToken, Concurrency, Engine, ErrorCode, Limits, RiskLevel, ToolContext, ToolError,
};

use super::diff::unified;
use super::replacement::{Fit, fits};
use super::text_format::TextFormat;
use super::write_file::check_size;
use crate::blocking::blocking;
use crate::workspace::Workspace;

/// Up to this size a file is compared for a preview.
const MAX_SHOWN_BYTES: u64 = 1024 * 1024;

/// What to write behind the end of which file.
///
/// # Examples
/// ```
/// use tools_builtin::files::AppendFileInput;
///
/// let input: AppendFileInput = serde_json::from_str(r#"{"path": "a.txt", "content": "two\n"}"#)?;
/// assert_eq!(input.content, "two\n");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AppendFileInput {
    /// Path of the file, relative to the workspace root. It must exist.
    pub path: String,
    /// The text to add at the end, at most 10 MB. Begin it with a line break where the file does not end with one.
    pub content: String,
}

/// What was written.
///
/// # Examples
/// ```
/// use tools_builtin::files::AppendFileOutput;
///
/// let output = AppendFileOutput { path: "a.txt".to_owned(), bytes_written: 4, size: 8 };
/// assert_eq!(serde_json::to_value(output)?["size"], 8);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AppendFileOutput {
    /// Path relative to the workspace root.
    pub path: String,
    /// How many bytes were added.
    pub bytes_written: usize,
    /// Size of the file in bytes afterwards.
    pub size: u64,
}

/// Writes behind the end of files inside one workspace.
///
/// The file must be there. Its encoding and its line breaks are kept. A file of at most 1 MB is written anew as a
/// whole, so that a failure leaves what was there.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::files::{AppendFile, AppendFileInput};
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("a.txt", "one\n");
/// let engine = AppendFile::new(Workspace::open(scratch.path())?);
/// let input: AppendFileInput = serde_json::from_str(r#"{"path": "a.txt", "content": "two\n"}"#)?;
/// let output = engine.run(&ToolContext::test(), input, &Limits::default()).await?;
/// assert_eq!(AppendFile::render(&output), "Appended 4 bytes to a.txt (8 bytes)");
/// assert_eq!(scratch.read("a.txt"), "one\ntwo\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AppendFile {
    workspace: Workspace,
}

impl AppendFile {
    /// Creates an engine that never writes outside `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn append(
        &self,
        cx: &ToolContext,
        input: &AppendFileInput,
        cancellation: &CancellationToken,
    ) -> Result<AppendFileOutput, ToolError> {
        let append = self
            .workspace
            .for_call(cx)
            .append("path", &input.path, cancellation)
            .map_err(to_be_made_first)?;
        let (format, text) = TextFormat::of_piece(append.beginning())?;
        let content = fitting(&text, &input.content);
        let bytes = format.encode("content", &content)?;
        let goes_on = !append.is_empty()
            && !format.ends_line(append.ending())
            && !content.starts_with(['\n', '\r']);
        let path = append.path().to_owned();
        let size = append.write(&bytes, cancellation)?;
        cx.affected(&path);
        if goes_on && !content.is_empty() {
            cx.warn("The file did not end with a line break, so its last line goes on with the new text.");
        }
        Ok(AppendFileOutput {
            path,
            bytes_written: bytes.len(),
            size,
        })
    }

    /// What an append would add now; of a large file only that.
    fn look_ahead(&self, input: &AppendFileInput) -> Result<Preview, ToolError> {
        let mut file = self.workspace.existing_file("path", &input.path)?;
        let path = file.path().to_owned();
        let Ok(old) = file.read_whole(MAX_SHOWN_BYTES) else {
            let added = input.content.len();
            return Ok(Preview::text(format!("Adds {added} bytes at the end.")));
        };
        let (format, text) = TextFormat::of(&old)?;
        let content = fitting(&text, &input.content);
        format.encode("content", &content)?;
        let whole = [&text, content.as_bytes()].concat();
        let end = text.len();
        Ok(Preview::diff(unified(
            &path,
            &text,
            &whole,
            end..end,
            whole.len(),
        )))
    }
}

#[async_trait]
impl Engine for AppendFile {
    type Input = AppendFileInput;
    type Output = AppendFileOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    fn concurrency(&self) -> Concurrency {
        Concurrency::PerKey
    }

    fn check(&self, input: &AppendFileInput) -> Result<(), ToolError> {
        check_size("content", &input.content)
    }

    fn key_of(&self, input: &AppendFileInput) -> Option<String> {
        Some(self.workspace.key_of(&input.path))
    }

    async fn preview(&self, cx: &ToolContext, input: AppendFileInput) -> Option<Preview> {
        let engine = self.clone();
        let preview = blocking(cx, move |_| engine.look_ahead(&input)).await;
        preview.ok()
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: AppendFileInput,
        _limits: &Limits,
    ) -> Result<AppendFileOutput, ToolError> {
        check_size("content", &input.content)?;
        let (engine, context) = (self.clone(), cx.clone());
        blocking(cx, move |cancellation| {
            engine.append(&context, &input, cancellation)
        })
        .await
    }

    fn render(output: &AppendFileOutput) -> String {
        let (path, bytes, size) = (&output.path, output.bytes_written, output.size);
        let [noun, of_size] =
            [bytes as u64, size].map(|count| if count == 1 { "byte" } else { "bytes" });
        format!("Appended {bytes} {noun} to {path} ({size} {of_size})")
    }
}

/// Says of a file that is not there that nothing can be added to it yet.
fn to_be_made_first(error: ToolError) -> ToolError {
    if *error.code() != ErrorCode::FileNotFound {
        return error;
    }
    let advice = "Text is added only to a file that exists: write a new one as a whole.";
    let suggestion = match error.suggestion() {
        Some(nearest) => format!("{nearest} {advice}"),
        None => advice.to_owned(),
    };
    error.suggest(suggestion)
}

/// The text with the line breaks that the file has.
fn fitting(text: &[u8], content: &str) -> String {
    let fit = fits(text).first().copied();
    fit.unwrap_or(Fit::AsWritten).apply(content)
}

#[cfg(test)]
mod tests;
