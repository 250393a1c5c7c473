//! Facts about a call while it passes through the steps, and step 10, which completes its result.

use std::time::{Duration, Instant};

use tracing::Span;

use super::audit::Audited;
use super::claimed::Claimed;
use super::run::FinishedRun;
use super::{IncomingCall, Settings, span as spans};
use crate::call::next_id;
use crate::catalog::Entry;
use crate::{
    Arguments, CallMetadata, ContentBlock, OutputLimit, SideEffects, SmolStr, Timestamp,
    ToolContext, ToolError, ToolResult, clock,
};

/// Facts about a call while it passes through the steps.
pub(super) struct Record<'c, 'r> {
    pub(super) call: &'c IncomingCall<'c>,
    pub(super) started: Instant,
    /// Time at which the call was prepared, or its start if that took no time worth measuring.
    ready: Instant,
    pub(super) entry: Option<&'c Entry>,
    /// Time spent waiting for the approver.
    pub(super) paused: Duration,
    /// Whether the steps since [`ready`](Self::ready) may have taken long.
    pub(super) is_delayed: bool,
    /// Whether the tool was run, so that the total time is known.
    pub(super) has_run: bool,
    pub(super) audited: Option<Box<Audited>>,
    /// Claim in the ledger.
    pub(super) claimed: Option<Box<Claimed>>,
    /// Side effects as stated by the error.
    pub(super) side_effects: Option<SideEffects>,
    /// The result, built in place because it is expensive to move.
    pub(super) result: &'r mut ToolResult,
}

/// Context and arguments of a call, kept until its result is complete.
#[derive(Default)]
pub(super) struct Inputs<'c> {
    pub(super) context: Option<ToolContext>,
    pub(super) arguments: Option<Arguments<'c>>,
}

impl<'c, 'r> Record<'c, 'r> {
    #[inline]
    pub(super) fn new(
        call: &'c IncomingCall<'c>,
        settings: &Settings,
        result: &'r mut ToolResult,
    ) -> Self {
        let started = clock::now();
        result.id = call.id.map_or_else(next_id, SmolStr::from);
        result.metadata.start_time = match settings.clock {
            Some(_) => settings.now(),
            // Derived from the moment, which saves a system call.
            None => Timestamp::at(started),
        };
        Self {
            call,
            started,
            ready: started,
            entry: None,
            paused: Duration::ZERO,
            is_delayed: false,
            has_run: false,
            audited: None,
            claimed: None,
            side_effects: None,
            result,
        }
    }

    #[inline]
    pub(super) fn metadata(&mut self) -> &mut CallMetadata {
        &mut self.result.metadata
    }

    /// Marks that the approver edited the arguments, which are prepared again.
    pub(super) fn edited(&mut self) {
        self.ready = clock::now();
    }

    /// Marks that the call is prepared, and returns the time since its start or its edit.
    pub(super) fn prepared(&mut self) -> Duration {
        let now = clock::now();
        let taken = now.duration_since(self.ready);
        self.ready = now;
        self.is_delayed = false;
        taken
    }

    /// Marks that the tool may have run, and returns the start of the execution. Reads the clock only after steps that may
    /// have taken long, because that is expensive compared with a small call.
    #[inline]
    pub(super) fn execution_start(&mut self) -> Instant {
        if let Some(claimed) = &mut self.claimed {
            claimed.started = true;
        }
        if self.is_delayed {
            clock::now()
        } else {
            self.ready
        }
    }

    /// Returns the output limit of the resolved tool, else the default.
    #[inline]
    pub(super) fn output_limit(&self, settings: &Settings) -> OutputLimit {
        match self.entry {
            Some(entry) => settings.limit_of(entry),
            None => settings.output_limit,
        }
    }

    /// Adds the facts of a run.
    #[inline]
    pub(super) fn ran(&mut self, since: Instant, ran: &FinishedRun) {
        self.has_run = true;
        let metadata = &mut self.result.metadata;
        metadata.attempts = ran.attempts;
        metadata.bytes_dropped = ran.bytes_dropped;
        metadata.execution_time = ran.ended.duration_since(since);
        metadata.total_time = if since == self.started {
            metadata.execution_time
        } else {
            ran.ended.duration_since(self.started)
        };
    }
}

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
        spans::report(&error, settings.redactor.as_deref(), span, has_error_type);
        fail(record, error);
    }
    if let Some(cx) = inputs.context.take() {
        if let Some(additions) = cx.take_additions() {
            record.result.append(additions);
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
    // Without the time that a person took to decide, which says nothing about the tool.
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

/// Adds an error and the text that shows it to the model.
#[cold]
fn fail(record: &mut Record<'_, '_>, error: ToolError) {
    let error = error.with_tool_name(&record.result.metadata.tool_name);
    let attempts = record.metadata().attempts;
    if attempts > 0 {
        // Only of a call that ran: before that, no error can have had an effect. The last of several attempts does not know
        // what the others did, so that it cannot say that nothing happened.
        let stated = error.side_effects();
        record.side_effects = stated.filter(|stated| attempts == 1 || *stated != SideEffects::None);
    }
    let text = error.to_model_text();
    let (report, output) = error.into_parts();
    let mut output = output.unwrap_or_default();
    // First, because a long output may be truncated, and the model must read the error.
    output.content.insert(0, ContentBlock::text(text));
    record.result.add(output);
    record.result.success = false;
    record.result.error = Some(Box::new(report));
}
