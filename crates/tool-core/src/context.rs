//! The context of a call: data for the tool in addition to its arguments, and reports in addition
//! to its output.

mod reporting;
mod shared;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use self::reporting::Collected;
use self::shared::Shared;
use crate::approval::Approver;
use crate::call_key::CallKey;
use crate::telemetry::CallSpan;
use crate::{CancellationToken, ContentBlock, SmolStr, clock};

/// The context of a call. Cloning is cheap; clones share their state.
///
/// # Examples
/// ```
/// use tool_core::ToolContext;
///
/// let cx = ToolContext::new("call_1", "search_code");
/// cx.warn("the index is a day old");
/// assert_eq!(cx.call_id(), "call_1");
/// ```
#[derive(Clone)]
pub struct ToolContext(shared::Arc<Shared>);

impl ToolContext {
    /// Creates a context for one call.
    pub fn new(call_id: impl Into<SmolStr>, tool_name: impl Into<SmolStr>) -> Self {
        Self::of_call(
            &call_id.into(),
            &tool_name.into(),
            CancellationToken::new(),
            None,
            clock::now(),
        )
    }

    /// Creates a context for a test, or for a call outside a registry.
    pub fn test() -> Self {
        Self::new("test", "test")
    }

    #[inline]
    pub(crate) fn of_call(
        call_id: &SmolStr,
        tool_name: &SmolStr,
        cancellation: CancellationToken,
        host: Option<Box<Host>>,
        created: Instant,
    ) -> Self {
        let shared = Shared {
            call_id: call_id.clone(),
            tool_name: tool_name.clone(),
            cancellation,
            created,
            deadline: AtomicU64::new(0),
            host,
            collected: OnceLock::new(),
        };
        Self(shared.kept())
    }

    /// Keeps the allocation of a finished call's context for a later call.
    #[inline]
    pub(crate) fn give_back(self) {
        Shared::give_back(self.0);
    }

    /// Sets the deadline to `timeout` after `begins`, the time at which the call left the queue.
    #[inline]
    pub(crate) fn start_clock(&self, begins: Instant, timeout: Duration) {
        // Stored as nanoseconds since the creation, because an `Instant` does not fit into an atomic integer.
        let waited = if begins == self.0.created {
            Duration::ZERO
        } else {
            begins.saturating_duration_since(self.0.created)
        };
        let after = waited.saturating_add(timeout).as_nanos();
        // Zero means no deadline.
        let after = u64::try_from(after).map_or(0, |after| after.max(1));
        self.0.deadline.store(after, Ordering::Relaxed);
    }

    /// Returns this context with another token. Earlier reports stay in this context.
    #[must_use]
    pub fn with_cancellation(&self, cancellation: CancellationToken) -> Self {
        self.with_parts(cancellation, self.0.host.clone())
    }

    /// Returns this context with other extensions. Earlier reports stay in this context.
    #[must_use]
    pub fn with_extensions(&self, extensions: Extensions) -> Self {
        self.with_host(|host| host.extensions = Some(Arc::new(extensions)))
    }

    /// Returns this context with another progress sink. Earlier reports stay in this context.
    #[must_use]
    pub fn with_progress(&self, progress: Arc<dyn ProgressSink>) -> Self {
        self.with_host(|host| host.progress = Some(progress))
    }

    fn with_host(&self, change: impl FnOnce(&mut Host)) -> Self {
        let mut host = self.0.host.clone().unwrap_or_default();
        change(&mut host);
        self.with_parts(self.0.cancellation.clone(), Some(host))
    }

    fn with_parts(&self, cancellation: CancellationToken, host: Option<Box<Host>>) -> Self {
        let copy = Self::of_call(
            &self.0.call_id,
            &self.0.tool_name,
            cancellation,
            host,
            self.0.created,
        );
        // The copy is not shared yet, so `set` succeeds.
        let reports = Arc::clone(self.reports());
        let _ = copy
            .0
            .collected
            .set(Box::new(Collected::with_reports(reports)));
        let deadline = self.0.deadline.load(Ordering::Relaxed);
        copy.0.deadline.store(deadline, Ordering::Relaxed);
        copy
    }

    fn host(&self) -> Option<&Host> {
        self.0.host.as_deref()
    }

    /// Returns the id of the call.
    pub fn call_id(&self) -> &str {
        &self.0.call_id
    }

    /// Returns the name of the tool as the model used it.
    pub fn tool_name(&self) -> &str {
        &self.0.tool_name
    }

