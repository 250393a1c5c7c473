//! Server: a registry as an MCP server.

mod stdio;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tool_core::{Registry, Secret};

use crate::server::{Approvals, ClientIdentity, MIN_KEY, Notifier, Prompts, Resources, ShortKey};

/// Function that selects the tools of a client.
type ViewFor = Arc<dyn Fn(&ClientIdentity) -> Option<Registry> + Send + Sync>;

/// MCP server that offers the tools of a registry or a view.
///
/// Calls run through the registry, so validation, policy, approval, limits and audit apply. A call that needs approval
/// is denied, unless the registry has an approver or you set [`approvals`](Self::approvals).
///
/// A client gets the text that a model of this process would get, cut to the same output limit. If the tool has an
/// output schema, the data is sent next to the text as structured content, but only if both together are within the
/// limit, because cut data would no longer match the schema. The official clients for TypeScript and Python reject a
/// result without the data that a schema announces. If they call tools with large results, raise the limit with
/// [`RegistryBuilder::output_limit_of`](tool_core::RegistryBuilder::output_limit_of).
///
/// A failed call returns the text for the model, and the error as metadata `toolwright/error`. Tools without an output
/// schema also send it as data. The source of an error is never sent, because it may show paths or addresses of this
/// machine.
///
/// The protocol revision 2026-07-28 and the older ones with `initialize` are supported.
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
#[must_use]
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

impl McpServer {
    /// Creates a server for a registry or a view.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a server keeps the registry, as a view"
    )]
    pub fn new(registry: Registry) -> Self {
        Self {
            // The user of this process is not the one of the client.
            registry: registry.without_interactive(),
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
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the version of the server. The default is the version of this crate.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets what clients should tell their model about the server.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets who decides about calls that need approval.
    pub fn approvals(mut self, approvals: Approvals) -> Self {
        self.approvals = approvals;
        self
    }

    /// Sets the names of the tools that may ask the client something with [`ClientInput`](crate::server::ClientInput).
    /// They must ask before their first effect, because the call runs again from the start when the client has
    /// responded.
    pub fn interactive<S: Into<String>>(mut self, tools: impl IntoIterator<Item = S>) -> Self {
        self.interactive = Arc::new(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the prompts.
    pub fn prompts(mut self, prompts: impl Prompts + 'static) -> Self {
        self.prompts = Some(Arc::new(prompts));
        self
    }

    /// Sets the resources.
    pub fn resources(mut self, resources: impl Resources + 'static) -> Self {
        self.resources = Some(Arc::new(resources));
        self
    }

    /// Sets the key of seals. A client holds the state of a call between two requests, and the ids of its tasks; the
    /// seal makes sure that it can't change them. Replicas need the same key. The default is a random one.
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

    /// Selects the tools of each client: a part of the registry, or another registry, for example with other rules. A
    /// client for which `view` returns `None` has no tools. It is called for every request, so it must return quickly.
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
    pub fn view_for(
        mut self,
        view: impl Fn(&ClientIdentity) -> Option<Registry> + Send + Sync + 'static,
    ) -> Self {
        self.view_for = Some(Arc::new(view));
        self
    }

    /// Turns calls that take longer than `after` into tasks, if the client supports tasks (protocol revision
    /// 2026-07-28). The client can then disconnect and ask for the result later, or cancel the call.
    ///
    /// A task belongs to its client, and is kept in the memory of this process for 1 hour after its end: at most 100
    /// per client and 10,000 in total. Further calls run without a task. If the registry has a ledger and the client
    /// sends a key with the call (`toolwright/idempotency-key`), every process with the same ledger and
    /// [key](Self::key) returns the state and the result, even after a restart. But only the process that runs the call
    /// can cancel it.
    pub fn tasks_after(mut self, after: Duration) -> Self {
        self.tasks_after = Some(after);
        self
    }

    /// Returns the sender of notifications about prompts and resources.
    pub fn notifier(&self) -> Notifier {
        self.notifier.clone()
    }
}

tool_core::debug_fields!(McpServer);
