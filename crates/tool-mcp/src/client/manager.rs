//! Manager of all configured servers.

mod builder;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tool_core::{Registry, Tool, ToolSource};

pub use self::builder::McpManagerBuilder;
use super::pins::AcceptError;
use super::report::{ConnectReport, ServerError, ServerReport, ServerState};
use super::server::{Connection, Server, Shared};
use super::{names, task};
use crate::config::{ConfigError, McpServerConfig};
use crate::hygiene;
#[cfg(feature = "http-client")]
use crate::login::LoginError;

/// Maximum number of programs that start concurrently.
const MAX_STARTS: usize = 16;

/// Time for the calls of a removed server to finish.
const REMOVE_GRACE: Duration = Duration::from_secs(5);

/// Maximum length of the instructions of a server in characters.
const MAX_INSTRUCTIONS: usize = 4_096;

/// Connections to MCP servers, whose tools are offered under `{server}__{tool}`.
///
/// All servers are started concurrently, each with its own time limit. A server that cannot be
/// started, stops or lists invalid tools does not affect the others. A server that stops is started
/// again with growing delays; in the meantime, its tools stay listed and calls fail with
/// `unavailable`. A call whose server stops fails with `outcome_unknown`.
///
/// Requires a tokio runtime. [`shutdown`](Self::shutdown) terminates all programs and their
/// descendants. Dropping the manager or the runtime also terminates them, without waiting.
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
/// for server in &report.servers {
///     println!("{}: {} ({} tools)", server.name, server.state, server.tools.len());
/// }
/// # Ok(()) }
/// ```
pub struct McpManager {
    registry: Option<Registry>,
    /// Maximum time of `connect`.
    ready_after: Option<Duration>,
    shared: Shared,
    /// Servers in the order of the configuration.
    servers: Mutex<Vec<Arc<Server>>>,
    /// Limits the number of programs that start concurrently.
    starts: Arc<Semaphore>,
}

impl McpManager {
    /// Creates a manager without a registry; [`connect_all`](Self::connect_all) returns the tools.
    #[must_use]
    pub fn new(servers: BTreeMap<String, McpServerConfig>) -> Self {
        Self::builder().servers(servers).build()
    }

    /// Creates a builder.
    #[must_use]
    pub fn builder() -> McpManagerBuilder {
        McpManagerBuilder::default()
    }

