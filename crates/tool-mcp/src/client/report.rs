//! States and reports of servers.

use std::time::Duration;

use crate::config::{ConfigError, ExpandError};

/// State of a server.
///
/// # Examples
/// ```
/// use tool_mcp::client::ServerState;
///
/// assert_eq!(ServerState::Restarting.to_string(), "restarting");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// The configuration disables the server.
    Disabled,
    /// The server is started for the first time.
    Starting,
    /// Calls are possible.
    Ready,
    /// The server stopped and is started again. Its tools stay listed.
    Restarting,
    /// The server could not be started, or stopped too often.
    Failed,
    /// The manager was shut down.
    Stopped,
}

impl std::fmt::Display for ServerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Disabled => "disabled",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Restarting => "restarting",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        })
    }
}

/// Reason for a server that could not be started.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use tool_mcp::{McpManager, McpServerConfig};
///
/// let missing = McpServerConfig::stdio("no-such-program", ["x"]);
/// let manager = McpManager::new([("files".to_owned(), missing)].into());
/// let report = manager.connect().await;
/// assert_eq!(
///     report.servers[0].error.as_ref().unwrap().to_string(),
///     "server \"files\": the program \"no-such-program\" was not found in PATH. Install it, or give its full path."
/// );
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The configuration is invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A variable of the configuration has no value.
    #[error("server \"{server}\": {reason}")]
    Expand {
        /// Name of the server.
        server: String,
        /// Missing or incomplete variable.
        reason: ExpandError,
    },
    /// The program does not exist.
    #[error(
        "server \"{server}\": the program \"{program}\" was not found in PATH. Install it, or give its full path."
    )]
    ProgramNotFound {
        /// Name of the server.
        server: String,
        /// Missing program.
        program: String,
    },
    /// The working directory does not exist.
    #[error(
        "server \"{server}\": the directory \"{directory}\" does not exist. Create it, or change \"cwd\"."
    )]
    DirectoryNotFound {
        /// Name of the server.
        server: String,
        /// Missing directory.
        directory: String,
    },
    /// The system could not start the program.
    #[error(
        "server \"{server}\": the program could not be started: {reason}. Check its permissions."
    )]
    Spawn {
        /// Name of the server.
        server: String,
        /// Error of the system.
        reason: String,
    },
    /// The server exited or closed its output before its tools were listed.
    #[error("server \"{server}\" {end} before it responded. Its last lines: {lines}")]
    Exited {
        /// Name of the server.
        server: String,
        /// Exit status, or the closed output.
        end: String,
        /// Last lines of its standard error.
        lines: String,
    },
    /// The server did not respond in time.
    #[error(
        "server \"{server}\" did not respond within {} s. Raise \"startup_timeout\" if it installs itself at the first start.",
        limit.as_secs_f64()
    )]
    Mute {
        /// Name of the server.
        server: String,
        /// Configured timeout.
        limit: Duration,
    },
    /// The server uses another protocol version.
    #[error("server \"{server}\" uses protocol {version}; supported: 2024-11-05 to 2026-07-28.")]
    Version {
        /// Name of the server.
        server: String,
        /// Version of the server.
        version: String,
    },
    /// The server rejected the handshake or the list of tools.
    #[error("server \"{server}\" rejected the {phase}: {reason}")]
    Rejected {
        /// Name of the server.
        server: String,
        /// Handshake or list.
        phase: &'static str,
        /// Message of the server.
        reason: String,
    },
    /// The transport is not compiled in.
    #[error(
        "server \"{server}\": the transport \"{transport}\" is not supported by this build. Use a local server."
    )]
    NoTransport {
        /// Name of the server.
        server: String,
        /// Configured transport.
        transport: &'static str,
    },
    /// The server stopped too often.
    #[error(
        "server \"{server}\" stopped {deaths} times in 10 minutes. Fix it, and call `reconnect`."
    )]
    StoppedTooOften {
        /// Name of the server.
        server: String,
        /// Number of stops.
        deaths: usize,
    },
}

/// Tool that is not offered.
///
/// # Examples
/// ```
/// # fn show(report: &tool_mcp::client::ServerReport) {
/// for tool in &report.omitted {
///     println!("{}: {}", tool.name, tool.reason);
/// }
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OmittedTool {
    /// Name of the tool on the server.
    pub name: String,
    /// Reason for the omission.
    pub reason: String,
}

/// Report about one server.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use tool_mcp::{McpManager, McpServerConfig};
/// use tool_mcp::client::ServerState;
///
/// let missing = McpServerConfig::stdio("no-such-program", ["x"]);
/// let manager = McpManager::new([("files".to_owned(), missing)].into());
/// manager.connect().await;
/// assert_eq!(manager.status()[0].state, ServerState::Failed);
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerReport {
    /// Name of the server.
    pub name: String,
    /// State of the server.
    pub state: ServerState,
    /// Names of its offered tools in the registry.
    pub tools: Vec<String>,
    /// Tools that are not offered because they are invalid.
    pub omitted: Vec<OmittedTool>,
    /// Changes to its tools, such as removed characters.
    pub warnings: Vec<String>,
    /// Reason for the last failed start.
    pub error: Option<ServerError>,
    /// Negotiated protocol revision.
    pub protocol: Option<String>,
    /// Duration of the last successful start.
    pub start_time: Option<Duration>,
}

impl ServerReport {
    pub(crate) fn new(name: &str, state: ServerState) -> Self {
        Self {
            name: name.to_owned(),
            state,
            tools: Vec::new(),
            omitted: Vec::new(),
            warnings: Vec::new(),
            error: None,
            protocol: None,
            start_time: None,
        }
    }

    /// Returns one sentence per omitted tool.
    #[must_use]
    pub fn omissions(&self) -> Vec<String> {
        let Self { name, tools, .. } = self;
        let available = tools.len();
        let sentence = |tool: &OmittedTool| {
            format!(
                "server \"{name}\": the tool \"{}\" is omitted: {}. The other {available} tools are available.",
                tool.name, tool.reason
            )
        };
        self.omitted.iter().map(sentence).collect()
    }
}

/// Report about all servers, in the order of the configuration.
///
/// # Examples
/// See [`ServerReport`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectReport {
    /// Reports of the servers.
    pub servers: Vec<ServerReport>,
}
