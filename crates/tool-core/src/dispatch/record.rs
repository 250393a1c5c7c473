//! Step 10: what is remembered of a call: its metadata.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use tracing::Span;

use super::audit::Audited;
use super::run::guarded;
use super::{Incoming, Settings, span};
use crate::approval::{ApprovalRecord, Outcome};
use crate::call::set_next_id;
use crate::catalog::Entry;
use crate::{
    Arguments, CallMetadata, Change, ContentBlock, Notes, OutputLimit, Redactor, ShortText,
    SideEffects, Timestamp, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolResult, clock,
};

/// What is remembered of a call while it goes through its steps.
pub(super) struct Record<'c, 'r> {
    call: &'c Incoming<'c>,
    /// The tool that was found.
    entry: Option<&'c Entry>,
    since: Instant,
    /// Something that may have taken time was done since.
    lingered: bool,
    ended: bool,
    paused_at: Option<Instant>,
    paused: Duration,
    ran_with_effects: bool,
    limit: Option<&'c OutputLimit>,
    audited: Option<Box<Audited>>,
    /// What is known of the result.
    result: &'r mut ToolResult,
}

impl<'c, 'r> Record<'c, 'r> {
    #[inline]
    pub(super) fn start(call: &'c Incoming<'c>, result: &'r mut ToolResult) -> Self {
        let since = clock::now();
        match call.id {
            Some(id) => result.id.set(id),
            None => set_next_id(&mut result.id),
        }
        result.metadata.start_time = Timestamp::at(since);
        Self {
            call,
            entry: None,
            since,
            lingered: false,
            ended: false,
            paused_at: None,
            paused: Duration::ZERO,
            ran_with_effects: false,
            limit: None,
            audited: None,
            result,
        }
    }

    /// The time of day by another clock than the system's.
    pub(super) fn starts_at(&mut self, time: Timestamp) {
        self.result.metadata.start_time = time;
    }

    pub(super) fn id(&self) -> &ShortText {
        &self.result.id
    }

    pub(super) fn call(&self) -> &'c Incoming<'c> {
        self.call
    }

    /// Makes the context of the call.
    #[inline]
    pub(super) fn found(&mut self, entry: &'c Entry, settings: &'c Settings) -> ToolContext {
        self.entry = Some(entry);
        self.lingered = entry.has_checks();
        self.limit = Some(settings.limit_of(entry));
        let tool_name = entry.label();
        // A call by a name that a provider was told carries another one.
        if *tool_name == *self.call.name {
            self.result.name.clone_from(tool_name);
        } else {
            self.result.name = self.call.name.into();
        }
        self.result.metadata.tool_name.clone_from(tool_name);
        settings.context(&self.result.id, self.since, entry, self.call.options)
    }

