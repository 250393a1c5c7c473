//! Manager of all configured servers, and its builder.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tool_core::{Registry, Tool, ToolContext, ToolSource};

use super::input::Elicit;
#[cfg(feature = "http-client")]
use super::login::{Login, LoginError};
use super::names::{self, KnownNames};
use super::pins::Pins;
#[cfg(feature = "http-client")]
use super::report::ServerState;
use super::report::{ServerError, ServerReport};
use super::server::{Connection, Server, Shared};
use super::task;
use crate::config::ConfigError;
use crate::{McpServerConfig, hygiene, locked};

/// Time for the calls of a removed server to finish.
const REMOVE_GRACE: Duration = Duration::from_secs(5);

/// Maximum length of the instructions of a server in characters.
const MAX_INSTRUCTIONS: usize = 4_096;

/// Connections to MCP servers, whose tools are offered under `{server}__{tool}`.
///
/// All servers start at the same time, each with its own time limit, so a server that is missing, hangs or lists
/// invalid tools doesn't affect the others. A server that stops is started again with growing delays. Until then its
/// tools stay listed, because a changed list would make the prompt cache of the provider useless, and calls fail with
/// `unavailable`. If the server stops during a call, we can't know whether the call took effect, so it fails with
/// `outcome_unknown`.
///
/// Needs a tokio runtime. Call [`shutdown`](Self::shutdown) at the end: it waits for running calls and terminates all
/// programs with their descendants. Dropping the manager or the runtime terminates them too, but without waiting.
///
/// # Examples
/// ```no_run
/// use tool_core::Registry;
/// use tool_mcp::{McpConfig, McpManager};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_mcp::config::ConfigError> {
/// let registry = Registry::new();
/// let manager = McpManager::builder().servers(McpConfig::read("mcp.json")?).registry(&registry).build();
/// let report = manager.connect().await;
/// for server in &report {
///     println!("{}: {} ({} tools)", server.name, server.state, server.tools.len());
/// }
/// # Ok(()) }
/// ```
pub struct McpManager {
    shared: Shared,
    /// Servers in the order of the configuration.
    servers: Mutex<Vec<Arc<Server>>>,
}

impl McpManager {
    /// Creates a manager without a registry. Use it with [`connect_all`](Self::connect_all), which returns the tools.
    pub fn new(servers: BTreeMap<String, McpServerConfig>) -> Self {
        Self::builder().servers(servers).build()
    }

    /// Creates a builder.
    pub fn builder() -> McpManagerBuilder {
        McpManagerBuilder::default()
    }

    fn servers(&self) -> Vec<Arc<Server>> {
        locked(&self.servers).clone()
    }

    /// Returns the server with a name.
    fn find(&self, name: &str) -> Option<Arc<Server>> {
        let servers = self.servers();
        servers.into_iter().find(|server| server.name == name)
    }

    /// Creates a server. A server with an invalid prefix is failed.
    fn create(&self, name: String, config: McpServerConfig, connection: Option<Connection>) {
        let mut servers = locked(&self.servers);
        let known: KnownNames = servers.iter().map(|server| server.name.clone()).collect();
        let warning = known.look_alike(&name);
        let warning = warning.map(|reason| format!("The name of the server {reason}."));
        let warnings = warning.into_iter().collect();
        let opened = own_prefix(&name, &config, &servers)
            .and_then(|prefix| Ok((prefix, self.source(&name, &config)?)));
        let mut server = Server::new(name, config, connection, warnings, self.shared.clone());
        match opened {
            Ok((prefix, source)) => (server.prefix, server.source) = (prefix, source),
            Err(error) => server.set_failed(error),
        }
        servers.push(Arc::new(server));
    }

    fn source(
        &self,
        name: &str,
        config: &McpServerConfig,
    ) -> Result<Option<ToolSource>, ServerError> {
        let registry = self.shared.registry.as_ref().filter(|_| config.enabled);
        let source = registry.map(|registry| registry.source(&format!("mcp:{name}")));
        source.transpose().map_err(|error| {
            ServerError::failed(name, format!(" rejected the registration: {error}"))
        })
    }

