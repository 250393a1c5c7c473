//! Writing behind the end of a file.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{
    CancellationToken, Concurrency, Engine, Limits, RiskLevel, ToolContext, ToolError,
};

use super::write_file::check_size;
use crate::blocking::blocking;
use crate::workspace::Workspace;

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
        let append = self.workspace.append("path", &input.path, cancellation)?;
        let path = append.path().to_owned();
        let content = input.content.as_bytes();
        let size = append.write(content, cancellation)?;
        cx.affected(&path);
        Ok(AppendFileOutput {
            path,
            bytes_written: content.len(),
            size,
        })
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
        let noun = if bytes == 1 { "byte" } else { "bytes" };
        format!("Appended {bytes} {noun} to {path} ({size} bytes)")
    }
}

#[cfg(test)]
mod tests;
