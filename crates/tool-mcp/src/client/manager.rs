//! Manager of all configured servers.

mod builder;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;
use tool_core::Tool;
use tool_core::ToolSource;

pub use self::builder::McpManagerBuilder;
#[cfg(feature = "http-client")]
use super::login::LoginError;
use super::pins::AcceptError;
use super::report::{ServerError, ServerReport, ServerState};
use super::server::{Connection, Server, Shared};
use super::{names, task};
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
    #[must_use]
    pub fn new(servers: BTreeMap<String, McpServerConfig>) -> Self {
        Self::builder().servers(servers).build()
    }

    /// Creates a builder.
    pub fn builder() -> McpManagerBuilder {
        McpManagerBuilder::default()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Server>>> {
        locked(&self.servers)
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
        self.start();
        let settled = async {
            for server in self.servers() {
                server.settled().await;
            }
        };
        match self.shared.ready_after {
            Some(limit) => drop(timeout(limit, settled).await),
            None => settled.await,
        }
        self.save_pins().await;
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

    /// Starts the tasks of servers without one.
    fn start(&self) {
        for server in self.servers() {
            server.spawn(task::run(Arc::clone(&server)));
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

    /// Offers a hidden tool again. Call it after the user has read the definition. `digest` says which one, so that a
    /// definition that changed in the meantime isn't accepted.
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

    /// Starts a server of a project's file, after the user has approved its command or address. `digest` is the one in
    /// [`ServerError::NotApproved`], so that the user approves what was shown. Returns `None` if no server has this
    /// name, or if its configuration has another digest.
    pub async fn approve_server(&self, name: &str, digest: &str) -> Option<ServerReport> {
        let server = self.find(name)?;
        if !server.approve(digest) {
            return None;
        }
        self.save_pins().await;
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
    #[must_use]
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
        self.save_pins().await;
    }

    /// Adds a server, and waits until it has listed its tools or failed. A server with the same name is replaced,
    /// unless it has the same configuration.
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

    /// Replaces the complete configuration, for example after the user edited the file. Servers whose entry is
    /// unchanged keep running.
    pub async fn reload(
        &self,
        servers: impl IntoIterator<Item = (String, McpServerConfig)>,
    ) -> Vec<ServerReport> {
        let servers: Vec<(String, McpServerConfig)> = servers.into_iter().collect();
        let place = |name: &str| servers.iter().rposition(|(known, _)| known == name);
        let config_of = |name: &str| place(name).and_then(|place| Some(&servers.get(place)?.1));
        // Remove before adding: a renamed server may need the prefix of an old one.
        for server in self.servers() {
            if config_of(&server.name) != Some(&server.config) {
                self.remove(&server.name).await;
            }
        }
        for (name, _) in &servers {
            if let Some(config) = config_of(name).filter(|_| self.find(name).is_none()) {
                self.create(name.clone(), config.clone(), None);
            }
        }
        self.lock().sort_by_key(|server| place(&server.name));
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

opaque_debug!(McpManager);
