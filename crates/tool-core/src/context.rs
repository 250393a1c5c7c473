//! The context of a call: data for the tool in addition to its arguments, and reports in addition
//! to its output.

mod call_span;
mod collected;
mod extensions;
mod host;
mod progress;
mod reporting;
mod shared;

use std::any::Any;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub(crate) use call_span::CallSpan;
pub use extensions::Extensions;
pub(crate) use host::Host;
pub use progress::{Progress, ProgressSink};

use self::collected::Collected;
use self::shared::Shared;
use crate::approval::Approver;
use crate::call_key::CallKey;
use crate::{CancellationToken, SmolStr, clock};

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
    #[must_use]
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
    #[must_use]
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
        Self(Shared::of_call(
            call_id,
            tool_name,
            cancellation,
            host,
            created,
        ))
    }

    /// Keeps the allocation of a finished call's context for a later call.
    #[inline]
    pub(crate) fn give_back(self) {
        Shared::give_back(self.0);
    }

    /// Sets the deadline to `timeout` after `begins`, the time at which the call left the queue.
    #[inline]
    pub(crate) fn start_clock(&self, begins: Instant, timeout: Duration) {
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
        self.with_parts(cancellation, self.host().cloned().unwrap_or_default())
    }

    /// Returns this context with other extensions. Earlier reports stay in this context.
    #[must_use]
    pub fn with_extensions(&self, extensions: Extensions) -> Self {
        let mut host = self.host().cloned().unwrap_or_default();
        host.extensions = Some(Arc::new(extensions));
        self.with_parts(self.0.cancellation.clone(), host)
    }

    /// Returns this context with another progress sink. Earlier reports stay in this context.
    #[must_use]
    pub fn with_progress(&self, progress: Arc<dyn ProgressSink>) -> Self {
        let mut host = self.host().cloned().unwrap_or_default();
        host.progress = Some(progress);
        self.with_parts(self.0.cancellation.clone(), host)
    }

    fn with_parts(&self, cancellation: CancellationToken, host: Host) -> Self {
        let copy = Self::of_call(
            &self.0.call_id,
            &self.0.tool_name,
            cancellation,
            host.kept(),
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
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.0.call_id
    }

    /// Returns the name of the tool as the model used it.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.0.tool_name
    }

    /// Returns the cancellation token. Tools without processes or threads need not check it: their
    /// future is dropped.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.0.cancellation
    }

    /// Returns the time at which the call times out, if it has a timeout.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        match self.0.deadline.load(Ordering::Relaxed) {
            0 => None,
            after => self.0.created.checked_add(Duration::from_nanos(after)),
        }
    }

    /// Returns the host's value of type `T`.
    #[must_use]
    pub fn extension<T: Any>(&self) -> Option<&T> {
        self.shared_extensions()?.get()
    }

    /// Returns the approver of the call's options, for calls that the tool makes through another registry: the
    /// [approver](crate::CallOptions::approver) or the [fallback](crate::CallOptions::fallback_approver).
    #[must_use]
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
        let mut host = self.host().cloned().unwrap_or_default();
        host.call_key = Some(Arc::new(OnceLock::from(key)));
        self.with_parts(self.0.cancellation.clone(), host)
    }

    /// Returns the key of the call in the [ledger](crate::ledger), from which a tool can derive ids of messages and
    /// requests. `None` in a registry without a ledger, for calls that skip the ledger, and before the decision unless the
    /// host set the key.
    #[must_use]
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
    pub(crate) fn shared_extensions(&self) -> Option<&Arc<Extensions>> {
        self.host()?.extensions.as_ref()
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("call_id", &self.0.call_id)
            .field("tool_name", &self.0.tool_name)
            .field("deadline", &self.deadline())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
