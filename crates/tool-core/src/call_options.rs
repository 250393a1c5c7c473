//! Options of a call or a batch.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::approval::{Approver, EarlierDecision};
use crate::{CancellationToken, Extensions, ProgressSink, RiskLevel, ToolError};

/// Record of the calls that start, such as the log of a run that survives crashes.
///
/// # Examples
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use async_trait::async_trait;
/// use tool_core::{CallOptions, RiskLevel, StartSink, ToolError};
///
/// #[derive(Default)]
/// struct Started(Mutex<Vec<String>>);
///
/// #[async_trait]
/// impl StartSink for Started {
///     async fn starts(&self, call_id: &str, _risk: RiskLevel) -> Result<(), ToolError> {
///         self.0.lock().map_err(|_| ToolError::from("poisoned"))?.push(call_id.to_owned());
///         Ok(())
///     }
/// }
///
/// let options = CallOptions::default().with_start_sink(Arc::new(Started::default()));
/// ```
#[async_trait]
pub trait StartSink: Send + Sync {
    /// Records that a call starts. It is approved, and nothing has been done yet. `risk` is the risk of this call.
    ///
    /// # Errors
    /// Returns the error of the call, which then does not run.
    async fn starts(&self, call_id: &str, risk: RiskLevel) -> Result<(), ToolError>;
}

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
#[must_use]
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
    /// Approver of this call, which replaces the approver of the registry.
    pub approver: Option<Arc<dyn Approver>>,
    /// Approver of this call if the registry has none.
    pub fallback_approver: Option<Arc<dyn Approver>>,
    /// Scope of the call's key in a [ledger](crate::ledger).
    pub scope: Option<String>,
    /// Key of the call in its scope, which replaces the key of the tool and the id of the call.
    pub call_key: Option<String>,
    /// Record of the calls that start.
    pub start_sink: Option<Arc<dyn StartSink>>,
    /// Earlier decision about this call.
    pub(crate) decided: Option<Arc<EarlierDecision>>,
    /// Whether the call is one of a turn, whose calls start in the model's order.
    pub(crate) is_of_turn: bool,
}

impl CallOptions {
    /// Sets the timeout of the tool.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the idle timeout of the tool. `Duration::MAX` disables it.
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = Some(timeout);
        self
    }

    /// Sets the token that stops the call.
    pub fn with_cancellation(mut self, cancellation: CancellationToken) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// Sets the sink for progress and partial output.
    pub fn with_progress(mut self, sink: Arc<dyn ProgressSink>) -> Self {
        self.progress = Some(sink);
        self
    }

    /// Sets the host's values for the tools.
    pub fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = Some(Arc::new(extensions));
        self
    }

    /// Sets the approver of this call, which replaces the approver of the registry.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::approval::{Answer, approver_fn};
    /// use tool_core::{CallOptions, DynamicTool, Registry, RiskLevel, ToolCall, ToolDefinition};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
    /// let definition = ToolDefinition::new("delete", "Deletes.", json!({"type": "object"})).with_risk(RiskLevel::Dangerous);
    /// let registry = Registry::of(DynamicTool::new(definition, |_, _| async { Ok("deleted".into()) }))?;
    /// let options = CallOptions::default().with_approver(approver_fn(|_request| Answer::Approve));
    /// let result = registry.execute_call(&ToolCall::new("delete", json!({})), &options).await;
    /// assert!(result.success);
    /// # Ok(()) }
    /// ```
    pub fn with_approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Sets the scope of the call's key in a [ledger](crate::ledger), such as the id of the run, tenant or session. Without a
    /// [key](Self::with_call_key), the id of the call must then be unique within the scope.
    ///
    /// # Examples
    /// ```
    /// use tool_core::CallOptions;
    ///
    /// let options = CallOptions::default().with_scope("run-7");
    /// assert_eq!(options.scope.as_deref(), Some("run-7"));
    /// ```
    pub fn with_scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// Sets the key of the call within its scope, such as a client's idempotency key. A read-only call with a key uses the
    /// ledger too.
    pub fn with_call_key(mut self, key: impl Into<String>) -> Self {
        self.call_key = Some(key.into());
        self
    }

    /// Sets the record of the calls that start.
    pub fn with_start_sink(mut self, sink: Arc<dyn StartSink>) -> Self {
        self.start_sink = Some(sink);
        self
    }

    /// Sets the parent call or agent, for the audit log.
    pub fn with_parent_id(mut self, id: impl Into<String>) -> Self {
        self.parent_id = Some(id.into());
        self
    }
}

// Only plain values: approvers and sinks have no text, and extensions may contain secrets.
debug_fields!(CallOptions, this => timeout: this.timeout, idle_timeout: this.idle_timeout);
