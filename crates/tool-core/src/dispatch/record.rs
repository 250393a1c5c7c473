//! Step 10: what is remembered of a call: its metadata.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;
use std::time::{Duration, Instant};

use tracing::Span;

use super::audit::Audited;
use super::run::guarded;
use super::{Incoming, Settings, span};
use crate::approval::{ApprovalRecord, Outcome};
use crate::call::next_id;
use crate::catalog::Entry;
use crate::output_limit::Cuts;
use crate::{
    Arguments, CallMetadata, Change, ContentBlock, ErrorReport, OutputLimit, Parameters, Redactor,
    ShortText, SideEffects, Timestamp, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ToolResult, clock,
};

/// What is remembered of a call while it goes through its steps.
pub(super) struct Record<'c> {
    call: &'c Incoming<'c>,
    id: ShortText,
    /// The tool that was found.
    entry: Option<&'c Entry>,
    since: Instant,
    /// Something that may have taken time was done since.
    lingered: bool,
    start_time: Timestamp,
    total_time: Option<Duration>,
    paused_at: Option<Instant>,
    paused: Duration,
    queue_time: Duration,
    execution_time: Duration,
    attempts: u32,
    bytes_dropped: u64,
    changes: Vec<Change>,
    warnings: Vec<String>,
    parameters: Parameters,
    approval: Option<ApprovalRecord>,
    ran_with_effects: bool,
    limit: Option<&'c OutputLimit>,
    audited: Option<Box<Audited>>,
    output: Option<ToolOutput>,
}

impl<'c> Record<'c> {
    #[inline]
    pub(super) fn start(call: &'c Incoming<'c>) -> Self {
        let since = clock::now();
        Self {
            call,
            id: call.id.map_or_else(next_id, ShortText::from),
            entry: None,
            since,
            lingered: false,
            start_time: Timestamp::at(since),
            total_time: None,
            paused_at: None,
            paused: Duration::ZERO,
            queue_time: Duration::ZERO,
            execution_time: Duration::ZERO,
            attempts: 0,
            bytes_dropped: 0,
            changes: Vec::new(),
            warnings: Vec::new(),
            parameters: Parameters::default(),
            approval: None,
            ran_with_effects: false,
            limit: None,
            audited: None,
            output: None,
        }
    }

    /// The time of day by another clock than the system's.
    pub(super) fn starts_at(&mut self, time: Timestamp) {
        self.start_time = time;
    }

    pub(super) fn id(&self) -> &ShortText {
        &self.id
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
        settings.context(self.id.clone(), self.since, entry, self.call.options)
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
        self.approval.as_ref()
    }

    pub(super) fn changes(&mut self) -> &mut Vec<Change> {
        &mut self.changes
    }

    #[inline]
    pub(super) fn warn(&mut self, warnings: Vec<String>) {
        if !warnings.is_empty() {
            self.warnings.extend(warnings);
        }
    }

    #[inline]
    pub(super) fn executes(&mut self, arguments: &Arguments<'_>) {
        self.parameters = Parameters::of(arguments);
    }

    #[inline]
    pub(super) fn approval(&mut self, approval: ApprovalRecord) {
        self.approval = Some(approval);
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
        self.queue_time = time;
    }

    /// Something that may take time is done before the tool runs.
    #[inline]
    pub(super) fn lingers(&mut self) {
        self.lingered = true;
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
        self.execution_time = now.duration_since(since);
        self.total_time = Some(if since == self.since {
            self.execution_time
        } else {
            now.duration_since(self.since)
        });
        self.attempts = attempts;
        self.ran_with_effects = attempts > 0 && !definition.hints().read_only;
    }

    /// Bytes of output were left out before the budget.
    pub(super) fn dropped(&mut self, bytes: u64) {
        self.bytes_dropped += bytes;
    }

    /// What the tool gave.
    #[inline]
    pub(super) fn output(&mut self, output: ToolOutput) {
        self.output = Some(output);
    }

    /// Adds what the tool said beside its output.
    pub(super) fn say(&mut self, cx: &ToolContext) {
        if let Some(output) = &mut self.output {
            cx.say_in(output);
        }
    }

    /// What the model is shown so far.
    pub(super) fn content(&self) -> &[ContentBlock] {
        let output = self.output.as_ref();
        output.map_or(&[], |output| output.content.as_slice())
    }

    /// The result, once the call has ended like this.
    #[inline]
    pub(super) fn finish(
        &mut self,
        outcome: Result<(), ToolError>,
        redactor: Option<&Redactor>,
        span: &Span,
    ) -> ToolResult {
        let error = match outcome {
            Ok(()) => None,
            Err(error) => Some(self.fail(error, redactor, span)),
        };
        self.result(error)
    }

    #[cold]
    fn fail(
        &mut self,
        error: ToolError,
        redactor: Option<&Redactor>,
        span: &Span,
    ) -> Box<ErrorReport> {
        let error = error.with_tool_name(self.entry.map_or(self.call.name, |entry| entry.label()));
        // The cause of an error is written by code of the tool's own.
        drop(guarded(|| {
            span::report(&error, redactor, span);
            Ok(())
        }));
        let text = error.to_model_text();
        let (report, output) = error.into_parts();
        let mut output = output.unwrap_or_default();
        output.content.insert(0, ContentBlock::text(text));
        self.output = Some(output);
        Box::new(report)
    }

    #[inline]
    fn result(&mut self, error: Option<Box<ErrorReport>>) -> ToolResult {
        let total_time = self
            .total_time
            .unwrap_or_else(|| clock::now().duration_since(self.since));
        let output = self.output.take().unwrap_or_default();
        self.warn(output.warnings);
        let tool_name = match self.entry {
            Some(entry) => entry.label().clone(),
            None => self.call.name.into(),
        };
        // A call by a name that a provider was told carries another one.
        let name = if tool_name == *self.call.name {
            tool_name.clone()
        } else {
            self.call.name.into()
        };
        let metadata = CallMetadata {
            tool_name,
            parameters: mem::take(&mut self.parameters),
            changes: mem::take(&mut self.changes),
            start_time: self.start_time,
            end_time: self.start_time.after(total_time),
            queue_time: self.queue_time,
            execution_time: self.execution_time,
            total_time: total_time.saturating_sub(self.paused),
            attempts: self.attempts,
            bytes_dropped: self.bytes_dropped,
            approval: self.approval.take(),
            side_effects: side_effects(self.ran_with_effects, error.is_none()),
            extra: own_notes(output.metadata),
        };
        ToolResult {
            id: mem::take(&mut self.id),
            name,
            success: error.is_none(),
            content: output.content,
            data: output.data,
            error,
            warnings: mem::take(&mut self.warnings),
            files_affected: output.files_affected,
            metadata,
            cuts: Cuts::default(),
        }
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
fn own_notes(
    mut notes: BTreeMap<String, serde_json::Value>,
) -> BTreeMap<String, serde_json::Value> {
    if notes.is_empty() {
        return notes;
    }
    for key in CallMetadata::KEYS {
        notes.remove(key);
    }
    notes
}
