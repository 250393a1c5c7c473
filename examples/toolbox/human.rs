//! A result as text for people.

use std::path::{Path, absolute};

use tool_core::{ContentBlock, ErrorReport, ToolResult};

/// A result as text: a mark and the output, the files that were written, and the time it took.
pub(crate) fn render(result: &ToolResult, workspace: &Path) -> String {
    let mut lines = match &result.error {
        Some(error) => failed(error, &result.content),
        None => succeeded(result),
    };
    lines.extend(
        result
            .warnings
            .iter()
            .map(|warning| format!("  Warning: {warning}")),
    );
    lines.extend(
        result
            .files_affected
            .iter()
            .map(|file| location(file, workspace)),
    );
    let time = result.metadata.total_time.as_millis();
    lines.push(format!("  Time: {time}ms\n"));
    printable(&lines.join("\n"))
}

fn succeeded(result: &ToolResult) -> Vec<String> {
    let mut lines = texts(&result.content);
    match lines.first_mut() {
        Some(first) => first.insert_str(0, "✓ "),
        None => lines.push(format!("✓ {}", result.name)),
    }
    lines
}

fn failed(error: &ErrorReport, content: &[ContentBlock]) -> Vec<String> {
    let mut lines = vec![format!("✗ Error: {}", error.message)];
    lines.extend(
        error
            .suggestion
            .iter()
            .map(|suggestion| format!("  {suggestion}")),
    );
    // The first block is the error itself; what follows was reached before the failure.
    lines.extend(texts(content.get(1..).unwrap_or_default()));
    lines
}

fn texts(blocks: &[ContentBlock]) -> Vec<String> {
    blocks
        .iter()
        .filter_map(ContentBlock::as_text)
        .map(|text| text.trim_end().to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

fn location(file: &str, workspace: &Path) -> String {
    let place = absolute(workspace.join(file)).unwrap_or_else(|_| file.into());
    format!("  Location: {}", place.display())
}

/// Output is foreign text: it may not move the cursor or rename the window of a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .filter(|letter| *letter != '\r')
        .map(|letter| match letter {
            '\n' | '\t' => letter,
            _ if letter.is_control() => char::REPLACEMENT_CHARACTER,
            _ => letter,
        })
        .collect()
}
