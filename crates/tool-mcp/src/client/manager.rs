//! Manager of all configured servers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use tool_core::{Registry, Tool};

use super::hygiene;
use super::names;
use super::report::{ConnectReport, ServerError, ServerReport};
use super::server::Server;
use super::task;
use crate::config::{ConfigError, McpServerConfig, Variables};

/// Maximum number of programs that start concurrently.
const MAX_STARTS: usize = 16;

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
    servers: Vec<Arc<Server>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// Limits the number of programs that start concurrently.
    starts: Arc<Semaphore>,
}

/// Builder of an [`McpManager`].
///
/// # Examples
/// ```
/// use tool_mcp::{McpManager, McpServerConfig};
///
/// let manager = McpManager::builder().server("files", McpServerConfig::stdio("files", ["."])).build();
/// assert_eq!(manager.status()[0].name, "files");
/// ```
#[derive(Debug, Default)]
pub struct McpManagerBuilder {
    servers: Vec<(String, McpServerConfig)>,
    registry: Option<Registry>,
    variables: Variables,
}

impl McpManagerBuilder {
    /// Adds a server.
    #[must_use]
    pub fn server(mut self, name: impl Into<String>, config: McpServerConfig) -> Self {
        self.servers.push((name.into(), config));
        self
    }

    /// Adds several servers, for example an [`McpConfig`](crate::McpConfig).
    #[must_use]
    pub fn servers(mut self, servers: impl IntoIterator<Item = (String, McpServerConfig)>) -> Self {
        self.servers.extend(servers);
        self
    }

    /// Sets the registry that offers the tools. Each server has a source named `mcp:{server}`. If the
    /// registry has a redactor, it learns the values of the servers' environment variables.
    #[must_use]
    pub fn registry(mut self, registry: &Registry) -> Self {
        self.registry = Some(registry.clone());
        self
    }

    /// Sets the values for the variables of the configuration. The default is the environment of
    /// this process.
    #[must_use]
    pub fn variables(mut self, variables: Variables) -> Self {
        self.variables = variables;
        self
    }

    /// Creates the manager. Nothing is started before [`McpManager::connect`].
    #[must_use]
    pub fn build(self) -> McpManager {
        let mut prefixes: BTreeMap<String, String> = BTreeMap::new();
        let mut servers = Vec::new();
        for (name, config) in self.servers {
            let prefix = own_prefix(&name, &config, &mut prefixes);
            let opened = prefix.and_then(|prefix| {
                let source = self.registry.as_ref().filter(|_| config.enabled);
                let source = source.map(|registry| registry.source(&format!("mcp:{name}")));
                let rejected = |error: tool_core::registry::SourceError| ServerError::Rejected {
                    server: name.clone(),
                    phase: "registration",
                    reason: error.to_string(),
                };
                Ok((prefix, source.transpose().map_err(rejected)?))
            });
            let (prefix, source, error) = match opened {
                Ok((prefix, source)) => (prefix, source, None),
                Err(error) => (String::new(), None, Some(error)),
            };
            let redactor = self
                .registry
                .as_ref()
                .and_then(|registry| registry.redactor().cloned());
            let variables = self.variables.clone();
            let server = Arc::new(Server::new(
                name, config, prefix, variables, source, redactor,
            ));
            if let Some(error) = error {
                server.set_failed(error);
            }
            servers.push(server);
        }
        McpManager {
            servers,
            tasks: Mutex::default(),
            starts: Arc::new(Semaphore::new(MAX_STARTS)),
        }
    }
}

/// Returns the prefix of a server, which no other server has.
fn own_prefix(
    name: &str,
    config: &McpServerConfig,
    prefixes: &mut BTreeMap<String, String>,
) -> Result<String, ServerError> {
    let prefix = names::prefix(name, config.prefix.as_deref())?;
    if let Some(first) = prefixes.get(&prefix) {
        let (first, second) = (first.clone(), name.to_owned());
        return Err(ConfigError::SamePrefix {
            first,
            second,
            prefix,
        }
        .into());
    }
    prefixes.insert(prefix.clone(), name.to_owned());
    Ok(prefix)
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

    /// Starts all servers, and waits until each has listed its tools or failed. Later calls only
    /// return the report.
    pub async fn connect(&self) -> ConnectReport {
        self.start_tasks();
        for server in &self.servers {
            server.settled().await;
        }
        ConnectReport {
            servers: self.status(),
        }
    }

    /// Like [`connect`](Self::connect), but returns the tools of all servers.
    pub async fn connect_all(&self) -> Vec<Arc<dyn Tool>> {
        self.connect().await;
        self.servers
            .iter()
            .flat_map(|server| server.tools())
            .collect()
    }

    fn start_tasks(&self) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if !tasks.is_empty() {
            return;
        }
        for server in self.servers.iter().filter(|server| server.is_starting()) {
            tasks.push(tokio::spawn(task::run(
                Arc::clone(server),
                Arc::clone(&self.starts),
            )));
        }
    }

    /// Returns the current states of the servers.
    #[must_use]
    pub fn status(&self) -> Vec<ServerReport> {
        self.servers.iter().map(|server| server.report()).collect()
    }

    /// Starts a server again, and waits until it has listed its tools or failed. Returns `None` if no
    /// server has this name, or if it is disabled or stopped.
    pub async fn reconnect(&self, name: &str) -> Option<ServerReport> {
        let server = self.servers.iter().find(|server| server.name() == name)?;
        if !server.request_start() {
            return None;
        }
        server.settled().await;
        Some(server.report())
    }

    /// Returns the instructions of a server, without hidden characters and truncated to 4,096
    /// characters. Models must not receive them without a review.
    #[must_use]
    pub fn instructions(&self, name: &str) -> Option<String> {
        let server = self.servers.iter().find(|server| server.name() == name)?;
        Some(hygiene::clean(&server.instructions()?, MAX_INSTRUCTIONS).text)
    }

    /// Rejects further calls, waits at most `wait` for the running ones, and terminates all servers
    /// with their descendants. Calls that are still running fail with `outcome_unknown`.
    ///
    /// A server has 1 s to exit after the end of its input.
    pub async fn shutdown(&self, wait: Duration) {
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        let mut drains = JoinSet::new();
        for server in self.servers.iter().cloned() {
            server.reject_calls();
            drains.spawn(async move {
                let drained = timeout(wait, server.drain()).await;
                if drained.is_err() {
                    tracing::info!(server = %server.name(), "calls are cancelled at shutdown");
                }
                server.stop.cancel();
            });
        }
        while drains.join_next().await.is_some() {}
        for task in tasks {
            // An error means that the runtime shuts down.
            let _ = task.await;
        }
        // Servers that never started have no task.
        self.servers.iter().for_each(|server| server.set_stopped());
    }
}

impl Drop for McpManager {
    fn drop(&mut self) {
        for server in &self.servers {
            server.stop.cancel();
        }
    }
}

impl fmt::Debug for McpManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let states = self
            .servers
            .iter()
            .map(|server| (server.name(), server.report().state));
        f.debug_map().entries(states).finish()
    }
}
