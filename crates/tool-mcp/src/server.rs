//! Registries as MCP servers.

mod client;
mod contents;
#[cfg(feature = "http-server")]
mod http;
mod input;

use std::sync::Arc;

use tool_core::approval::{ApprovalRequest, PendingApprovals};

pub use crate::meta::TraceParent;
pub use client::{ClientIdentity, ClientLog, LogLevel};
pub use contents::{ClientContext, ContentError, Notifier, Prompts, Resources};
#[cfg(feature = "http-server")]
pub use http::{
    Authenticate, AuthenticationError, BearerTokens, HttpBody, HttpOptions, HttpService, ServeError,
};
pub use input::{ClientInput, InputError, InputRequest, InputResponse};

pub(crate) use contents::Notice;
#[cfg(feature = "http-server")]
pub(crate) use http::{Rejection, response};
pub(crate) use input::{Asked, Channel, FORM, ROOTS, Responding, SAMPLING};

/// Minimum number of bytes of a key.
pub(crate) const MIN_KEY: usize = 32;

/// Error for a key that is too short.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_mcp::McpServer;
///
/// assert!(McpServer::new(Registry::new()).key(b"short").is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the key must have at least {MIN_KEY} bytes")]
pub struct ShortKey;

/// Who decides about calls that need approval.
///
/// If a client only says that its user approves, we don't believe it: an approval always answers a request of ours.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use tool_core::Registry;
/// use tool_core::approval::MemoryPendingApprovals;
/// use tool_mcp::McpServer;
/// use tool_mcp::server::Approvals;
///
/// let pending = Arc::new(MemoryPendingApprovals::default());
/// let server = McpServer::new(Registry::new()).approvals(Approvals::pending(pending));
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct Approvals(pub(crate) Way);

#[derive(Clone, Default)]
pub(crate) enum Way {
    #[default]
    Registry,
    Elicit(Option<Arc<dyn PendingApprovals>>),
    Pending(Arc<dyn PendingApprovals>, Option<NextStep>),
}

/// Function that returns the next step for a client whose call waits for an operator.
pub(crate) type NextStep = Arc<dyn Fn(&ApprovalRequest) -> String + Send + Sync>;

impl Approvals {
    /// Asks the approver of the registry. Without one, the calls are denied. This is the default.
    pub fn registry() -> Self {
        Self(Way::Registry)
    }

    /// Shows the calls to the user of the client as a yes-or-no form. Calls of clients without forms are denied.
    ///
    /// Use it only for clients that show forms to a person. If a model may fill them in, it approves its own calls.
    /// With protocol revision 2026-07-28, the request is sealed with the [key](crate::McpServer::key) of the server and
    /// expires after 10 minutes. One process uses a decision once; for replicas, use
    /// [`elicit_once`](Self::elicit_once).
    pub fn elicit() -> Self {
        Self(Way::Elicit(None))
    }

    /// Like [`elicit`](Self::elicit), but replicas that share the store use a decision once.
    pub fn elicit_once(store: Arc<dyn PendingApprovals>) -> Self {
        Self(Way::Elicit(Some(store)))
    }

    /// Stores the requests for an operator. The calls fail with `approval_pending`;
    /// [`Registry::decide`](tool_core::Registry::decide) runs them after the decision.
    ///
    /// If `store` is also the ledger of the registry, and the client supports [tasks](crate::McpServer::tasks_after),
    /// the call becomes a task in the state `input_required`. It completes after the decision of the operator, even in
    /// another process with the same [key](crate::McpServer::key). A client that cancels the task withdraws the
    /// request.
    pub fn pending(store: Arc<dyn PendingApprovals>) -> Self {
        Self(Way::Pending(store, None))
    }

    /// Sets what clients read if their call waits for an operator, such as the command that decides. It has no effect
    /// on other ways of approval.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use tool_core::approval::MemoryPendingApprovals;
    /// use tool_mcp::server::Approvals;
    ///
    /// let pending = Arc::new(MemoryPendingApprovals::default());
    /// let approvals = Approvals::pending(pending)
    ///     .next_step(|request| format!("Ask the operator to approve the request {}.", request.id));
    /// ```
    pub fn next_step(
        self,
        text: impl Fn(&ApprovalRequest) -> String + Send + Sync + 'static,
    ) -> Self {
        match self.0 {
            Way::Pending(store, _) => Self(Way::Pending(store, Some(Arc::new(text)))),
            other => Self(other),
        }
    }
}

tool_core::debug_fields!(Approvals);
