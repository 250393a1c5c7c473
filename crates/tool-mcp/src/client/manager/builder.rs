//! Builder of managers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tool_core::{Registry, ToolContext};

use super::McpManager;
use crate::McpServerConfig;
use crate::client::input::{Elicit, Sample};
#[cfg(feature = "http-client")]
use crate::client::login::Login;
use crate::client::pins::Pins;
use crate::client::report::ServerEvent;
use crate::client::server::{Connection, Shared};
use crate::config::Variables;

/// Builder of an [`McpManager`].
///
/// # Examples
/// ```
/// use tool_mcp::{McpManager, McpServerConfig};
///
/// let manager = McpManager::builder().server("files", McpServerConfig::stdio("files", ["."])).build();
/// assert_eq!(manager.status()[0].name, "files");
/// ```
#[derive(Default)]
#[must_use]
pub struct McpManagerBuilder {
    servers: Vec<(String, McpServerConfig, Option<Connection>)>,
    shared: Shared,
}

impl McpManagerBuilder {
    /// Adds a server.
    pub fn server(mut self, name: impl Into<String>, config: McpServerConfig) -> Self {
        self.servers.push((name.into(), config, None));
        self
    }

    /// Adds a server that the host connects itself, such as an
    /// [`McpServer`](crate::McpServer::serve_stream) of this process. `stream` has one message per line.
    ///
    /// The settings of `config` for programs and remote servers are not used. We can't open your stream a second time,
    /// so after its end the state of the server is [`Failed`](crate::client::ServerState::Failed).
    ///
    /// # Examples
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition};
    /// use tool_mcp::{McpManager, McpServer, McpServerConfig};
    ///
    /// let hello = ToolDefinition::new("hello", "Greets.", json!({"type": "object"})).with_risk(RiskLevel::ReadOnly);
    /// let served = Registry::of(DynamicTool::new(hello, |_, _| async { Ok("Hello.".into()) }))?;
    /// let (near, far) = tokio::io::duplex(64 * 1024);
    /// tokio::spawn(McpServer::new(served).serve_stream(far));
    ///
    /// let registry = Registry::new();
    /// let config = McpServerConfig::default().with_risk("*", RiskLevel::ReadOnly);
    /// let manager = McpManager::builder().connection("own", config, near).registry(&registry).build();
    /// manager.connect().await;
    /// assert_eq!(registry.execute("own__hello", json!({})).await.text(), "Hello.");
    /// # Ok(()) }
    /// ```
    pub fn connection(
        mut self,
        name: impl Into<String>,
        config: McpServerConfig,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let connection: Connection = Mutex::new(Some(Box::new(stream)));
        self.servers.push((name.into(), config, Some(connection)));
        self
    }

    /// Adds several servers, for example an [`McpConfig`](crate::McpConfig).
    pub fn servers(mut self, servers: impl IntoIterator<Item = (String, McpServerConfig)>) -> Self {
        let servers = servers.into_iter();
        self.servers
            .extend(servers.map(|(name, config)| (name, config, None)));
        self
    }

    /// Sets the registry that offers the tools. Each server is a source of it, named `mcp:{server}`, so its tools
    /// follow its list. If the registry has a redactor, it learns the values of `env` and `headers`.
    pub fn registry(mut self, registry: &Registry) -> Self {
        self.shared.registry = Some(registry.clone());
        self
    }

    /// Sets the values of `${NAME}` in the configuration. The default is the environment of this process.
    pub fn variables(mut self, variables: Variables) -> Self {
        self.shared.variables = variables;
        self
    }

    /// Sets a function that returns the `traceparent` of a call (W3C Trace Context), which the server receives in
    /// `_meta`. If it returns no valid value, a call that an MCP client caused carries the `traceparent` of this client
    /// ([`TraceParent`](crate::server::TraceParent)), and other calls carry none.
    pub fn trace_parent(
        mut self,
        current: impl Fn(&ToolContext) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.shared.trace = Some(Arc::new(current));
        self
    }

    /// Sets the function that receives the events of all servers. It runs on their tasks, so it must return quickly. A
    /// server with an invalid configuration never starts and has no events; only [`McpManager::connect`] reports it.
    pub fn on_event(mut self, sink: impl Fn(&ServerEvent<'_>) + Send + Sync + 'static) -> Self {
        self.shared.events = Some(Arc::new(sink));
        self
    }

    /// Sets how long [`McpManager::connect`] waits for slow servers. Their tools are added to the registry later. By
    /// default, it waits for all servers, each at most for its own time limit.
    pub fn ready_after(mut self, limit: Duration) -> Self {
        self.shared.ready_after = Some(limit);
        self
    }

    /// Sets where reviewed definitions are kept. The default is [`Pins::memory`], which forgets them at the end.
    pub fn pins(mut self, pins: Pins) -> Self {
        self.shared.pins = pins;
        self
    }

    /// Sets who answers the questions of servers. Without it, a call whose server asks something fails and quotes the
    /// question.
    pub fn elicit(mut self, elicit: impl Elicit + 'static) -> Self {
        self.shared.input.elicit = Some(Arc::new(elicit));
        self
    }

    /// Sets the model that servers may use. Without it, they can't.
    pub fn sample(mut self, sample: impl Sample + 'static) -> Self {
        self.shared.input.sample = Some(Arc::new(sample));
        self
    }

    /// Sets the directories that servers are told about, as `file:` URIs. Without it, they can't ask.
    ///
    /// # Examples
    /// ```
    /// let manager = tool_mcp::McpManager::builder().roots(["file:///project"]).build();
    /// ```
    pub fn roots<S: Into<String>>(mut self, roots: impl IntoIterator<Item = S>) -> Self {
        self.shared.input.roots = Some(roots.into_iter().map(Into::into).collect());
        self
    }

    /// Sets how users log in at remote servers. A server whose configuration has an `Authorization` header doesn't need
    /// it.
    #[cfg(feature = "http-client")]
    pub fn login(mut self, login: Login) -> Self {
        self.shared.login = Some(login);
        self
    }

    /// Creates the manager. It starts nothing before [`McpManager::connect`].
    #[must_use]
    pub fn build(self) -> McpManager {
        let manager = McpManager {
            shared: self.shared,
            servers: Mutex::default(),
        };
        for (name, config, connection) in self.servers {
            manager.create(name, config, connection);
        }
        manager
    }
}

opaque_debug!(McpManagerBuilder);