    /// Returns the cancellation token. Tools without processes or threads need not check it: their
    /// future is dropped.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.0.cancellation
    }

    /// Returns the time at which the call times out, if it has a timeout.
    pub fn deadline(&self) -> Option<Instant> {
        match self.0.deadline.load(Ordering::Relaxed) {
            0 => None,
            after => self.0.created.checked_add(Duration::from_nanos(after)),
        }
    }

    /// Returns the host's value of type `T`.
    pub fn extension<T: Any>(&self) -> Option<&T> {
        self.shared_extensions()?.get()
    }

    /// Returns the approver of the call's options, for calls that the tool makes through another registry: the
    /// [approver](crate::CallOptions::approver) or the [fallback](crate::CallOptions::fallback_approver).
    pub fn approver(&self) -> Option<&Arc<dyn Approver>> {
        self.host()?.approver.as_ref()
    }

    /// Returns this context with the key of a call. Earlier reports stay in this context.
    ///
    /// # Examples
    /// ```
    /// use tool_core::ToolContext;
    /// use tool_core::ledger::CallKey;
    ///
    /// let cx = ToolContext::test().with_call_key(CallKey::new("run-7", "call_1"));
    /// assert_eq!(cx.call_key(), Some(&CallKey::new("run-7", "call_1")));
    /// ```
    #[must_use]
    pub fn with_call_key(&self, key: CallKey) -> Self {
        self.with_host(|host| host.call_key = Some(Arc::new(OnceLock::from(key))))
    }

    /// Returns the key of the call in the [ledger](crate::ledger), from which a tool can derive ids of messages and
    /// requests. `None` in a registry without a ledger, for calls that skip the ledger, and before the decision unless the
    /// host set the key.
    pub fn call_key(&self) -> Option<&CallKey> {
        self.host()?.call_key.as_ref()?.get()
    }

    /// Sets the key of the call, once.
    pub(crate) fn set_call_key(&self, key: CallKey) {
        if let Some(slot) = self.host().and_then(|host| host.call_key.as_ref()) {
            // The key of a call never changes.
            let _ = slot.set(key);
        }
    }

    /// Returns all values of the host, shared by its calls.
    fn shared_extensions(&self) -> Option<&Arc<Extensions>> {
        self.host()?.extensions.as_ref()
    }
}

debug_fields!(ToolContext, this => call_id: this.0.call_id, tool_name: this.0.tool_name, deadline: this.deadline());

/// Values of the host for its tools, by type. They are never part of a schema.
///
/// # Examples
/// ```
/// use tool_core::Extensions;
///
/// let extensions = Extensions::default().with("tenant-7".to_owned());
/// assert_eq!(extensions.get::<String>().map(String::as_str), Some("tenant-7"));
/// ```
#[derive(Clone, Default)]
pub struct Extensions(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Extensions {
    /// Adds a value. Replaces a value of the same type.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
        self
    }

    /// Returns the value of type `T`.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

debug_fields!(Extensions, this => values: this.0.len());

/// The progress of a call.
///
/// # Examples
/// ```
/// use tool_core::Progress;
///
/// let progress = Progress::new("searching").with_position(3, Some(10));
/// assert_eq!(progress.total, Some(10));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// The current activity.
    pub message: String,
    /// Number of completed steps.
    pub done: u64,
    /// Total number of steps, if known.
    pub total: Option<u64>,
}

impl Progress {
    /// Creates a report of the current activity.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    /// Sets the number of completed steps and the total.
    #[must_use]
    pub fn with_position(self, done: u64, total: Option<u64>) -> Self {
        Self {
            done,
            total,
            ..self
        }
    }
}

/// A receiver of progress and partial output. Its methods must not block.
///
/// # Examples
/// ```
/// use tool_core::{Progress, ProgressSink};
///
/// struct Quiet;
/// impl ProgressSink for Quiet {
///     fn progress(&self, _call_id: &str, _tool_name: &str, _progress: &Progress) {}
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot receive progress",
    note = "implement `ProgressSink` for `{Self}`"
)]
pub trait ProgressSink: Send + Sync {
    /// Receives a progress report of a call.
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress);

    /// Receives a block of partial output of a running call. The default does nothing.
    fn partial(&self, call_id: &str, tool_name: &str, piece: &ContentBlock) {
        let _ = (call_id, tool_name, piece);
    }
}

/// The parts of a context that the host sets.
#[derive(Clone, Default)]
pub(crate) struct Host {
    pub(crate) progress: Option<Arc<dyn ProgressSink>>,
    pub(crate) extensions: Option<Arc<Extensions>>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// Key of the call, set after the decision if the call has one and the host did not set it.
    pub(crate) call_key: Option<Arc<OnceLock<CallKey>>>,
    /// Span of the call, if it has fields for the tool.
    pub(crate) span: Option<Arc<CallSpan>>,
}

#[cfg(test)]
mod tests;
