//! `{tool?, success, output, files_affected, execution_time_ms, metadata?, error?}`.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::path::Path;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use tool_core::ToolResult;
use tool_json::text::visible;

use crate::toolsets::document::{output, prefixed, texts};

/// Result as `{success, output, files_affected, execution_time_ms, metadata?, error?}`.
///
/// `output` is the text for the model, followed by each warning on a separate line.
/// `execution_time_ms` is in whole milliseconds. `metadata` contains the tool's metadata without
/// the file digests, the sandbox and its grants, which are for the host; it is omitted if empty. A failure has
/// `error: {code, message, suggestion}`.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::Registry;
/// use tools_builtin::toolsets::CliAgentResult;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let result = Registry::new().execute("read_file", json!({})).await;
///
/// assert_eq!(
///     json!(CliAgentResult::of(&result).with_tool()),
///     json!({
///         "tool": "read_file",
///         "success": false,
///         "output": "Error: No tool is named `read_file`. There are no tools.",
///         "files_affected": [],
///         "execution_time_ms": 0,
///         "error": {
///             "code": "tool_not_found",
///             "message": "No tool is named `read_file`.",
///             "suggestion": "There are no tools.",
///         },
///     })
/// );
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct CliAgentResult<'r> {
    result: &'r ToolResult,
    has_tool: bool,
}

impl<'r> CliAgentResult<'r> {
    /// Creates the form of `result`.
    pub fn of(result: &'r ToolResult) -> Self {
        Self {
            result,
            has_tool: false,
        }
    }

    /// Adds the tool's name as the first member, `tool`.
    #[must_use]
    pub fn with_tool(mut self) -> Self {
        self.has_tool = true;
        self
    }
}

impl Serialize for CliAgentResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let result = self.result;
        let metadata = &result.metadata;
        let milliseconds = u64::try_from(metadata.execution_time.as_millis()).unwrap_or(u64::MAX);
        let mut members = serializer.serialize_map(None)?;
        if self.has_tool {
            members.serialize_entry("tool", &result.name)?;
        }
        members.serialize_entry("success", &result.success)?;
        members.serialize_entry("output", &printed(result))?;
        members.serialize_entry("files_affected", &result.files_affected)?;
        members.serialize_entry("execution_time_ms", &milliseconds)?;
        let is_shown = |(key, _): &(&String, &Value)| !OWN.contains(&key.as_str());
        let extra: BTreeMap<_, _> = metadata.extra.iter().filter(is_shown).collect();
        if !extra.is_empty() {
            members.serialize_entry("metadata", &extra)?;
        }
        if let Some(error) = &result.error {
            let failure = json!({
                "code": error.code.as_str(),
                "message": error.message,
                "suggestion": error.suggestion,
            });
            members.serialize_entry("error", &failure)?;
        }
        members.end()
    }
}

/// Entries of the metadata that the source document does not have.
const OWN: [&str; 4] = ["file_digests", "grants", "process_tree", "sandbox"];

/// Returns the content, followed by the warnings.
fn printed(result: &ToolResult) -> String {
    let texts = texts(&result.content);
    let last = texts.last().copied().unwrap_or_default();
    let mut separator = if last.is_empty() || last.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let mut printed = texts.join("\n");
    for warning in &result.warnings {
        printed.push_str(separator);
        printed.push_str(&prefixed(warning));
        separator = "\n";
    }
    printed
}

/// Result as text for people: a marker that says whether the call succeeded, and the output, or the error and its suggestion;
/// warnings; the files written; and the execution time. All lines but the first are indented, and each ends with a newline.
///
/// The output is untrusted. Characters that people do not see are removed, except newlines and tabs, so that the output
/// cannot move the cursor of a terminal or rename its window.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{Registry, ToolContext, tool_fn};
/// use tools_builtin::toolsets::CliAgentText;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input { path: String }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let create = tool_fn("create_file", "Creates a file.", |cx: ToolContext, input: Input| async move {
///     cx.affected(&input.path);
///     Ok(format!("Created file: {}", input.path))
/// });
/// let result = Registry::of(create)?.execute("create_file", json!({"path": "hello.py"})).await;
///
/// let text = CliAgentText::of(&result).in_directory("/home/user/project").to_string();
/// assert!(text.starts_with("✓ Created file: hello.py\n  Location: /home/user/project/hello.py\n  Time: "), "{text}");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct CliAgentText<'r> {
    result: &'r ToolResult,
    directory: &'r Path,
}

impl<'r> CliAgentText<'r> {
    /// Creates the text of `result`, with paths as the tool returned them.
    pub fn of(result: &'r ToolResult) -> Self {
        Self {
            result,
            directory: Path::new(""),
        }
    }

    /// Joins the paths of written files to `directory`, the root of the workspace.
    #[must_use]
    pub fn in_directory(mut self, directory: &'r (impl AsRef<Path> + ?Sized)) -> Self {
        self.directory = directory.as_ref();
        self
    }

    fn write_outcome(&self, out: &mut String) -> fmt::Result {
        let mut marker = Some(if self.result.success { "✓ " } else { "✗ " });
        if let Some(error) = &self.result.error {
            marker = None;
            // A toolset may have another prefix, such as `Error reading file: `.
            let has_prefix = error.message.starts_with("Error ");
            let prefix = if has_prefix { "" } else { "Error: " };
            writeln!(out, "✗ {prefix}{}", error.message)?;
            if let Some(suggestion) = &error.suggestion {
                writeln!(out, "  {suggestion}")?;
            }
        }
        let blocks = output(self.result).into_iter().map(str::trim_end);
        for text in blocks.filter(|text| !text.is_empty()) {
            // Further lines belong to the first one.
            let text = text.replace('\n', "\n  ");
            writeln!(out, "{}{text}", marker.take().unwrap_or("  "))?;
        }
        match marker {
            Some(marker) => writeln!(out, "{marker}{}", self.result.name),
            None => Ok(()),
        }
    }
}

impl fmt::Display for CliAgentText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write_outcome(&mut out)?;
        for warning in &self.result.warnings {
            writeln!(out, "  {}", prefixed(warning))?;
        }
        for file in &self.result.files_affected {
            writeln!(out, "  Location: {}", self.directory.join(file).display())?;
        }
        let time = self.result.metadata.execution_time.as_millis();
        writeln!(out, "  Time: {time}ms")?;
        visible(&out).try_for_each(|letter| f.write_char(letter))
    }
}