    /// Starts all servers, and waits until each has listed its tools or failed, but at most for the time set by
    /// [`ready_after`](McpManagerBuilder::ready_after). It never fails: what went wrong is in the report of the server.
    /// If you call it again, it waits for servers that are still starting.
    pub async fn connect(&self) -> Vec<ServerReport> {
        for server in self.servers() {
            server.spawn(task::run(Arc::clone(&server)));
        }
        let settled = async {
            for server in self.servers() {
                server.settled().await;
            }
        };
        match self.shared.ready_after {
            Some(limit) => drop(timeout(limit, settled).await),
            None => settled.await,
        }
        self.shared.pins.save().await;
        self.status()
    }

    /// Starts all servers like [`connect`](Self::connect), and returns their tools.
    ///
    /// # Examples
    /// ```no_run
    /// use tool_core::Registry;
    /// use tool_mcp::{McpConfig, McpManager};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new();
    /// let configs = McpConfig::read("mcp.json")?.into_iter().collect();
    /// let manager = McpManager::new(configs);
    /// for tool in manager.connect_all().await {
    ///     registry.register(tool)?;
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn connect_all(&self) -> Vec<Arc<dyn Tool>> {
        self.connect().await;
        let servers = self.servers();
        servers.iter().flat_map(|server| server.tools()).collect()
    }

    /// Returns the current states of the servers.
    pub fn status(&self) -> Vec<ServerReport> {
        self.servers()
            .iter()
            .map(|server| server.report())
            .collect()
    }

    /// Starts a server again, and waits until it has listed its tools or failed. Returns `None` if no
    /// server has this name, or if it is disabled or stopped.
    pub async fn reconnect(&self, name: &str) -> Option<ServerReport> {
        let server = self.find(name)?;
        if !server.request_start() {
            return None;
        }
        server.settled().await;
        Some(server.report())
    }

    /// Offers a hidden tool again. Call it after the user has read the definition. `digest` says which one, so that a
    /// definition that changed in the meantime isn't accepted. Returns `false` if no hidden definition of the tool has it.
    pub async fn accept(&self, server: &str, tool: &str, digest: &str) -> bool {
        let server = self.find(server);
        let is_accepted = server.is_some_and(|server| server.accept(tool, digest));
        self.shared.pins.save().await;
        is_accepted
    }

    /// Starts a server of a project's file, after the user has approved its command or address. `digest` is the one in
    /// [`ServerError::NotApproved`], so that the user approves what was shown. Returns `None` if no server has this
    /// name, or if its configuration has another digest.
    pub async fn approve_server(&self, name: &str, digest: &str) -> Option<ServerReport> {
        let server = self.find(name)?;
        if !server.approve(digest) {
            return None;
        }
        self.shared.pins.save().await;
        self.reconnect(name).await
    }

    /// Logs in at a remote server with the browser of the user, and connects again if the server was waiting for that.
    /// If a call failed because of a missing permission, the login asks for this permission.
    ///
    /// # Errors
    /// Returns [`LoginError`] if logins are not configured, the server is not remote, the user does
    /// not log in, or the authorization server rejects the login.
    #[cfg(feature = "http-client")]
    pub async fn login(&self, name: &str) -> Result<ServerReport, LoginError> {
        let server = self.find(name);
        let server = server.ok_or_else(|| LoginError::NoServer {
            server: name.to_owned(),
        })?;
        server.log_in().await?;
        if server.state() != ServerState::Ready && server.request_start() {
            server.settled().await;
        }
        Ok(server.report())
    }

    /// Returns the instructions of a server, without hidden characters and cut to 4,096 characters. We never pass them
    /// to a model, because anyone who controls the server could tell it what to do. Read them before you do.
    pub fn instructions(&self, name: &str) -> Option<String> {
        let server = self.find(name)?;
        Some(hygiene::clean(&server.instructions()?, MAX_INSTRUCTIONS).text)
    }

