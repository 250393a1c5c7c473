//! Tool that deletes a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::approval::Preview;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::SessionFiles;
use super::foreign::ForeignChange;
use super::write_text::difference;
use crate::blocking::blocking;
use crate::workspace::FileWrite;

/// Maximum size in bytes of a file, so that the history of changes can keep it.
pub(super) const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// File to delete.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct DeleteFileInput {
    /// File.
    path: String,
}

/// Result of a deletion.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DeleteFileOutput {
    /// Path relative to the workspace root.
    path: String,
    /// Size of the deleted file in bytes.
    bytes: usize,
}

/// Deletes files in a workspace, unless that would lose a change that the model has not seen.
#[derive(Debug, Clone)]
pub(crate) struct DeleteFile(pub(super) SessionFiles);

impl DeleteFile {
    /// Returns the content of a file that may be deleted.
    fn content(&self, path: &str) -> Result<Vec<u8>, ToolError> {
        let SessionFiles {
            workspace, seen, ..
        } = &self.0;
        let content = workspace.existing_file("path", path)?.read(MAX_BYTES)?;
        ForeignChange::check(seen, &workspace.key_of(path), &content)?;
        Ok(content)
    }

    fn delete(
        &self,
        cx: &ToolContext,
        input: &DeleteFileInput,
    ) -> Result<DeleteFileOutput, ToolError> {
        let content = self.content(&input.path)?;
        self.0.previewed.check(cx, "path", [content.as_slice()])?;
        let bytes = content.len();
        let write = FileWrite {
            parameter: "path".to_owned(),
            path: input.path.clone(),
            before: Some(content.into()),
            after: None,
            like: None,
        };
        let workspace = self.0.workspace.for_call(cx);
        let paths = workspace.write_together(&[write], cx.cancellation())?;
        let path = paths.into_iter().next().unwrap_or_default();
        cx.affected(&path);
        Ok(DeleteFileOutput { path, bytes })
    }

    fn preview(&self, cx: &ToolContext, input: &DeleteFileInput) -> Result<Preview, ToolError> {
        let content = self.content(&input.path)?;
        self.0.previewed.remember(cx, [content.as_slice()]);
        Ok(difference(&input.path, &content, b""))
    }
}

impl TypedTool for DeleteFile {
    type Input = DeleteFileInput;
    type Output = DeleteFileOutput;

    const RISK: RiskLevel = RiskLevel::SafeWrite;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("file_path", "path")];

    fn plan(&self, _cx: &ToolContext, input: &DeleteFileInput) -> Result<CallPlan, ToolError> {
        let workspace = &self.0.workspace;
        Ok(workspace.plan_of_write(Self::RISK, "path", &input.path))
    }

    async fn inspect(
        &self,
        cx: &ToolContext,
        input: &DeleteFileInput,
    ) -> Result<Option<Preview>, ToolError> {
        let (tool, input) = (self.clone(), input.clone());
        blocking(cx, move |cx| tool.preview(cx, &input).map(Some)).await
    }

    async fn run(&self, cx: &ToolContext, input: Self::Input) -> Result<Self::Output, ToolError> {
        let tool = self.clone();
        blocking(cx, move |cx| tool.delete(cx, &input)).await
    }

    fn render(output: &DeleteFileOutput) -> String {
        format!("Deleted {} ({} bytes)", output.path, output.bytes)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::ErrorCode;
    use tool_test::Scratch;

    use super::*;
    use crate::files::scenario::{open, session_files};
    use crate::files::seen::SeenFiles;

    #[tokio::test]
    async fn preview_shows_what_is_deleted() {
        let scratch = Scratch::new().file("a.txt", "one\n");
        let tool = DeleteFile(session_files(open(&scratch), SeenFiles::default()));
        let of = |path: &str| serde_json::from_value(json!({"path": path})).unwrap();
        let cx = ToolContext::test();

        let shown = tool.inspect(&cx, &of("a.txt")).await.unwrap().unwrap();
        let missing = tool.inspect(&cx, &of("b.txt")).await.unwrap_err();

        assert!(shown.text.contains("-one"), "{shown:?}");
        assert_eq!(*missing.code(), ErrorCode::FileNotFound);
        assert!(scratch.has("a.txt"));
    }
}
