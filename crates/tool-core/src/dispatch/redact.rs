//! Taking known secrets out of what a tool says, before anybody sees or keeps it.

use serde_json::Value;

use crate::approval::ApprovalRequest;
use crate::{ContentBlock, ErrorReport, Fault, Redactor, ToolResult};

/// Scrubs everything that a tool said.
pub(super) fn redact(redactor: &Redactor, result: &mut ToolResult) {
    for block in &mut result.content {
        scrub_block(redactor, block);
    }
    if let Some(data) = &mut result.data {
        redactor.scrub_value(data);
    }
    if let Some(error) = &mut result.error {
        scrub_error(redactor, error);
    }
    let said = result.warnings.iter_mut().chain(&mut result.files_affected);
    said.for_each(|text| redactor.scrub_text(text));
    let extra = std::mem::take(&mut result.metadata.extra);
    let scrubbed = |(key, mut value): (String, Value)| {
        redactor.scrub_value(&mut value);
        (redactor.scrub(&key).into_owned(), value)
    };
    result.metadata.extra = extra.into_iter().map(scrubbed).collect();
}

/// Scrubs what the tool adds to a question. The arguments stay as they are: they are what would run, and what the
/// answer is for.
pub(super) fn redact_request(redactor: &Redactor, request: &mut ApprovalRequest) {
    for path in &mut request.files_affected {
        redactor.scrub_text(path);
    }
    if let Some(reason) = &mut request.reason {
        redactor.scrub_text(reason);
    }
    if let Some(preview) = &mut request.preview {
        redactor.scrub_text(&mut preview.text);
    }
}

pub(super) fn scrub_block(redactor: &Redactor, block: &mut ContentBlock) {
    match block {
        ContentBlock::Text { text } => redactor.scrub_text(text),
        ContentBlock::ResourceLink { uri, name, .. } => {
            redactor.scrub_text(uri);
            redactor.scrub_text(name);
        }
        ContentBlock::Image { .. } => {}
    }
}

fn scrub_error(redactor: &Redactor, error: &mut ErrorReport) {
    redactor.scrub_text(&mut error.message);
    if let Some(suggestion) = &mut error.suggestion {
        redactor.scrub_text(suggestion);
    }
    for fault in &mut error.faults {
        scrub_fault(redactor, fault);
    }
}

fn scrub_fault(redactor: &Redactor, fault: &mut Fault) {
    let named = fault.property.iter_mut().chain(&mut fault.nearest);
    let told = [&mut fault.pointer, &mut fault.expected, &mut fault.got];
    named.chain(told).for_each(|text| redactor.scrub_text(text));
    for value in &mut fault.allowed {
        redactor.scrub_value(value);
    }
}
