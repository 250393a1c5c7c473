//! What one call, or one batch, has of its own.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::approval::Decided;
use crate::{CancellationToken, Extensions, ProgressSink};

/// What one call, or one batch, has of its own.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::{CallOptions, CancellationToken};
///
/// let stop = CancellationToken::new();
/// let options = CallOptions::default().with_timeout(Duration::from_secs(5)).with_cancellation(stop.child());
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// How long the tool may run, in place of its own limit and the registry's.
    pub timeout: Option<Duration>,
    /// How long the tool may say nothing, in place of its own limit and the registry's.
    pub idle_timeout: Option<Duration>,
    /// Stops the call.
    pub cancellation: CancellationToken,
    /// Receives progress and partial output, in place of the registry's sink.
    pub progress: Option<Arc<dyn ProgressSink>>,
    /// The host's values for the tools, in place of the registry's.
    pub extensions: Option<Arc<Extensions>>,
    /// The call or agent on whose behalf the call is made, for the audit log.
    pub parent_id: Option<String>,
    /// The request that this call was approved by before it came.
    pub(crate) decided: Option<Arc<Decided>>,
}

impl CallOptions {
    /// Sets how long the tool may run.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets how long the tool may say nothing; `Duration::MAX` means for ever.
    #[must_use]
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = Some(timeout);
        self
    }

    /// Sets the token that stops the call.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: CancellationToken) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// Sets who receives progress and partial output.
    #[must_use]
    pub fn with_progress(mut self, sink: Arc<dyn ProgressSink>) -> Self {
        self.progress = Some(sink);
        self
    }

    /// Sets the host's values for the tools.
    #[must_use]
    pub fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = Some(Arc::new(extensions));
        self
    }

    /// Says on behalf of which call or agent the call is made, for the audit log.
    #[must_use]
    pub fn with_parent_id(mut self, id: impl Into<String>) -> Self {
        self.parent_id = Some(id.into());
        self
    }
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions")
            .field("timeout", &self.timeout)
            .field("idle_timeout", &self.idle_timeout)
            .finish_non_exhaustive()
    }
}
