//! What all calls of a registry have in common.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::OutputLimit;
use crate::middleware::Middleware;
use crate::registry::{CallOptions, Entry};
use crate::{Extensions, ProgressSink, ToolContext};

/// What all calls of a registry have in common.
pub(crate) struct Settings {
    pub(crate) timeout: Duration,
    pub(crate) output_limit: OutputLimit,
    pub(crate) argument_bytes: usize,
    pub(crate) coercion: bool,
    /// How long an answer to a request counts.
    pub(crate) approval_expiry: Option<Duration>,
    pub(crate) progress: Option<Arc<dyn ProgressSink>>,
    pub(crate) extensions: Option<Arc<Extensions>>,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
            output_limit: OutputLimit::bytes(100 * 1024),
            argument_bytes: 4 * 1024 * 1024,
            coercion: true,
            approval_expiry: None,
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

    /// How long this call may run: its own limit, else the tool's, else the registry's.
    pub(super) fn timeout_of(&self, entry: &Entry, options: Option<&CallOptions>) -> Duration {
        options
            .and_then(|options| options.timeout)
            .or(entry.definition().timeout())
            .unwrap_or(self.timeout)
    }
}
