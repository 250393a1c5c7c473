//! What a tool is given beside its arguments, and what it may say beside its output.

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

pub use extensions::Extensions;
pub(crate) use host::Host;
pub use progress::{Progress, ProgressSink};

use self::shared::Shared;
use self::spoken::{Said, Spoken};
use crate::reports::{Pieces, Reports};
use crate::{CancellationToken, ContentBlock, ShortText, ToolOutput, clock};

/// What a tool is given beside its arguments. Cloning is cheap; clones are one context.
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

    /// Keeps the room of a context whose call has ended for a call to come.
    #[inline]
    pub(crate) fn give_back(self) {
        Shared::give_back(self.0);
    }

    /// Sets when the call runs into its timeout, once it has its turn.
    #[inline]
    pub(crate) fn start_clock(&self, begins: Instant, timeout: Duration) {
        let waited = if begins == self.0.created {
            Duration::ZERO
        } else {
            begins.saturating_duration_since(self.0.created)
        };
        let after = waited.saturating_add(timeout).as_nanos();
        // Zero says that there is none.
        let after = u64::try_from(after).map_or(0, |after| after.max(1));
        self.0.deadline.store(after, Ordering::Relaxed);
    }

    /// The same context with another token; what was said so far stays with the first.
    #[must_use]
    pub fn with_cancellation(&self, cancellation: CancellationToken) -> Self {
        self.with_parts(cancellation, self.host().cloned().unwrap_or_default())
    }

    /// The same context with these extensions; what was said so far stays with the first.
    #[must_use]
    pub fn with_extensions(&self, extensions: Extensions) -> Self {
        let mut host = self.host().cloned().unwrap_or_default();
        host.extensions = Some(Arc::new(extensions));
        self.with_parts(self.0.cancellation.clone(), host)
    }

    /// The same context that reports to `progress`; what was said so far stays with the first.
    #[must_use]
    pub fn with_progress(&self, progress: Arc<dyn ProgressSink>) -> Self {
        let mut host = self.host().cloned().unwrap_or_default();
        host.progress = Some(progress);
        self.with_parts(self.0.cancellation.clone(), host)
    }

    /// A context of the same call for a look ahead: what is said through it goes nowhere.
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
        // Nobody has seen the copy yet, so the place is free.
        let reports = Arc::clone(self.reports());
        let _ = copy.0.spoken.set(Box::new(Spoken::with_reports(reports)));
        let deadline = self.0.deadline.load(Ordering::Relaxed);
        copy.0.deadline.store(deadline, Ordering::Relaxed);
        copy
    }

    fn host(&self) -> Option<&Host> {
        self.0.host.as_deref()
    }

    /// The id of the call.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.0.call_id
    }

    /// The name of the tool as the model used it.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.0.tool_name
    }

    /// The name under which the tool is registered, which a view may show as another one.
    pub(crate) fn registered_name(&self) -> &str {
        self.host()
            .and_then(|host| host.registered_as.as_deref())
            .unwrap_or_else(|| self.tool_name())
    }

    /// Tells when to stop. A tool that holds no process and no thread need not look: its future is dropped.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.0.cancellation
    }

    /// When the call runs into its timeout.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        match self.0.deadline.load(Ordering::Relaxed) {
            0 => None,
            after => self.0.created.checked_add(Duration::from_nanos(after)),
        }
    }

    /// The host's value of type `T`.
    #[must_use]
    pub fn extension<T: Any>(&self) -> Option<&T> {
        self.shared_extensions()?.get()
    }

    /// All of the host's values, as they are shared by its calls.
    pub(crate) fn shared_extensions(&self) -> Option<&Arc<Extensions>> {
        self.host()?.extensions.as_ref()
    }

    /// Reports how far the call has come. A call that reports is not silent: its idle timeout starts again.
    pub fn progress(&self, progress: &Progress) {
        if let Some(spoken) = self.0.spoken.get() {
            spoken.reports.spoke();
        }
        if let Some(sink) = self.sink() {
            sink.progress(self.call_id(), self.tool_name(), progress);
        }
    }

    /// Gives a piece of the output before the call ends, such as a line or a record.
    ///
    /// The host sees it at once. When the call fails, by timeout, cancellation, a panic or an error that carries no
    /// output, the pieces stand behind the error; when it succeeds, its own output holds and they are forgotten.
    /// The first 10,000 pieces and 256 KB of a call are kept for that; a warning counts what was left out. Like
    /// progress, a piece starts the idle timeout again.
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

    /// What the call says while it runs.
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

    /// The output reached so far, taken out.
    pub(crate) fn take_pieces(&self) -> Option<Pieces> {
        self.0.spoken.get()?.reports.take()
    }

    /// Adds a warning to the result.
    pub fn warn(&self, warning: impl Into<String>) {
        let warning = warning.into();
        self.say(|said| said.warnings.push(warning));
    }

    /// Says that the file at `path` was written.
    pub fn affected(&self, path: impl Into<String>) {
        let path = path.into();
        self.say(|said| said.files_affected.push(path));
    }

    /// Adds `key` to the result's metadata.
    pub fn note(&self, key: impl Into<String>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        self.say(|said| drop(said.notes.insert(key, value)));
    }

    /// Shows the model one more block, after the text.
    pub fn attach(&self, block: ContentBlock) {
        self.say(|said| said.attachments.push(block));
    }

    /// Moves what was said into `output`, behind what is there.
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

    /// How many warnings were said that are in no output yet.
    #[cfg(feature = "typed")]
    pub(crate) fn warning_count(&self) -> usize {
        let spoken = self.0.spoken.get();
        spoken.map_or(0, |spoken| spoken.said().warnings.len())
    }

    /// Whether the tool may have said anything beside its output.
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
