//! Facts about a call while it passes through the steps.

use std::time::{Duration, Instant};

use super::audit::Audited;
use super::claimed::Claimed;
use super::run::FinishedRun;
use super::{IncomingCall, Settings};
use crate::call::next_id;
use crate::catalog::Entry;
use crate::{
    Arguments, CallMetadata, OutputLimit, SideEffects, SmolStr, Timestamp, ToolContext, ToolResult,
    clock,
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
