//! Places where tasks are kept.

use std::fmt;
use std::sync::Arc;

use tool_core::ledger::Ledger;

/// Place where the states of tasks are kept.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use tool_core::Registry;
/// use tool_core::ledger::Ledger;
/// use tool_mcp::McpServer;
/// use tool_mcp::server::TaskStore;
///
/// fn server(registry: Registry, ledger: Arc<dyn Ledger>) -> McpServer {
///     McpServer::new(registry)
///         .tasks_after(Duration::from_secs(30))
///         .task_store(TaskStore::ledger(ledger))
/// }
/// ```
#[derive(Clone, Default)]
pub struct TaskStore(pub(crate) Option<Arc<dyn Ledger>>);

impl TaskStore {
    /// Keeps tasks in memory. A client must reach the process that started its task. This is the default.
    #[must_use]
    pub fn memory() -> Self {
        Self(None)
    }

    /// Keeps tasks in a ledger, which may be the ledger of the registry. Every process with the same ledger returns their
    /// states and results, accepts input and cancels them, also after a restart of the process that ran the call.
    ///
    /// If that process ends during the call, the task completes with the error `outcome_unknown` after 15 seconds. A call that
    /// the ledger does not accept runs without a task.
    #[must_use]
    pub fn ledger(ledger: Arc<dyn Ledger>) -> Self {
        Self(Some(ledger))
    }
}

impl fmt::Debug for TaskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Ledger" } else { "Memory" })
    }
}
