//! Step 10: the result of a call. Ends every path.

use tracing::Span;

use super::guard::guarded;
use super::record::{Inputs, Record};
use super::{Settings, span as spans};
use crate::catalog::Entry;
use crate::{ContentBlock, SideEffects, ToolContext, ToolError, ToolOutput, clock};

/// Completes the result with the outcome of the steps.
#[inline]
pub(super) fn finish(
    record: &mut Record<'_, '_>,
    inputs: &mut Inputs<'_>,
    outcome: Result<(), ToolError>,
    settings: &Settings,
    span: &Span,
) {
    set_names(record);
    if let Err(error) = outcome {
        let cx = inputs.context.as_ref();
        let has_error_type = cx.is_some_and(ToolContext::has_error_type);
        report(&error, settings, span, has_error_type);
        fail(record, error);
    }
    if let Some(cx) = inputs.context.take() {
        if cx.has_additions() {
            add_messages(record, |output| cx.move_additions_to(output));
        }
        cx.give_back();
    }
    if let Some(arguments) = inputs.arguments.take() {
        record.metadata().parameters.record(&arguments);
        arguments.give_back();
    }
    let has_effects = record
        .entry
        .is_some_and(|entry| !entry.definition().hints().read_only);
    let result = &mut *record.result;
    let metadata = &mut result.metadata;
    if !record.has_run {
        metadata.total_time = clock::now().duration_since(record.started);
    }
    metadata.end_time = metadata.start_time.after(metadata.total_time);
    metadata.total_time = metadata.total_time.saturating_sub(record.paused);
    metadata.side_effects = match (has_effects && metadata.attempts > 0, result.success) {
        (false, _) => SideEffects::None,
        (true, true) => SideEffects::Done,
        (true, false) => SideEffects::Possible,
    };
    if let Some(stated) = record.side_effects {
        metadata.side_effects = stated;
    }
}

#[inline]
fn set_names(record: &mut Record<'_, '_>) {
    let (result, called) = (&mut *record.result, record.call.name);
    let label = record.entry.map(Entry::label);
    match label {
        Some(label) if *label == *called => result.name.clone_from(label),
        // A call by a wire name keeps that name.
        _ => result.name = called.into(),
    }
    let tool_name = label.unwrap_or(&result.name);
    result.metadata.tool_name.clone_from(tool_name);
}

/// Adds an error to the span.
#[cold]
fn report(error: &ToolError, settings: &Settings, span: &Span, has_error_type: bool) {
    let redactor = settings.redactor.as_deref();
    // The source of an error is foreign code.
    drop(guarded(|| {
        spans::report(error, redactor, span, has_error_type);
        Ok(())
    }));
}

/// Adds an error and the text that shows it to the model.
#[cold]
fn fail(record: &mut Record<'_, '_>, error: ToolError) {
    let error = error.with_tool_name(&record.result.metadata.tool_name);
    let attempts = record.metadata().attempts;
    if attempts > 0 {
        record.side_effects = error.side_effects_of(attempts);
    }
    let text = error.to_model_text();
    let (report, output) = error.into_parts();
    let mut output = output.unwrap_or_default();
    output.content.insert(0, ContentBlock::text(text));
    record.result.add(output);
    record.result.success = false;
    record.result.error = Some(Box::new(report));
}

/// Adds the messages that the tool sent through its context.
#[cold]
fn add_messages(record: &mut Record<'_, '_>, take: impl FnOnce(&mut ToolOutput)) {
    let result = &mut *record.result;
    let mut output = ToolOutput {
        content: std::mem::take(&mut result.content),
        data: result.data.take(),
        files_affected: std::mem::take(&mut result.files_affected),
        warnings: Vec::new(),
        metadata: std::mem::take(&mut result.metadata.extra),
    };
    take(&mut output);
    result.add(output);
}
