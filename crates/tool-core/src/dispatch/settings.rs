//! Settings and state that all calls of a registry share.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tracing::Span;

use super::Gate;
use super::redact::RedactingSink;
use super::stop::guarded;
use crate::approval::{Approver, DecidedRequests, LivePolicy};
use crate::audit::AuditLog;
use crate::catalog::Entry;
use crate::context::Host;
use crate::ledger::{CallKey, Ledger, StoredArguments};
use crate::middleware::Middleware;
use crate::output_store::OutputStore;
use crate::telemetry::CallSpan;
use crate::{
    CallOptions, Clock, Extensions, OutputLimit, ProgressSink, Redactor, SmolStr, Timestamp,
    ToolContext,
};

/// State that all calls of a registry share, including calls through its snapshots.
pub(crate) struct Shared {
    pub(crate) policy: LivePolicy,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// Held while an approver decides that is not concurrent.
    pub(crate) asking: tokio::sync::Mutex<()>,
    pub(crate) decided_requests: DecidedRequests,
    pub(crate) gate: Gate,
    pub(crate) settings: Settings,
}

/// Settings of all calls of a registry.
pub(crate) struct Settings {
    pub(crate) timeout: Duration,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) output_limit: OutputLimit,
    /// Limits that the host sets for single tools.
    pub(crate) output_limits: BTreeMap<String, OutputLimit>,
    pub(crate) output_store: Option<Arc<dyn OutputStore>>,
    /// Whether arguments may refer to stored outputs.
    pub(crate) references: bool,
    pub(crate) audit: Option<Arc<dyn AuditLog>>,
    pub(crate) redactor: Option<Arc<Redactor>>,
    pub(crate) argument_bytes: usize,
    pub(crate) coercion: bool,
    /// Validity of a decision after its request.
    pub(crate) approval_expiry: Option<Duration>,
    pub(crate) progress: Option<Arc<dyn ProgressSink>>,
    pub(crate) extensions: Option<Arc<Extensions>>,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) ledger: Option<Arc<dyn Ledger>>,
    pub(crate) lease: Duration,
    /// Name of this process in the ledger.
    pub(crate) owner: Option<String>,
    pub(crate) stored_arguments: StoredArguments,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
            idle_timeout: None,
            // About 25,000 tokens, which is a large part of what a model reads at once.
            output_limit: OutputLimit::bytes(100 * 1024),
            output_limits: BTreeMap::new(),
            output_store: None,
            references: false,
            audit: None,
            redactor: None,
            // Enough for a file of 10 MB with escapes.
            argument_bytes: 16 * 1024 * 1024,
            coercion: true,
            // A decision the next day would be about files that have changed since.
            approval_expiry: Some(Duration::from_hours(1)),
            progress: None,
            extensions: None,
            middleware: Vec::new(),
            clock: None,
            ledger: None,
            lease: Duration::from_secs(30),
            owner: None,
            stored_arguments: StoredArguments::default(),
        }
    }
}

impl Settings {
    /// Creates the context of a call.
    #[inline]
    pub(super) fn context(
        &self,
        call_id: &SmolStr,
        since: Instant,
        entry: &Entry,
        options: Option<&CallOptions>,
        span: &Span,
    ) -> ToolContext {
        // A child, so that stopping the call cancels only its own work.
        let cancellation = options.map(|options| options.cancellation.child());
        let host = self.host(entry, options, span);
        ToolContext::of_call(
            call_id,
            entry.label(),
            cancellation.unwrap_or_default(),
            host,
            since,
        )
    }

