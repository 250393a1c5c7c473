//! Result as text for people.

use std::fmt::{self, Write};
use std::path::Path;

use tool_core::ToolResult;

use crate::toolsets::result_text::{Warning, output};

/// Result as text for people: a marker and the output, or the error and its suggestion; warnings;
/// the files written; and the execution time. Every line ends with a newline.
///
/// The output is untrusted. Carriage returns are removed, and other control characters except
/// newlines and tabs are replaced, so that the output cannot move the cursor of a terminal or
/// rename its window.
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
    #[must_use]
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

    fn write_outcome(&self, out: &mut Printable<'_, '_>) -> fmt::Result {
        let mut marker = Some("✓ ");
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
        let blocks = output(self.result).iter().map(str::trim_end);
        for text in blocks.filter(|text| !text.is_empty()) {
            writeln!(out, "{}{text}", marker.take().unwrap_or_default())?;
        }
        match marker {
            Some(marker) => writeln!(out, "{marker}{}", self.result.name),
            None => Ok(()),
        }
    }
}

impl fmt::Display for CliAgentText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let out = &mut Printable(f);
        self.write_outcome(out)?;
        for warning in &self.result.warnings {
            writeln!(out, "  {}", Warning(warning))?;
        }
        for file in &self.result.files_affected {
            writeln!(out, "  Location: {}", self.directory.join(file).display())?;
        }
        let time = self.result.metadata.execution_time.as_millis();
        writeln!(out, "  Time: {time}ms")
    }
}

/// Writer that removes or replaces control characters.
struct Printable<'f, 'b>(&'f mut fmt::Formatter<'b>);

impl Write for Printable<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive(is_control) {
            let end = part.chars().next_back().filter(|end| is_control(*end));
            self.0.write_str(part.trim_end_matches(is_control))?;
            if end.is_some_and(|end| end != '\r') {
                self.0.write_char(char::REPLACEMENT_CHARACTER)?;
            }
        }
        Ok(())
    }
}

fn is_control(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\t')
}
