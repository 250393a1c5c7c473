//! Servers of a manager, which can be added and removed.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;
use tool_core::Registry;
use tool_core::registry::SourceError;

use super::McpManager;
use crate::client::connection::Connection;
use crate::client::error::ServerError;
use crate::client::names;
use crate::client::report::{ConnectReport, ServerReport};
use crate::client::server::{Server, Shared};
use crate::client::task;
use crate::config::{ConfigError, McpServerConfig};

/// Time for the calls of a removed server to finish.
const REMOVE_GRACE: Duration = Duration::from_secs(5);

/// Registry and settings of all servers.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) registry: Option<Registry>,
    /// Maximum time of `connect`.
    pub(super) ready_after: Option<Duration>,
    pub(super) shared: Shared,
}

/// Server to create.
#[derive(Debug)]
pub(super) struct Configured {
    pub(super) name: String,
    pub(super) config: McpServerConfig,
    pub(super) connection: Option<Connection>,
}

impl From<(String, McpServerConfig)> for Configured {
    fn from((name, config): (String, McpServerConfig)) -> Self {
        Self {
            name,
            config,
            connection: None,
        }
    }
}

/// Server and its task.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) server: Arc<Server>,
    pub(super) task: Option<JoinHandle<()>>,
}

impl Setup {
    /// Creates a server. A server with an invalid prefix is failed.
    fn create(&self, configured: Configured, others: &[Entry]) -> Arc<Server> {
        let Configured { name, config, .. } = configured;
        let opened = own_prefix(&name, &config, others).and_then(|prefix| {
            let registry = self.registry.as_ref().filter(|_| config.enabled);
            let source = registry.map(|registry| registry.source(&format!("mcp:{name}")));
            let rejected = |error: SourceError| ServerError::Rejected {
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
        let server = Server::new(name, config, prefix, source, self.shared.clone());
        let server = server.with_connection(configured.connection);
        let server = Arc::new(server);
        if let Some(error) = error {
            server.set_invalid(error);
        }
        server
    }
}

/// Returns the prefix of a server, which no other server has.
fn own_prefix(
    name: &str,
    config: &McpServerConfig,
    others: &[Entry],
) -> Result<String, ServerError> {
    let prefix = names::prefix(name, config.prefix.as_deref())?;
    let other = others.iter().find(|other| other.server.prefix == prefix);
    if let Some(other) = other {
        let other = other.server.name();
        let problem = format!("its prefix \"{prefix}\" of tool names is also the one of \"{other}\". Set \"prefix\" for one of them.");
        return Err(ConfigError::invalid(name, problem).into());
    }
    Ok(prefix)
}

impl McpManager {
    pub(super) fn add_entries(&self, servers: impl IntoIterator<Item = Configured>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        for configured in servers {
            let server = self.setup.create(configured, &entries);
            entries.push(Entry { server, task: None });
        }
    }

    /// Starts the tasks of servers without a task.
    pub(super) fn start_tasks(&self) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in entries.iter_mut() {
            if entry.task.is_none() && entry.server.is_starting() {
                let run = task::run(Arc::clone(&entry.server), Arc::clone(&self.starts));
                entry.task = Some(tokio::spawn(run));
            }
        }
    }

    /// Returns the servers in the order of the configuration.
    pub(super) fn servers(&self) -> Vec<Arc<Server>> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let servers = entries.iter().map(|entry| Arc::clone(&entry.server));
        servers.collect()
    }

    /// Returns the server with a name.
    pub(super) fn find(&self, name: &str) -> Option<Arc<Server>> {
        let servers = self.servers();
        servers.into_iter().find(|server| server.name() == name)
    }

    /// Adds a server, and waits until it has listed its tools or failed. A server with the same name
    /// is removed before, unless it has the same configuration.
    pub async fn add(&self, name: impl Into<String>, config: McpServerConfig) -> ServerReport {
        let name = name.into();
        if let Some(server) = self.find(&name) {
            if *server.config() == config {
                return server.report();
            }
            self.remove(&name).await;
        }
        self.add_entries([Configured::from((name.clone(), config))]);
        self.start_tasks();
        // Another caller may have removed the server.
        let Some(server) = self.find(&name) else {
            return ServerReport::stopped(&name);
        };
        server.settled().await;
        self.save_pins().await;
        server.report()
    }

    /// Removes a server and its tools. Running calls have 5 s to finish. Returns `false` if no server
    /// has this name.
    pub async fn remove(&self, name: &str) -> bool {
        let entry = {
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            let at = entries.iter().position(|entry| entry.server.name() == name);
            at.map(|at| entries.remove(at))
        };
        let Some(entry) = entry else {
            return false;
        };
        stop(&entry.server, REMOVE_GRACE).await;
        entry.end().await;
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
            if servers.get(server.name()) != Some(server.config()) {
                self.remove(server.name()).await;
            }
        }
        let known: Vec<Arc<Server>> = self.servers();
        let is_new = |name: &String| !known.iter().any(|server| server.name() == name);
        let new = servers.into_iter().filter(|(name, _)| is_new(name));
        self.add_entries(new.map(Configured::from));
        self.connect().await
    }
}

impl Entry {
    /// Waits for the end of the task.
    pub(super) async fn end(self) {
        if let Some(task) = self.task {
            // An error means that the runtime shuts down.
            let _ = task.await;
        }
        // Servers that never started have no task.
        self.server.set_stopped();
    }
}

/// Rejects further calls, and stops the server after the running ones, or after `wait`.
pub(super) async fn stop(server: &Server, wait: Duration) {
    server.reject_calls();
    let drained = timeout(wait, server.drain()).await;
    if drained.is_err() {
        tracing::info!(server = %server.name(), "calls are cancelled at shutdown");
    }
    server.stop.cancel();
}
