//! Taking known secrets out of a result, before anybody sees or keeps it.

use crate::{ContentBlock, Redactor, ToolResult};

/// Scrubs everything that a tool said.
pub(super) fn redact(redactor: &Redactor, result: &mut ToolResult) {
    for block in &mut result.content {
        match block {
            ContentBlock::Text { text } => redactor.scrub_text(text),
            ContentBlock::ResourceLink { uri, name, .. } => {
                redactor.scrub_text(uri);
                redactor.scrub_text(name);
            }
            ContentBlock::Image { .. } => {}
        }
    }
    if let Some(data) = &mut result.data {
        redactor.scrub_value(data);
    }
    if let Some(error) = &mut result.error {
        redactor.scrub_text(&mut error.message);
        if let Some(suggestion) = &mut error.suggestion {
            redactor.scrub_text(suggestion);
        }
    }
    let said = result.warnings.iter_mut().chain(&mut result.files_affected);
    said.for_each(|text| redactor.scrub_text(text));
    result
        .metadata
        .extra
        .values_mut()
        .for_each(|value| redactor.scrub_value(value));
}
