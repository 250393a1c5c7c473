//! What all calls of a registry have in common.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::run::guarded;
use super::scrubbed::Scrubbed;
use crate::audit::AuditLog;
use crate::catalog::Entry;
use crate::context::Host;
use crate::middleware::Middleware;
use crate::output_store::OutputStore;
use crate::{
    CallOptions, Clock, Extensions, OutputLimit, ProgressSink, Redactor, ShortText, Timestamp,
    ToolContext,
};

/// What all calls of a registry have in common.
pub(crate) struct Settings {
    pub(crate) timeout: Duration,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) output_limit: OutputLimit,
    /// The limits that the host gives to single tools.
    pub(crate) output_limits: BTreeMap<String, OutputLimit>,
    pub(crate) batch_limit: Option<OutputLimit>,
    pub(crate) output_store: Option<Arc<dyn OutputStore>>,
    pub(crate) audit: Option<Arc<dyn AuditLog>>,
    pub(crate) redactor: Option<Arc<Redactor>>,
    pub(crate) argument_bytes: usize,
    pub(crate) coercion: bool,
    /// How long an answer to a request counts.
    pub(crate) approval_expiry: Option<Duration>,
    pub(crate) progress: Option<Arc<dyn ProgressSink>>,
    pub(crate) extensions: Option<Arc<Extensions>>,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    pub(crate) clock: Option<Arc<dyn Clock>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
            idle_timeout: None,
            output_limit: OutputLimit::bytes(100 * 1024),
            output_limits: BTreeMap::new(),
            batch_limit: None,
            output_store: None,
            audit: None,
            redactor: None,
            // A file of 10 MB fits in, escapes included.
            argument_bytes: 16 * 1024 * 1024,
            coercion: true,
            approval_expiry: None,
            progress: None,
            extensions: None,
            middleware: Vec::new(),
            clock: None,
        }
    }
}

impl Settings {
    /// The context of one call.
    #[inline]
    pub(super) fn context(
        &self,
        call_id: &ShortText,
        since: Instant,
        entry: &Entry,
        options: Option<&CallOptions>,
    ) -> ToolContext {
        // A child, because a call that is given up stops its own work and nobody else's.
        let cancellation = options.map(|options| options.cancellation.child());
        let host = self.host(entry, options);
        ToolContext::of_call(
            call_id,
            entry.label(),
            cancellation.unwrap_or_default(),
            host,
            since,
        )
    }

    /// What the host gives to a call, which is nothing as a rule.
    #[inline]
    fn host(&self, entry: &Entry, options: Option<&CallOptions>) -> Option<Box<Host>> {
        let progress = options.and_then(|options| options.progress.as_ref());
        let extensions = options.and_then(|options| options.extensions.as_ref());
        let progress = progress.or(self.progress.as_ref());
        let extensions = extensions.or(self.extensions.as_ref());
        let registered_as = entry.registered_as();
        if progress.is_none() && extensions.is_none() && registered_as.is_none() {
            return None;
        }
        Some(Box::new(Host {
            registered_as: registered_as.cloned(),
            progress: self.scrubbed(progress.cloned()),
            extensions: extensions.cloned(),
        }))
    }

    fn scrubbed(&self, progress: Option<Arc<dyn ProgressSink>>) -> Option<Arc<dyn ProgressSink>> {
        let (Some(redactor), Some(further)) = (&self.redactor, &progress) else {
            return progress;
        };
        Some(Arc::new(Scrubbed {
            redactor: Arc::clone(redactor),
            further: Arc::clone(further),
        }))
    }

    /// How much of this tool's output is shown: what the host says of it, under the name that a view shows or its own,
    /// else its own limit, else the registry's.
    #[inline]
    pub(super) fn limit_of<'s>(&'s self, entry: &'s Entry) -> &'s OutputLimit {
        let registered = || self.output_limits.get(entry.registered_as()?.as_ref());
        self.output_limits
            .get(entry.name().as_str())
            .or_else(registered)
            .or(entry.definition().own_output_limit())
            .unwrap_or(&self.output_limit)
    }

    /// How long this call may run: its own limit, else the tool's, else the registry's.
    #[inline]
    pub(super) fn timeout_of(&self, entry: &Entry, options: Option<&CallOptions>) -> Duration {
        options
            .and_then(|options| options.timeout)
            .or(entry.definition().timeout())
            .unwrap_or(self.timeout)
    }

    /// The time of day; that of the system where the host's clock panics.
    pub(super) fn now(&self) -> Timestamp {
        let told = |clock: &Arc<dyn Clock>| guarded(|| Ok(clock.now())).ok();
        self.clock
            .as_ref()
            .and_then(told)
            .unwrap_or_else(Timestamp::now)
    }

    /// How long this call may say nothing, where there is a limit: its own, else the tool's, else the registry's.
    pub(super) fn idle_timeout_of(
        &self,
        entry: &Entry,
        options: Option<&CallOptions>,
    ) -> Option<Duration> {
        options
            .and_then(|options| options.idle_timeout)
            .or(entry.definition().idle_timeout())
            .or(self.idle_timeout)
    }
}
