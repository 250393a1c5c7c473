//! The context of a call: data for the tool in addition to its arguments, and reports in addition
//! to its output.

mod call_span;
mod extensions;
mod host;
mod progress;
mod shared;
mod spoken;

use std::any::Any;
use std::fmt;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) use call_span::CallSpan;
pub use extensions::Extensions;
pub(crate) use host::Host;
pub use progress::{Progress, ProgressSink};

use self::shared::Shared;
use self::spoken::{Said, Spoken};
use crate::reports::{Pieces, Reports};
use crate::{CancellationToken, ContentBlock, ShortText, ToolOutput, clock};

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
    pub fn new(call_id: impl Into<ShortText>, tool_name: impl Into<ShortText>) -> Self {
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
        call_id: &ShortText,
        tool_name: &ShortText,
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

    /// Returns a context of the same call for a preview. Its reports are discarded.
    pub(crate) fn unheard(&self) -> Self {
        let mut host = self.host().cloned().unwrap_or_default();
        host.progress = None;
        self.apart(self.0.cancellation.child(), host)
    }

    fn apart(&self, cancellation: CancellationToken, host: Host) -> Self {
        Self::of_call(
            &self.0.call_id,
            &self.0.tool_name,
            cancellation,
            host.kept(),
            self.0.created,
        )
    }

    fn with_parts(&self, cancellation: CancellationToken, host: Host) -> Self {
        let copy = self.apart(cancellation, host);
        // The copy is not shared yet, so `set` succeeds.
        let reports = Arc::clone(self.reports());
        let _ = copy.0.spoken.set(Box::new(Spoken::with_reports(reports)));
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

    /// Returns the registered name of the tool, which differs from [`tool_name`](Self::tool_name)
    /// in some views.
    pub(crate) fn registered_name(&self) -> &str {
        self.host()
            .and_then(|host| host.registered_as.as_deref())
            .unwrap_or_else(|| self.tool_name())
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

    /// Returns all values of the host, shared by its calls.
    pub(crate) fn shared_extensions(&self) -> Option<&Arc<Extensions>> {
        self.host()?.extensions.as_ref()
    }

    /// Reports progress. Restarts the idle timeout of the call.
    pub fn progress(&self, progress: &Progress) {
        if let Some(spoken) = self.0.spoken.get() {
            spoken.reports.spoke();
        }
        if let Some(sink) = self.sink() {
            sink.progress(self.call_id(), self.tool_name(), progress);
        }
    }

    /// Reports a block of partial output, such as a line or a record.
    ///
    /// The host receives it immediately. If the call fails by timeout, cancellation, panic or an
    /// error without output, the reported blocks follow the error; if it succeeds, they are
    /// discarded. At most 10,000 blocks and 256 KB per call are kept; a warning counts the omitted
    /// ones. Restarts the idle timeout, like progress.
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
    /// let definition = ToolDefinition::new("crawl", "Follows links.", json!({"type": "object"}))
    ///     .with_risk(RiskLevel::ReadOnly)
    ///     .with_timeout(Duration::from_millis(10));
    /// let crawl = DynamicTool::new(definition, |cx, _| async move {
    ///     cx.partial("page 1: welcome");
    ///     std::future::pending().await
    /// });
    /// let result = Registry::of(crawl)?.execute("crawl", json!({})).await;
    /// assert!(result.to_string().ends_with("page 1: welcome"));
    /// # Ok(()) }
    /// ```
    pub fn partial(&self, piece: impl Into<ContentBlock>) {
        let piece = piece.into();
        self.reports().spoke();
        if let Some(sink) = self.sink() {
            sink.partial(self.call_id(), self.tool_name(), &piece);
        }
        self.reports().keep(piece);
    }

    /// Returns the reports of the running call.
    pub(crate) fn reports(&self) -> &Arc<Reports> {
        &self.spoken().reports
    }

    fn sink(&self) -> Option<&Arc<dyn ProgressSink>> {
        self.host()?.progress.as_ref()
    }

    fn spoken(&self) -> &Spoken {
        let first = || Box::new(Spoken::with_reports(Arc::new(Reports::new())));
        self.0.spoken.get_or_init(first)
    }

    /// Takes the partial output reported so far.
    pub(crate) fn take_pieces(&self) -> Option<Pieces> {
        self.0.spoken.get()?.reports.take()
    }

    /// Adds a warning to the result.
    pub fn warn(&self, warning: impl Into<String>) {
        let warning = warning.into();
        self.say(|said| said.warnings.push(warning));
    }

    /// Reports that the tool wrote the file at `path`.
    pub fn affected(&self, path: impl Into<String>) {
        let path = path.into();
        self.say(|said| said.files_affected.push(path));
    }

    /// Adds `key` to the result's metadata.
    pub fn note(&self, key: impl Into<String>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        self.say(|said| drop(said.notes.insert(key, value)));
    }

    /// Records a field on the span of the call, for tools that call a server of the Model Context Protocol.
    ///
    /// The span declares these fields if the source of the tool begins with `mcp:`, either the definition's
    /// [source](crate::ToolDefinition::with_source) or the [`ToolSource`](crate::registry::ToolSource) in the registry:
    /// `mcp.method.name`, `mcp.protocol.version`, `mcp.session.id`, `jsonrpc.request.id`, `network.transport`,
    /// `server.address`, `server.port` and `error.type`. A recorded `error.type` replaces the error code. Other fields,
    /// arrays and objects are ignored, and strings are truncated to 256 bytes. Values must not contain secrets.
    pub fn record(&self, field: &str, value: impl Into<Value>) {
        if let Some(span) = self.span() {
            span.record(field, &value.into());
        }
    }

    /// Returns `true` if the tool recorded an error type on the span.
    pub(crate) fn has_error_type(&self) -> bool {
        self.span().is_some_and(CallSpan::has_error_type)
    }

    fn span(&self) -> Option<&CallSpan> {
        self.host()?.span.as_deref()
    }

    /// Adds a block for the model after the tool's output.
    pub fn attach(&self, block: ContentBlock) {
        self.say(|said| said.attachments.push(block));
    }

    /// Moves the warnings, files, metadata and blocks reported so far to the end of `output`.
    pub fn say_in(&self, output: &mut ToolOutput) {
        let Some(spoken) = self.0.spoken.get() else {
            return;
        };
        let mut said = mem::take(&mut *spoken.said());
        output.warnings.append(&mut said.warnings);
        output.files_affected.append(&mut said.files_affected);
        output.metadata.extend(said.notes);
        output.content.append(&mut said.attachments);
    }

    /// Returns the number of warnings that were not moved to an output yet.
    #[cfg(feature = "typed")]
    pub(crate) fn warning_count(&self) -> usize {
        let spoken = self.0.spoken.get();
        spoken.map_or(0, |spoken| spoken.said().warnings.len())
    }

    /// Returns `true` if the tool may have added anything to its output.
    #[inline]
    pub(crate) fn has_said(&self) -> bool {
        self.0.spoken.get().is_some()
    }

    fn say(&self, what: impl FnOnce(&mut Said)) {
        what(&mut self.spoken().said());
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
