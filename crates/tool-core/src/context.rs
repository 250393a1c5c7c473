//! What a tool is given beside its arguments, and what it may say beside its output.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::reports::{Pieces, Reports};
use crate::{CancellationToken, ContentBlock, ShortText, ToolOutput, clock};

/// How far a call has come.
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
    /// What is being done.
    pub message: String,
    /// Steps done so far.
    pub done: u64,
    /// Steps in all, where known.
    pub total: Option<u64>,
}

impl Progress {
    /// Says what is being done.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    /// Says how many steps are done, and of how many.
    #[must_use]
    pub fn with_position(self, done: u64, total: Option<u64>) -> Self {
        Self {
            done,
            total,
            ..self
        }
    }
}

/// Receives progress and partial output while calls run. It must not block.
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
    /// Takes one report of one call.
    fn progress(&self, call_id: &str, tool_name: &str, progress: &Progress);

    /// Takes one piece of the output of one call, before the call ends. Does nothing unless implemented.
    fn partial(&self, call_id: &str, tool_name: &str, piece: &ContentBlock) {
        let _ = (call_id, tool_name, piece);
    }
}

/// Values that the host injects for its tools, by type. They are never part of a schema.
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
    /// Adds a value; a value of the same type is replaced.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
        self
    }

    /// The value of type `T`.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Extensions({} values)", self.0.len())
    }
}

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
pub struct ToolContext(Arc<Inner>);

struct Inner {
    call_id: ShortText,
    tool_name: ShortText,
    /// Where a view gives the tool another name.
    registered_as: Option<Arc<str>>,
    cancellation: CancellationToken,
    created: Instant,
    /// Nanoseconds from `created` to the deadline; 0 while there is none.
    deadline: AtomicU64,
    progress: Option<Arc<dyn ProgressSink>>,
    extensions: Option<Arc<Extensions>>,
    /// Shared with copies that have other parts.
    reports: OnceLock<Arc<Reports>>,
    /// Nothing yet, for most calls.
    said: Mutex<Option<Box<Said>>>,
    /// Tells without the lock that nothing was said.
    has_said: AtomicBool,
}

#[derive(Debug, Default)]
struct Said {
    warnings: Vec<String>,
    files_affected: Vec<String>,
    notes: BTreeMap<String, Value>,
    attachments: Vec<ContentBlock>,
}

impl ToolContext {
    /// Creates a context for one call.
    #[must_use]
    pub fn new(call_id: impl Into<ShortText>, tool_name: impl Into<ShortText>) -> Self {
        Self::of_call(
            call_id.into(),
            tool_name.into(),
            None,
            CancellationToken::new(),
            None,
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
        call_id: ShortText,
        tool_name: ShortText,
        registered_as: Option<Arc<str>>,
        cancellation: CancellationToken,
        progress: Option<Arc<dyn ProgressSink>>,
        extensions: Option<Arc<Extensions>>,
        created: Instant,
    ) -> Self {
        Self(Arc::new(Inner {
            call_id,
            tool_name,
            registered_as,
            cancellation,
            created,
            deadline: AtomicU64::new(0),
            progress,
            extensions,
            reports: OnceLock::new(),
            said: Mutex::default(),
            has_said: AtomicBool::new(false),
        }))
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
        let (progress, extensions) = (self.0.progress.clone(), self.0.extensions.clone());
        self.with_parts(cancellation, progress, extensions)
    }

    /// The same context with these extensions; what was said so far stays with the first.
    #[must_use]
    pub fn with_extensions(&self, extensions: Extensions) -> Self {
        let (cancellation, progress) = (self.0.cancellation.clone(), self.0.progress.clone());
        self.with_parts(cancellation, progress, Some(Arc::new(extensions)))
    }

    /// The same context that reports to `progress`; what was said so far stays with the first.
    #[must_use]
    pub fn with_progress(&self, progress: Arc<dyn ProgressSink>) -> Self {
        let (cancellation, extensions) = (self.0.cancellation.clone(), self.0.extensions.clone());
        self.with_parts(cancellation, Some(progress), extensions)
    }

    /// A context of the same call for a look ahead: what is said through it goes nowhere.
    pub(crate) fn unheard(&self) -> Self {
        let extensions = self.0.extensions.clone();
        self.apart(self.0.cancellation.child(), None, extensions)
    }

    fn apart(
        &self,
        cancellation: CancellationToken,
        progress: Option<Arc<dyn ProgressSink>>,
        extensions: Option<Arc<Extensions>>,
    ) -> Self {
        Self::of_call(
            self.0.call_id.clone(),
            self.0.tool_name.clone(),
            self.0.registered_as.clone(),
            cancellation,
            progress,
            extensions,
            self.0.created,
        )
    }

    fn with_parts(
        &self,
        cancellation: CancellationToken,
        progress: Option<Arc<dyn ProgressSink>>,
        extensions: Option<Arc<Extensions>>,
    ) -> Self {
        let copy = self.apart(cancellation, progress, extensions);
        // Nobody has seen the copy yet, so the place is free.
        let _ = copy.0.reports.set(Arc::clone(self.reports()));
        let deadline = self.0.deadline.load(Ordering::Relaxed);
        copy.0.deadline.store(deadline, Ordering::Relaxed);
        copy
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
        self.0
            .registered_as
            .as_deref()
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
        self.0.extensions.as_ref()?.get()
    }

    /// All of the host's values, as they are shared by its calls.
    pub(crate) fn shared_extensions(&self) -> Option<&Arc<Extensions>> {
        self.0.extensions.as_ref()
    }

    /// Reports how far the call has come. A call that reports is not silent: its idle timeout starts again.
    pub fn progress(&self, progress: &Progress) {
        if let Some(reports) = self.0.reports.get() {
            reports.spoke();
        }
        if let Some(sink) = &self.0.progress {
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
        if let Some(sink) = &self.0.progress {
            sink.partial(self.call_id(), self.tool_name(), &piece);
        }
        self.reports().keep(piece);
    }

    /// What the call says while it runs.
    pub(crate) fn reports(&self) -> &Arc<Reports> {
        self.0.reports.get_or_init(|| Arc::new(Reports::new()))
    }

    /// The output reached so far, taken out.
    pub(crate) fn take_pieces(&self) -> Option<Pieces> {
        self.0.reports.get()?.take()
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
        if !self.0.has_said.load(Ordering::Acquire) {
            return;
        }
        let Some(mut said) = self.said().take() else {
            return;
        };
        output.warnings.append(&mut said.warnings);
        output.files_affected.append(&mut said.files_affected);
        output.metadata.append(&mut said.notes);
        output.content.append(&mut said.attachments);
    }

    /// How many warnings were said that are in no output yet.
    #[cfg(feature = "typed")]
    pub(crate) fn warning_count(&self) -> usize {
        if !self.0.has_said.load(Ordering::Acquire) {
            return 0;
        }
        self.said().as_ref().map_or(0, |said| said.warnings.len())
    }

    fn say(&self, what: impl FnOnce(&mut Said)) {
        what(self.said().get_or_insert_default());
        self.0.has_said.store(true, Ordering::Release);
    }

    fn said(&self) -> MutexGuard<'_, Option<Box<Said>>> {
        self.0.said.lock().unwrap_or_else(PoisonError::into_inner)
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