    /// How much of the output is shown, where the tool was found.
    pub(super) fn limit(&self) -> Option<&'c OutputLimit> {
        self.limit
    }

    /// The first event of the call was given to the audit log.
    pub(super) fn audited(&mut self, audited: Audited) {
        self.audited = Some(Box::new(audited));
    }

    pub(super) fn take_audited(&mut self) -> Option<Box<Audited>> {
        self.audited.take()
    }

    pub(super) fn approval_so_far(&self) -> Option<&ApprovalRecord> {
        self.result.metadata.approval.as_ref()
    }

    pub(super) fn changes(&mut self) -> &mut Vec<Change> {
        &mut self.result.metadata.changes
    }

    #[inline]
    pub(super) fn warn(&mut self, warnings: Vec<String>) {
        if !warnings.is_empty() {
            self.result.warnings.extend(warnings);
        }
    }

    #[inline]
    pub(super) fn executes(&mut self, arguments: &Arguments<'_>) {
        self.result.metadata.parameters.keep(arguments);
    }

    #[inline]
    pub(super) fn approval(&mut self, approval: ApprovalRecord) {
        self.result.metadata.approval = Some(approval);
    }

    pub(super) fn was_edited(&self) -> bool {
        self.approval_so_far()
            .is_some_and(|approval| approval.outcome == Outcome::Edited)
    }

    /// The policy allows; what a person edited before stays on record.
    #[inline]
    pub(super) fn allowed(&mut self, rule: Cow<'static, str>) {
        let outcome = match self.approval_so_far() {
            Some(before) => before.outcome,
            None => Outcome::Allowed,
        };
        self.approval(ApprovalRecord::new(outcome, Some(rule)));
    }

    /// A person decides, which is no time of the tool's.
    pub(super) fn pause(&mut self) {
        self.paused_at = Some(clock::now());
    }

    pub(super) fn resume(&mut self) {
        if let Some(at) = self.paused_at.take() {
            self.paused += clock::now().duration_since(at);
        }
    }

    pub(super) fn queued(&mut self, time: Duration) {
        self.lingers();
        self.result.metadata.queue_time = time;
    }

    /// Something that may take time is done before the tool runs.
    #[inline]
    pub(super) fn lingers(&mut self) {
        self.lingered = true;
    }

    /// Whether the tool looks at its arguments before it runs, which is something that takes time.
    #[inline]
    pub(super) fn has_checks(&self, entry: &Entry) -> bool {
        self.lingered && entry.has_checks()
    }

    /// When the tool begins to run: now, unless the call has only just begun. A look at the clock is among the dearest things
    /// that a small call does.
    #[inline]
    pub(super) fn begins(&self) -> Instant {
        if self.lingered {
            clock::now()
        } else {
            self.since
        }
    }

    #[inline]
    pub(super) fn executed(&mut self, since: Instant, attempts: u32, definition: &ToolDefinition) {
        let now = clock::now();
        let metadata = &mut self.result.metadata;
        metadata.execution_time = now.duration_since(since);
        metadata.total_time = if since == self.since {
            metadata.execution_time
        } else {
            now.duration_since(self.since)
        };
        metadata.attempts = attempts;
        self.ended = true;
        self.ran_with_effects = attempts > 0 && !definition.hints().read_only;
    }

    /// Bytes of output were left out before the budget.
    pub(super) fn dropped(&mut self, bytes: u64) {
        self.result.metadata.bytes_dropped += bytes;
    }

    /// What the tool gave.
    #[inline]
    pub(super) fn output(&mut self, output: ToolOutput) {
        let result = &mut *self.result;
        result.content = output.content;
        result.data = output.data;
        result.files_affected = output.files_affected;
        result.metadata.extra = own_notes(output.metadata);
        self.warn(output.warnings);
    }

    /// Adds what the tool said beside its output.
    #[inline]
    pub(super) fn say(&mut self, cx: &ToolContext) {
        if cx.has_said() {
            self.add_said(cx);
        }
    }

    #[cold]
    fn add_said(&mut self, cx: &ToolContext) {
        let mut said = ToolOutput::default();
        cx.say_in(&mut said);
        let result = &mut *self.result;
        result.content.append(&mut said.content);
        result.files_affected.append(&mut said.files_affected);
        result.metadata.extra.extend(own_notes(said.metadata));
        self.warn(said.warnings);
    }

    /// Makes the result whole, once the call has ended like this.
    #[inline]
    pub(super) fn finish(
        &mut self,
        outcome: Result<(), ToolError>,
        redactor: Option<&Redactor>,
        span: &Span,
    ) {
        if let Err(error) = outcome {
            self.fail(error, redactor, span);
        }
        let metadata = &mut self.result.metadata;
        if !self.ended {
            metadata.total_time = clock::now().duration_since(self.since);
        }
        metadata.end_time = metadata.start_time.after(metadata.total_time);
        metadata.total_time = metadata.total_time.saturating_sub(self.paused);
        metadata.side_effects = side_effects(self.ran_with_effects, self.result.success);
    }

    #[cold]
    fn fail(&mut self, error: ToolError, redactor: Option<&Redactor>, span: &Span) {
        if self.entry.is_none() {
            self.result.name = self.call.name.into();
            let name = &self.result.name;
            self.result.metadata.tool_name.clone_from(name);
        }
        let error = error.with_tool_name(&self.result.metadata.tool_name);
        // The cause of an error is written by code of the tool's own.
        drop(guarded(|| {
            span::report(&error, redactor, span);
            Ok(())
        }));
        let text = error.to_model_text();
        let (report, output) = error.into_parts();
        let mut output = output.unwrap_or_default();
        let further = std::mem::replace(&mut output.content, vec![ContentBlock::text(text)]);
        output.content.extend(further);
        self.output(output);
        self.result.success = false;
        self.result.error = Some(Box::new(report));
    }
}

fn side_effects(ran_with_effects: bool, success: bool) -> SideEffects {
    match (ran_with_effects, success) {
        (false, _) => SideEffects::None,
        (true, true) => SideEffects::Done,
        (true, false) => SideEffects::Possible,
    }
}

/// The metadata's own keys cannot be overwritten by a tool's notes.
#[inline]
fn own_notes(mut notes: Notes) -> Notes {
    if notes.is_empty() {
        return notes;
    }
    for key in CallMetadata::KEYS {
        notes.remove(key);
    }
    notes
}
