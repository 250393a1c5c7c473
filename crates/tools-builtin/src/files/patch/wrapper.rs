//! What models put around a patch.

use std::borrow::Cow;

use serde_json::Value;
use tool_core::ToolError;

use super::cut_off;

/// Maximum number of wrappers in each other.
const MAX_WRAPPERS: usize = 5;

/// Returns the text of a patch without a code fence, a command with a here-document, or JSON around it.
pub(super) fn without_wrappers(patch: &str) -> Result<Cow<'_, str>, ToolError> {
    let mut text = Cow::Borrowed(trimmed(patch));
    for _ in 0..MAX_WRAPPERS {
        let inner = match text.chars().next() {
            Some('{' | '[') => Cow::Owned(of_json(&text)?),
            Some('`') => of_fence(&text)?,
            Some('a' | '<') if is_command(&text) => of_command(&text)?,
            _ => return Ok(text),
        };
        text = Cow::Owned(trimmed(&inner).to_owned());
    }
    Ok(text)
}

/// Removes a byte-order mark and empty lines, but no space that is part of a line.
fn trimmed(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A last line of spaces is an empty line of a hunk.
    let text = text.trim_end_matches(['\n', '\r']);
    let start = text
        .find(|letter: char| !letter.is_whitespace())
        .unwrap_or(0);
    let line = text.get(..start).and_then(|blank| blank.rfind('\n'));
    let text = text
        .get(line.map_or(0, |line| line + 1)..)
        .unwrap_or_default();
    // Before a wrapper, the indentation means nothing.
    let inner = text.trim_start();
    if inner.starts_with(['{', '[', '`', 'a', '<']) {
        inner
    } else {
        text
    }
}

/// Returns the text in `{"command": ["apply_patch", "…"]}` and the like.
fn of_json(text: &str) -> Result<String, ToolError> {
    let value: Value = serde_json::from_str(text).map_err(|_| {
        ToolError::invalid_arguments("patch", "begins like JSON, but is none")
            .suggest("Send the patch as plain text.")
    })?;
    let value = match &value {
        Value::Object(members) => members.values().next().filter(|_| members.len() == 1),
        other => Some(other),
    };
    let value = match value {
        Some(Value::Array(words)) => words.last(),
        other => other,
    };
    let text = value.and_then(Value::as_str).map(str::to_owned);
    text.ok_or_else(|| {
        ToolError::invalid_arguments("patch", "is JSON without a patch")
            .suggest("Send the patch as plain text.")
    })
}

fn of_fence(text: &str) -> Result<Cow<'_, str>, ToolError> {
    let length = text.chars().take_while(|letter| *letter == '`').count();
    let fence = text.get(..length).unwrap_or_default();
    let (_, inner) = text.split_once('\n').ok_or_else(cut_off)?;
    let inner = inner.trim_end().strip_suffix(fence).ok_or_else(cut_off)?;
    Ok(inner.into())
}

fn is_command(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line.contains("<<") && (line.starts_with("apply") || line.starts_with("<<"))
}

/// Returns the here-document of a command such as `apply_patch <<'EOF'`.
fn of_command(text: &str) -> Result<Cow<'_, str>, ToolError> {
    let (command, inner) = text.split_once('\n').ok_or_else(cut_off)?;
    let (_, word) = command.split_once("<<").unwrap_or_default();
    let end = word.trim_matches(|letter: char| "-'\" ".contains(letter) || letter.is_whitespace());
    let inner = inner.trim_end().strip_suffix(end).ok_or_else(cut_off)?;
    Ok(inner.into())
}
