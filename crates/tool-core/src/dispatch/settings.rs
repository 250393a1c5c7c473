//! What all calls of a registry have in common.

use std::sync::Arc;
use std::time::Duration;

use super::OutputLimit;
use crate::middleware::Middleware;
use crate::registry::{CallOptions, Entry};
use crate::{Extensions, ProgressSink, ToolCall, ToolContext};

/// What all calls of a registry have in common.
pub(crate) struct Settings {
    pub(crate) timeout: Duration,
    pub(crate) output_limit: OutputLimit,
    pub(crate) argument_bytes: usize,
    pub(crate) coercion: bool,
    pub(crate) progress: Option<Arc<dyn ProgressSink>>,
    pub(crate) extensions: Arc<Extensions>,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_mins(1),
            output_limit: OutputLimit::bytes(100 * 1024),
            argument_bytes: 4 * 1024 * 1024,
            coercion: true,
            progress: None,
            extensions: Arc::default(),
            middleware: Vec::new(),
        }
    }
}

impl Settings {
    /// The context of one call.
    pub(super) fn context(
        &self,
        call: &ToolCall,
        entry: &Entry,
        options: &CallOptions,
    ) -> ToolContext {
        ToolContext::of_call(
            &call.id,
            entry.name().as_str(),
            options.cancellation.clone(),
            options.progress.clone().or_else(|| self.progress.clone()),
            options
                .extensions
                .clone()
                .unwrap_or_else(|| Arc::clone(&self.extensions)),
        )
    }

    /// How long this call may run: its own limit, else the tool's, else the registry's.
    pub(super) fn timeout_of(&self, entry: &Entry, options: &CallOptions) -> Duration {
        options
            .timeout
            .or(entry.definition().timeout())
            .unwrap_or(self.timeout)
    }
}
