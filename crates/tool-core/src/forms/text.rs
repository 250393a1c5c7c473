//! Texts of a result, written without being joined first.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{ContentBlock, ToolResult};

/// The texts among some blocks, joined by line breaks.
#[derive(Clone, Copy)]
pub(super) struct Texts<'r>(pub(super) &'r [ContentBlock]);

impl<'r> Texts<'r> {
    pub(super) fn iter(self) -> impl Iterator<Item = &'r str> {
        self.0.iter().filter_map(ContentBlock::as_text)
    }
}

impl fmt::Display for Texts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, text) in self.iter().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            f.write_str(text)?;
        }
        Ok(())
    }
}

impl Serialize for Texts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A warning with the word in front that it is printed with.
pub(super) struct Warning<'r>(pub(super) &'r str);

impl fmt::Display for Warning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_word = ["Warning: ", "Error: "]
            .iter()
            .any(|word| self.0.starts_with(word));
        let word = if has_word { "" } else { "Warning: " };
        write!(f, "{word}{}", self.0)
    }
}

/// What the tool gave: the content without the block that says the error, which is the first one of a failure.
pub(super) fn given(result: &ToolResult) -> Texts<'_> {
    let reached = match result.error {
        Some(_) => result.content.get(1..).unwrap_or_default(),
        None => &result.content,
    };
    Texts(reached)
}

/// Why the call failed, as the model reads it, without the word `Error` in front; the message where the model reads
/// something of another shape.
pub(super) fn failure(result: &ToolResult) -> Option<&str> {
    let error = result.error.as_ref()?;
    let said = result.content.first().and_then(ContentBlock::as_text);
    let without_word = said.and_then(|said| said.strip_prefix("Error: "));
    Some(without_word.unwrap_or(&error.message))
}
