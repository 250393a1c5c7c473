//! Removal of known secrets from everything that a tool returns or sends.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::approval::ApprovalRequest;
use crate::{
    ContentBlock, ErrorReport, Progress, ProgressSink, Redactor, ResourceContents, ToolResult,
    ValidationIssue,
};

/// Scrubs everything in a result that the tool wrote.
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
    let texts = result.warnings.iter_mut().chain(&mut result.files_affected);
    texts.for_each(|text| redactor.scrub_text(text));
    // Rebuilt, because keys may contain secrets, too.
    let extra = std::mem::take(&mut result.metadata.extra);
    let scrubbed = |(key, mut value): (String, Value)| {
        redactor.scrub_value(&mut value);
        (redactor.scrub(&key).into_owned(), value)
    };
    result.metadata.extra = extra.into_iter().map(scrubbed).collect();
}

/// Scrubs the parts of a request that the tool wrote. The arguments and grants stay: the decision is about them.
pub(super) fn redact_request(redactor: &Redactor, request: &mut ApprovalRequest) {
    let preview = request.preview.iter_mut().map(|preview| &mut preview.text);
    let texts = request.files_affected.iter_mut().chain(&mut request.reason);
    let reasons = request
        .findings
        .iter_mut()
        .map(|finding| &mut finding.reason);
    texts
        .chain(preview)
        .chain(reasons)
        .for_each(|text| redactor.scrub_text(text));
    // A rule without its secret would allow something else.
    request.suggested_rule.take_if(|rule| {
        let mut scrubbed = json!(rule);
        redactor.scrub_value(&mut scrubbed);
        scrubbed != json!(rule)
    });
}

fn scrub_block(redactor: &Redactor, block: &mut ContentBlock) {
    match block {
        ContentBlock::Text { text } => redactor.scrub_text(text),
        ContentBlock::ResourceLink {
            uri,
            name,
            title,
            description,
            ..
        } => {
            let known = [title, description].into_iter().flatten();
            [uri, name]
                .into_iter()
                .chain(known)
                .for_each(|text| redactor.scrub_text(text));
        }
        ContentBlock::Resource { uri, contents, .. } => {
            redactor.scrub_text(uri);
            if let ResourceContents::Text(text) = contents {
                redactor.scrub_text(text);
            }
        }
        ContentBlock::Image { .. } | ContentBlock::Audio { .. } => {}
    }
}

fn scrub_error(redactor: &Redactor, error: &mut ErrorReport) {
    redactor.scrub_text(&mut error.message);
    if let Some(suggestion) = &mut error.suggestion {
        redactor.scrub_text(suggestion);
    }
    for issue in &mut error.issues {
        scrub_issue(redactor, issue);
    }
}

fn scrub_issue(redactor: &Redactor, issue: &mut ValidationIssue) {
    let names = issue.property.iter_mut().chain(&mut issue.nearest);
    let texts = [&mut issue.pointer, &mut issue.expected, &mut issue.got];
    names
        .chain(texts)
        .for_each(|text| redactor.scrub_text(text));
    for value in &mut issue.allowed {
        redactor.scrub_value(value);
    }
}

/// A sink that receives progress and partial output without known secrets.
pub(super) struct RedactingSink {
    pub(super) redactor: Arc<Redactor>,
    pub(super) sink: Arc<dyn ProgressSink>,
}

impl ProgressSink for RedactingSink {
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress) {
        let mut progress = progress.clone();
        self.redactor.scrub_text(&mut progress.message);
        self.sink.progress(call_id, tool_name, &progress);
    }

    fn partial(&self, call_id: &str, tool_name: &str, block: &ContentBlock) {
        let mut block = block.clone();
        scrub_block(&self.redactor, &mut block);
        self.sink.partial(call_id, tool_name, &block);
    }
}