    fn new_with(registry: Option<Registry>, ready_after: Option<Duration>, shared: Shared) -> Self {
        Self {
            registry,
            ready_after,
            shared,
            servers: Mutex::default(),
            starts: Arc::new(Semaphore::new(MAX_STARTS)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Server>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn servers(&self) -> Vec<Arc<Server>> {
        self.lock().clone()
    }

    /// Returns the server with a name.
    fn find(&self, name: &str) -> Option<Arc<Server>> {
        let servers = self.servers();
        servers.into_iter().find(|server| server.name == name)
    }

    /// Creates a server. A server with an invalid prefix is failed.
    fn create(&self, name: String, config: McpServerConfig, connection: Option<Connection>) {
        let mut servers = self.lock();
        let opened = own_prefix(&name, &config, &servers)
            .and_then(|prefix| Ok((prefix, self.source(&name, &config)?)));
        let (prefix, source, error) = match opened {
            Ok((prefix, source)) => (prefix, source, None),
            Err(error) => (String::new(), None, Some(error)),
        };
        let shared = self.shared.clone();
        let server = Arc::new(Server::new(
            name, config, prefix, connection, source, shared,
        ));
        if let Some(error) = error {
            server.set_invalid(error);
        }
        servers.push(server);
    }

    fn source(
        &self,
        name: &str,
        config: &McpServerConfig,
    ) -> Result<Option<ToolSource>, ServerError> {
        let registry = self.registry.as_ref().filter(|_| config.enabled);
        let source = registry.map(|registry| registry.source(&format!("mcp:{name}")));
        source.transpose().map_err(|error| {
            ServerError::failed(name, format!(" rejected the registration: {error}"))
        })
    }

    /// Starts all servers, and waits until each has listed its tools or failed, or for the time set by
    /// [`ready_after`](McpManagerBuilder::ready_after). Later calls wait for servers that are still
    /// starting.
    pub async fn connect(&self) -> ConnectReport {
        self.start();
        let settled = async {
            for server in self.servers() {
                server.settled().await;
            }
        };
        match self.ready_after {
            Some(limit) => drop(timeout(limit, settled).await),
            None => settled.await,
        }
        self.save_pins().await;
        ConnectReport {
            servers: self.status(),
        }
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

    /// Starts the tasks of servers without one.
    fn start(&self) {
        for server in self.servers() {
            let run = task::run(Arc::clone(&server), Arc::clone(&self.starts));
            server.spawn(run);
        }
    }

    async fn save_pins(&self) {
        self.shared.pins.save().await;
    }

    /// Returns the current states of the servers.
    #[must_use]
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

    /// Offers a hidden tool, after the user reviewed the definition with `digest`.
    ///
    /// # Errors
    /// Returns [`AcceptError`] if the tool is not hidden, or if its definition changed again.
    pub async fn accept(&self, server: &str, tool: &str, digest: &str) -> Result<(), AcceptError> {
        let found = self.find(server);
        let found = found.ok_or_else(|| AcceptError::NothingHidden {
            server: server.to_owned(),
            tool: tool.to_owned(),
        })?;
        found.accept(tool, digest)?;
        self.save_pins().await;
        Ok(())
    }

    /// Starts a server whose configuration is from a project, after the user approved the
    /// configuration with `digest`. The digest is in
    /// [`ServerError::NotApproved`]. Returns `None` if
    /// no server has this name, or if its configuration has another digest.
    pub async fn approve_server(&self, name: &str, digest: &str) -> Option<ServerReport> {
        let server = self.find(name)?;
        if !server.approve(digest) {
            return None;
        }
        self.save_pins().await;
        self.reconnect(name).await
    }

    /// Logs in at a remote server with the browser of the user, and connects again if the server
    /// required it. Also requests the permissions that a call lacked.
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

    /// Returns the instructions of a server, without hidden characters and truncated to 4,096
    /// characters. Models must not receive them without a review.
    #[must_use]
    pub fn instructions(&self, name: &str) -> Option<String> {
        let server = self.find(name)?;
        Some(hygiene::clean(&server.instructions()?, MAX_INSTRUCTIONS).text)
    }

    /// Rejects further calls, waits at most `wait` for the running ones, and terminates all servers
    /// with their descendants. Calls that are still running fail with `outcome_unknown`.
    ///
    /// A server has 1 s to exit after the end of its input.
    pub async fn shutdown(&self, wait: Duration) {
        let mut stops = JoinSet::new();
        for server in self.servers() {
            stops.spawn(async move {
                server.stop(wait).await;
                server.ended().await;
            });
        }
        while stops.join_next().await.is_some() {}
        self.save_pins().await;
    }

    /// Adds a server, and waits until it has listed its tools or failed. A server with the same name
    /// is removed before, unless it has the same configuration.
    pub async fn add(&self, name: impl Into<String>, config: McpServerConfig) -> ServerReport {
        let name = name.into();
        if let Some(server) = self.find(&name) {
            if server.config == config {
                return server.report();
            }
            self.remove(&name).await;
        }
        self.create(name.clone(), config, None);
        self.start();
        // Another caller may have removed the server.
        let Some(server) = self.find(&name) else {
            return ServerReport::new(&name, ServerState::Stopped);
        };
        server.settled().await;
        self.save_pins().await;
        server.report()
    }

    /// Removes a server and its tools. Running calls have 5 s to finish. Returns `false` if no server
    /// has this name.
    pub async fn remove(&self, name: &str) -> bool {
        let removed = {
            let mut servers = self.lock();
            let at = servers.iter().position(|server| server.name == name);
            at.map(|at| servers.remove(at))
        };
        let Some(server) = removed else {
            return false;
        };
        server.stop(REMOVE_GRACE).await;
        server.ended().await;
        true
    }

    /// Replaces the configuration: removes and adds servers. Servers with the same configuration are
    /// not restarted.
    pub async fn reload(
        &self,
        servers: impl IntoIterator<Item = (String, McpServerConfig)>,
    ) -> ConnectReport {
        let servers: BTreeMap<String, McpServerConfig> = servers.into_iter().collect();
        for server in self.servers() {
            if servers.get(&server.name) != Some(&server.config) {
                self.remove(&server.name).await;
            }
        }
        for (name, config) in servers {
            if self.find(&name).is_none() {
                self.create(name, config, None);
            }
        }
        self.connect().await
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

impl fmt::Debug for McpManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers = self.servers();
        let states = servers.iter().map(|server| (&server.name, server.state()));
        f.debug_map().entries(states).finish()
    }
}
