//! Reports of a running call: progress, partial output, warnings and metadata.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{Progress, ProgressSink, ToolContext};
use crate::reports::{PartialOutput, Reports};
use crate::telemetry::CallSpan;
use crate::{ContentBlock, ToolOutput};

impl ToolContext {
    /// Reports progress. Restarts the idle timeout of the call.
    pub fn progress(&self, progress: &Progress) {
        // A call with an idle timeout has reports from the start, so nothing is created here.
        if let Some(collected) = self.0.collected.get() {
            collected.reports.restart_idle_timeout();
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
    pub fn partial(&self, block: impl Into<ContentBlock>) {
        let block = block.into();
        self.reports().restart_idle_timeout();
        if let Some(sink) = self.sink() {
            sink.partial(self.call_id(), self.tool_name(), &block);
        }
        self.reports().push(block);
    }

    /// Returns the reports of the running call.
    pub(crate) fn reports(&self) -> &Arc<Reports> {
        &self.collected().reports
    }

    fn sink(&self) -> Option<&Arc<dyn ProgressSink>> {
        self.host()?.progress.as_ref()
    }

    fn collected(&self) -> &Collected {
        let first = || Box::new(Collected::with_reports(Arc::new(Reports::new())));
        self.0.collected.get_or_init(first)
    }

    /// Takes the partial output reported so far.
    pub(crate) fn take_partial_output(&self) -> Option<PartialOutput> {
        self.0.collected.get()?.reports.take()
    }

    /// Adds a warning to the result.
    pub fn warn(&self, warning: impl Into<String>) {
        let warning = warning.into();
        self.add(|additions| additions.warnings.push(warning));
    }

    /// Reports that the tool wrote the file at `path`.
    pub fn affected(&self, path: impl Into<String>) {
        let path = path.into();
        self.add(|additions| additions.files_affected.push(path));
    }

    /// Adds `key` to the result's metadata.
    pub fn note(&self, key: impl Into<String>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        self.add(|additions| drop(additions.metadata.insert(key, value)));
    }

    /// Records a field on the span of the call, for tools that call a server of the Model Context Protocol.
    ///
    /// The span declares these fields if the source of the tool begins with `mcp:`, either the definition's
    /// [source](crate::ToolDefinition::with_source) or the [`ToolSource`](crate::ToolSource) in the registry:
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
        self.add(|additions| additions.content.push(block));
    }

    /// Moves the warnings, files, metadata and blocks reported so far to the end of `output`.
    pub fn move_additions_to(&self, output: &mut ToolOutput) {
        let additions = self.take_additions().unwrap_or_default();
        output.warnings.extend(additions.warnings);
        output.files_affected.extend(additions.files_affected);
        output.metadata.extend(additions.metadata);
        output.content.extend(additions.content);
    }

    /// Takes what the tool has added to its output, if it may have added anything.
    #[inline]
    pub(crate) fn take_additions(&self) -> Option<ToolOutput> {
        let collected = self.0.collected.get()?;
        Some(mem::take(&mut *collected.additions()))
    }

    fn add(&self, change: impl FnOnce(&mut ToolOutput)) {
        change(&mut self.collected().additions());
    }
}

/// Reports of a running tool: live reports, and additions to its output.
pub(super) struct Collected {
    /// Shared with copies of the context that have other parts.
    reports: Arc<Reports>,
    additions: Mutex<ToolOutput>,
}

impl Collected {
    pub(super) fn with_reports(reports: Arc<Reports>) -> Self {
        Self {
            reports,
            additions: Mutex::default(),
        }
    }

    fn additions(&self) -> MutexGuard<'_, ToolOutput> {
        self.additions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
