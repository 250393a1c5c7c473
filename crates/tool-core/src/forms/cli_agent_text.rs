//! A result as text for people.

use std::fmt::{self, Write};
use std::path::Path;

use super::text::{Warning, given};
use crate::ToolResult;

/// A result as text for people: a mark and the output, or the error and what to do; warnings; the places that were
/// written; and the time the tool ran. Each line ends, the last one too.
///
/// The output is foreign text: carriage returns are left out and other control characters but line breaks and tabs
/// are replaced, so that it cannot move the cursor or rename the window of a terminal.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{Registry, ToolContext, forms::CliAgentText, tool_fn};
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
/// let text = CliAgentText::of(&result).in_folder("/home/user/project").to_string();
/// assert!(text.starts_with("✓ Created file: hello.py\n  Location: /home/user/project/hello.py\n  Time: "), "{text}");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct CliAgentText<'r> {
    result: &'r ToolResult,
    folder: Option<&'r Path>,
}

impl<'r> CliAgentText<'r> {
    /// Shows a result; the places written are shown as the tool named them.
    #[must_use]
    pub fn of(result: &'r ToolResult) -> Self {
        Self {
            result,
            folder: None,
        }
    }

    /// Shows the places written under `folder`, the root of the workspace.
    #[must_use]
    pub fn in_folder(mut self, folder: &'r (impl AsRef<Path> + ?Sized)) -> Self {
        self.folder = Some(folder.as_ref());
        self
    }

    fn write_outcome(&self, out: &mut Printable<'_, '_>) -> fmt::Result {
        let mut mark = Some("✓ ");
        if let Some(error) = &self.result.error {
            mark = None;
            // A contract may have a beginning of its own, such as `Error reading file: `.
            let word = if error.message.starts_with("Error ") {
                ""
            } else {
                "Error: "
            };
            writeln!(out, "✗ {word}{}", error.message)?;
            if let Some(suggestion) = &error.suggestion {
                writeln!(out, "  {suggestion}")?;
            }
        }
        let texts = given(self.result).iter().map(str::trim_end);
        for text in texts.filter(|text| !text.is_empty()) {
            writeln!(out, "{}{text}", mark.take().unwrap_or_default())?;
        }
        match mark {
            Some(mark) => writeln!(out, "{mark}{}", self.result.name),
            None => Ok(()),
        }
    }

    fn write_place(&self, out: &mut Printable<'_, '_>, file: &str) -> fmt::Result {
        match self.folder {
            Some(folder) => writeln!(out, "  Location: {}", folder.join(file).display()),
            None => writeln!(out, "  Location: {file}"),
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
            self.write_place(out, file)?;
        }
        let time = self.result.metadata.execution_time.as_millis();
        writeln!(out, "  Time: {time}ms")
    }
}

/// Writes what can do a terminal no harm.
struct Printable<'f, 'b>(&'f mut fmt::Formatter<'b>);

impl Write for Printable<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(is_harmful) {
            let (harmless, harmful) = rest.split_at(at);
            self.0.write_str(harmless)?;
            let mut letters = harmful.chars();
            if letters.next() != Some('\r') {
                self.0.write_char(char::REPLACEMENT_CHARACTER)?;
            }
            rest = letters.as_str();
        }
        self.0.write_str(rest)
    }
}

fn is_harmful(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t')
}