    /// Rejects further calls, waits at most `wait` for the running ones, and terminates all servers with their
    /// descendants. A call that is still running then fails with `outcome_unknown`.
    ///
    /// Each server has 1 s to exit by itself after the end of its input, all of them at the same time.
    pub async fn shutdown(&self, wait: Duration) {
        let mut stops = JoinSet::new();
        for server in self.servers() {
            stops.spawn(async move {
                server.stop(wait).await;
                server.ended().await;
            });
        }
        while stops.join_next().await.is_some() {}
        self.shared.pins.save().await;
    }

    /// Replaces the complete configuration, for example after the user edited the file. Servers whose entry is
    /// unchanged keep running. Running calls of removed servers have 5 s to finish.
    pub async fn reload(
        &self,
        servers: impl IntoIterator<Item = (String, McpServerConfig)>,
    ) -> Vec<ServerReport> {
        let servers: Vec<(String, McpServerConfig)> = servers.into_iter().collect();
        let place = |name: &str| servers.iter().position(|(known, _)| known == name);
        // Remove before adding: a renamed server may need the prefix of an old one.
        for server in self.servers() {
            let entry = place(&server.name).and_then(|place| servers.get(place));
            if entry.is_none_or(|(_, config)| *config != server.config) {
                self.remove(&server).await;
            }
        }
        for (name, config) in &servers {
            if self.find(name).is_none() {
                self.create(name.clone(), config.clone(), None);
            }
        }
        locked(&self.servers).sort_by_key(|server| place(&server.name));
        self.connect().await
    }

    /// Removes a server and its tools.
    async fn remove(&self, server: &Arc<Server>) {
        locked(&self.servers).retain(|known| !Arc::ptr_eq(known, server));
        server.stop(REMOVE_GRACE).await;
        server.ended().await;
    }
}

/// Returns the prefix of a server, which no other server has.
fn own_prefix(
    name: &str,
    config: &McpServerConfig,
    others: &[Arc<Server>],
) -> Result<String, ServerError> {
    let prefix = names::prefix(name, config.prefix.as_deref())?;
    if let Some(other) = others.iter().find(|other| other.prefix == prefix) {
        let other = &other.name;
        let problem = format!(
            "its prefix \"{prefix}\" of tool names is also the one of \"{other}\". Set \"prefix\" for one of them."
        );
        return Err(ConfigError::invalid(name, problem).into());
    }
    Ok(prefix)
}

impl Drop for McpManager {
    fn drop(&mut self) {
        for server in self.servers() {
            server.stop.cancel();
        }
    }
}

tool_core::debug_fields!(McpManager);

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

    /// Sets the function that returns the values of variables in the configuration. The default reads the environment of
    /// this process.
    ///
    /// | text | value |
    /// |---|---|
    /// | `${NAME}`, `${env:NAME}` | variable |
    /// | `${NAME:-default}` | variable, or the default if it is not set |
    /// | `${input:id}` | `input:id`, for the inputs of VS Code |
    /// | `${workspaceFolder}` | `workspaceFolder` |
    /// | `$${` | the characters `${` |
    ///
    /// Other dollar signs are unchanged, as in the files of other clients.
    ///
    /// # Examples
    /// ```
    /// use tool_mcp::McpManager;
    ///
    /// let manager = McpManager::builder().variables(|name| match name {
    ///     "workspaceFolder" => Some("/project".to_owned()),
    ///     _ => std::env::var(name).ok(),
    /// });
    /// ```
    pub fn variables(
        mut self,
        values: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.shared.variables = Some(Arc::new(values));
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

    /// Sets the function that receives the report of a server after its state, its tools or its hidden tools changed. It
    /// runs on the task of the server, so it must return quickly.
    ///
    /// # Examples
    /// ```
    /// use tool_mcp::McpManager;
    ///
    /// let manager = McpManager::builder().on_change(|report| println!("{}: {}", report.name, report.state)).build();
    /// ```
    pub fn on_change(mut self, sink: impl Fn(&ServerReport) + Send + Sync + 'static) -> Self {
        self.shared.on_change = Some(Arc::new(sink));
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

tool_core::debug_fields!(McpManagerBuilder);