    /// Returns the values that the host passes to a call; usually none.
    #[inline]
    fn host(&self, entry: &Entry, options: Option<&CallOptions>, span: &Span) -> Option<Box<Host>> {
        let progress = options.and_then(|options| options.progress.as_ref());
        let extensions = options.and_then(|options| options.extensions.as_ref());
        let progress = progress.or(self.progress.as_ref());
        let extensions = extensions.or(self.extensions.as_ref());
        let approver = options.and_then(|options| {
            let own = options.approver.as_ref();
            own.or(options.fallback_approver.as_ref())
        });
        let is_ledgered = self.ledger.is_some() && may_claim(entry, options);
        let call_key = is_ledgered.then(|| Arc::new(key_of_host(options)));
        // Most calls have none of these, and a box would be one more allocation.
        let is_bare = progress.is_none() && extensions.is_none();
        if is_bare && approver.is_none() && !entry.is_mcp() && call_key.is_none() {
            return None;
        }
        Some(Box::new(Host {
            progress: progress.map(|sink| self.redacting(sink)),
            extensions: extensions.cloned(),
            approver: approver.cloned(),
            call_key,
            span: entry.is_mcp().then(|| Arc::new(CallSpan::new(span))),
        }))
    }

    fn redacting(&self, sink: &Arc<dyn ProgressSink>) -> Arc<dyn ProgressSink> {
        match &self.redactor {
            None => Arc::clone(sink),
            Some(redactor) => Arc::new(RedactingSink {
                redactor: Arc::clone(redactor),
                sink: Arc::clone(sink),
            }),
        }
    }

    /// Returns the output limit of a tool: the host's, else its own, else the default.
    #[inline]
    pub(crate) fn limit_of(&self, entry: &Entry) -> OutputLimit {
        *self
            .output_limits
            // The host first: it knows how much its model can read.
            .get(entry.name().as_str())
            .or(entry.definition().own_output_limit())
            .unwrap_or(&self.output_limit)
    }

    /// Returns the timeout of a call: its own, else the tool's, else the default.
    #[inline]
    pub(super) fn timeout_of(&self, entry: &Entry, options: Option<&CallOptions>) -> Duration {
        options
            .and_then(|options| options.timeout)
            .or(entry.definition().timeout())
            .unwrap_or(self.timeout)
    }

    /// Returns the idle timeout of a call: its own, else the tool's, else the default.
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

    /// Returns the time of day; the system's if the host's clock panics.
    pub(super) fn now(&self) -> Timestamp {
        self.clock
            .as_ref()
            // A clock of the host may panic, and a call needs some time.
            .and_then(|clock| guarded(|| Ok(clock.now())).ok())
            .unwrap_or_else(Timestamp::now)
    }
}

/// The resolved tool of a call and its surroundings, for steps 4 to 8.
#[derive(Clone, Copy)]
pub(super) struct Scope<'c, 'x> {
    pub(super) shared: &'c Shared,
    pub(super) entry: &'c Entry,
    pub(super) cx: &'x ToolContext,
    pub(super) options: Option<&'c CallOptions>,
}

impl<'c, 'x> Scope<'c, 'x> {
    #[inline]
    pub(super) fn new(
        shared: &'c Shared,
        entry: &'c Entry,
        cx: &'x ToolContext,
        options: Option<&'c CallOptions>,
    ) -> Self {
        Self {
            shared,
            entry,
            cx,
            options,
        }
    }
}

/// Returns `true` if a call may use the ledger: it may have an effect, or the host set its key.
#[inline]
pub(super) fn may_claim(entry: &Entry, options: Option<&CallOptions>) -> bool {
    !entry.definition().hints().read_only || has_key(options)
}

pub(super) fn has_key(options: Option<&CallOptions>) -> bool {
    options.is_some_and(|options| options.call_key.is_some())
}

/// Returns the key of a decided request or of the host, which is known before the arguments are checked.
fn key_of_host(options: Option<&CallOptions>) -> OnceLock<CallKey> {
    let requested = || options?.decided.as_deref()?.request.call_key.clone();
    let of_host = || {
        let key = options?.call_key.as_ref()?;
        Some(CallKey::new(space_of(options), key))
    };
    requested()
        .or_else(of_host)
        .map_or_else(OnceLock::new, OnceLock::from)
}

/// Returns the scope of the host, else the default.
pub(super) fn space_of(options: Option<&CallOptions>) -> &str {
    let space = options.and_then(|options| options.scope.as_deref());
    space.unwrap_or(CallKey::DEFAULT_SCOPE)
}
