//! Registries as MCP servers.

mod approvals;
mod contents;
#[cfg(feature = "http-server")]
mod http;
mod identity;
mod input;
mod log;
mod notifier;
mod results;
mod stdio;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tool_core::{Registry, Secret};

pub use crate::meta::TraceParent;
pub use approvals::Approvals;
pub use contents::{
    ClientContext, ContentError, Prompt, PromptArgument, PromptOutput, Prompts, Resource,
    ResourceOutput, Resources, Role,
};
#[cfg(feature = "http-server")]
pub use http::{
    Authenticate, AuthenticationError, BearerTokens, HttpBody, HttpOptions, HttpService,
    ResourceMetadata, ServeError,
};
pub use identity::ClientIdentity;
pub use input::{ClientInput, InputError, InputRequest, InputResponse};
pub use log::{ClientLog, LogLevel};
pub use notifier::Notifier;

pub(crate) use approvals::Way;
pub(crate) use input::{Asked, Channel, Supported};
pub(crate) use notifier::Notice;
pub(crate) use results::Reply;

/// Minimum number of bytes of a key.
const MIN_KEY: usize = 32;

/// Function that selects the tools of a client.
type ViewFor = Arc<dyn Fn(&ClientIdentity) -> Option<Registry> + Send + Sync>;

/// MCP server that offers the tools of a registry or a view.
///
/// Calls run through the registry: validation, policy, approval, limits and audit apply. A call that
/// requires approval is denied unless the registry has an approver or [`Approvals`] are set.
///
/// Successful calls return what a model of this process would read, cut to the same output limit. If the tool has an
/// output schema, the data is sent beside it as structured content, but only if text and data together are within the
/// limit: cut data would not match the schema. The official clients for TypeScript and Python reject results without the
/// data that a schema announces; if they call tools with large results, raise the limit with
/// [`RegistryBuilder::output_limit_of`](tool_core::RegistryBuilder::output_limit_of).
///
/// Failed calls return the text for the model, and the error as metadata `toolwright/error` and, for tools without an
/// output schema, as data. The sources of errors are not sent.
///
/// Both the current protocol revision and the older ones with `initialize` are supported.
///
/// # Examples
/// ```no_run
/// use tool_core::Registry;
/// use tool_mcp::McpServer;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// let registry = Registry::new();
/// McpServer::new(registry).name("my-tools").serve_stdio().await
/// # }
/// ```
#[derive(Clone)]
pub struct McpServer {
    pub(crate) registry: Registry,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) instructions: Option<String>,
    pub(crate) approvals: Approvals,
    pub(crate) interactive: Arc<HashSet<String>>,
    pub(crate) prompts: Option<Arc<dyn Prompts>>,
    pub(crate) resources: Option<Arc<dyn Resources>>,
    pub(crate) notifier: Notifier,
    pub(crate) key: Option<Secret<Vec<u8>>>,
    pub(crate) view_for: Option<ViewFor>,
    pub(crate) tasks_after: Option<Duration>,
}

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

impl McpServer {
    /// Creates a server for a registry or a view.
    #[must_use]
    pub fn new(registry: Registry) -> Self {
        Self {
            registry,
            name: "toolwright".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
            approvals: Approvals::default(),
            interactive: Arc::default(),
            prompts: None,
            resources: None,
            notifier: Notifier::default(),
            key: None,
            view_for: None,
            tasks_after: None,
        }
    }

    /// Sets the name of the server. The default is `toolwright`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the version of the server. The default is the version of this crate.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets the instructions for models that use the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets the handling of calls that require approval.
    #[must_use]
    pub fn approvals(mut self, approvals: Approvals) -> Self {
        self.approvals = approvals;
        self
    }

    /// Sets the names of the tools that receive [`ClientInput`]. They must send their requests before their first effect.
    #[must_use]
    pub fn interactive<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.interactive = Arc::new(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the prompts.
    #[must_use]
    pub fn prompts(mut self, prompts: impl Prompts + 'static) -> Self {
        self.prompts = Some(Arc::new(prompts));
        self
    }

    /// Sets the resources.
    #[must_use]
    pub fn resources(mut self, resources: impl Resources + 'static) -> Self {
        self.resources = Some(Arc::new(resources));
        self
    }

    /// Sets the key that seals the state of calls between two requests, and the ids of tasks. Replicas need the same
    /// key. The default is a random key per server.
    ///
    /// # Errors
    /// Returns [`ShortKey`] if there are fewer than 32 bytes.
    pub fn key(mut self, key: &[u8]) -> Result<Self, ShortKey> {
        if key.len() < MIN_KEY {
            return Err(ShortKey);
        }
        self.key = Some(Secret::new(key.to_vec()));
        Ok(self)
    }

    /// Selects the tools of each client: a view of the registry or another registry, for example with other rules.
    /// Clients without one have no tools. Called for every request; must return quickly.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{Registry, RiskLevel};
    /// use tool_mcp::McpServer;
    ///
    /// let registry = Registry::new();
    /// let all = registry.clone();
    /// let server = McpServer::new(registry).view_for(move |client| {
    ///     if client.has_scope("write") {
    ///         return Some(all.clone());
    ///     }
    ///     Some(all.max_risk(RiskLevel::ReadOnly))
    /// });
    /// ```
    #[must_use]
    pub fn view_for(
        mut self,
        view: impl Fn(&ClientIdentity) -> Option<Registry> + Send + Sync + 'static,
    ) -> Self {
        self.view_for = Some(Arc::new(view));
        self
    }

    /// Turns calls that take longer than `after` into tasks, if the client supports tasks (protocol revision
    /// 2026-07-28). The client then requests the result, cancels the call, or sends input that the call requires.
    ///
    /// Tasks are kept for 1 hour after their end, in the memory of this process: at most 100 per client and 10,000 in total;
    /// further calls run without a task. A task belongs to its client. If the registry has a ledger and the client sends a
    /// key with the call (`toolwright/idempotency-key`), every process with the same ledger and [key](Self::key) returns
    /// the state and the result of the task, even after a restart. Only the process that runs the call can cancel it and
    /// accepts input for it.
    #[must_use]
    pub fn tasks_after(mut self, after: Duration) -> Self {
        self.tasks_after = Some(after);
        self
    }

    /// Returns the sender of notifications about prompts and resources.
    #[must_use]
    pub fn notifier(&self) -> Notifier {
        self.notifier.clone()
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
