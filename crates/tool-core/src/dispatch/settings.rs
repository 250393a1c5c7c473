//! What all calls of a registry have in common.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::OutputLimit;
use crate::audit::AuditLog;
use crate::middleware::Middleware;
use crate::output_store::OutputStore;
use crate::registry::{CallOptions, Entry};
use crate::{Extensions, ProgressSink, Redactor, ToolContext};

/// What all calls of a registry have in common.
pub(crate) struct Settings {
    pub(crate) timeout: Duration,
    pub(crate) output_limit: OutputLimit,
    /// The limits that the host gives to single tools.
    pub(crate) output_limits: BTreeMap<String, OutputLimit>,
    pub(crate) batch_limit: Option<OutputLimit>,
    pub(crate) output_store: Option<Arc<dyn OutputStore>>,
    pub(crate) audit: Option<Arc<dyn AuditLog>>,
    pub(crate) redactor: Option<Arc<Redactor>>,
    pub(crate) argument_bytes: usize,
    pub(crate) coercion: bool,
    pub(crate) progress: Option<Arc<dyn ProgressSink>>,
    pub(crate) extensions: Option<Arc<Extensions>>,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
            output_limit: OutputLimit::bytes(100 * 1024),
            output_limits: BTreeMap::new(),
            batch_limit: None,
            output_store: None,
            audit: None,
            redactor: None,
            argument_bytes: 4 * 1024 * 1024,
            coercion: true,
            progress: None,
            extensions: None,
            middleware: Vec::new(),
        }
    }
}

impl Settings {
    /// The context of one call.
    pub(super) fn context(
        &self,
        call_id: String,
        since: Instant,
        entry: &Entry,
        options: Option<&CallOptions>,
    ) -> ToolContext {
        let cancellation = options.map(|options| options.cancellation.clone());
        let progress = options.and_then(|options| options.progress.clone());
        let extensions = options.and_then(|options| options.extensions.clone());
        ToolContext::of_call(
            call_id,
            entry.name().as_str().to_owned(),
            cancellation.unwrap_or_default(),
            progress.or_else(|| self.progress.clone()),
            extensions.or_else(|| self.extensions.clone()),
            since,
        )
    }

    /// How much of this tool's output is shown: what the host says of it, else its own limit, else the registry's.
    pub(super) fn limit_of(&self, entry: &Entry) -> OutputLimit {
        self.output_limits
            .get(entry.name().as_str())
            .copied()
            .or(entry.definition().output_limit())
            .unwrap_or(self.output_limit)
    }

    /// How long this call may run: its own limit, else the tool's, else the registry's.
    pub(super) fn timeout_of(&self, entry: &Entry, options: Option<&CallOptions>) -> Duration {
        options
            .and_then(|options| options.timeout)
            .or(entry.definition().timeout())
            .unwrap_or(self.timeout)
    }
}
