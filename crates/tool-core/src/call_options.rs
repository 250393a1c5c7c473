//! Options of a call or a batch.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::approval::Decided;
use crate::{CancellationToken, Extensions, ProgressSink};

/// Options of a call or a batch, which override the settings of the tool and the registry.
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
    /// Timeout of the tool.
    pub timeout: Option<Duration>,
    /// Idle timeout of the tool.
    pub idle_timeout: Option<Duration>,
    /// Token that stops the call.
    pub cancellation: CancellationToken,
    /// Sink for progress and partial output.
    pub progress: Option<Arc<dyn ProgressSink>>,
    /// Values of the host for the tools.
    pub extensions: Option<Arc<Extensions>>,
    /// Parent call or agent, for the audit log.
    pub parent_id: Option<String>,
    /// Earlier decision about this call.
    pub(crate) decided: Option<Arc<Decided>>,
}

impl CallOptions {
    /// Sets the timeout of the tool.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the idle timeout of the tool. `Duration::MAX` disables it.
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

    /// Sets the sink for progress and partial output.
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

    /// Sets the parent call or agent, for the audit log.
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
