//! States, reports, errors and events of servers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::list::{HiddenTool, OmittedTool};
use super::risk::ToolClaims;
use crate::config::ConfigError;

/// State of a server.
///
/// # Examples
/// ```
/// use tool_mcp::client::ServerState;
///
/// assert_eq!(ServerState::Restarting.to_string(), "restarting");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerState {
    /// The configuration disables the server.
    Disabled,
    /// The server is started for the first time.
    #[default]
    Starting,
    /// Calls are possible.
    Ready,
    /// The server stopped and is started again. Its tools stay listed, and calls fail with `unavailable`.
    Restarting,
    /// The server could not be started, or stopped too often.
    Failed,
    /// The server requires a login.
    NeedsLogin,
    /// The configuration is from a project and was not approved.
    NeedsApproval,
    /// The manager was shut down.
    Stopped,
}

impl fmt::Display for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disabled => "disabled",
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Restarting => "restarting",
            Self::Failed => "failed",
            Self::NeedsLogin => "not logged in",
            Self::NeedsApproval => "not approved",
            Self::Stopped => "stopped",
        })
    }
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerReport {
    /// Name of the server.
    pub name: String,
    /// State of the server.
    pub state: ServerState,
    /// Names of its offered tools in the registry.
    pub tools: Vec<String>,
    /// What the server claims about its offered tools in annotations, by the name in the registry.
    pub claims: BTreeMap<String, ToolClaims>,
    /// Tools that are not offered because they are invalid.
    pub omitted: Vec<OmittedTool>,
    /// Tools that are hidden until someone reviews their definitions.
    pub hidden: Vec<HiddenTool>,
    /// What we changed in its definitions, such as removed characters, and names that look like others.
    pub warnings: Vec<String>,
    /// Reason for the last failed start.
    pub error: Option<ServerError>,
    /// Negotiated protocol revision.
    pub protocol: Option<String>,
    /// Duration of the last successful start.
    pub start_time: Option<Duration>,
    /// Process id of a local server that is running.
    pub process_id: Option<u32>,
}

/// Reason why a server could not be started, or stopped.
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
///     report[0].error.as_ref().unwrap().to_string(),
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
    /// The server could not be started or reached, or it stopped.
    #[error("{sentence}")]
    Failed {
        /// Name of the server.
        server: String,
        /// Phase, cause and next step, with the last lines of a program.
        sentence: String,
    },
    /// The server requires a login.
    #[error(
        "server \"{server}\": {address} requires a login ({status}). Set \"headers\", or log in with `McpManager::login`."
    )]
    LoginRequired {
        /// Name of the server.
        server: String,
        /// Address without credentials and query.
        address: String,
        /// HTTP status code: 401, or 403 for a missing permission.
        status: u16,
    },
    /// The configuration is from a project and was not approved.
    #[error(
        "server \"{server}\": the project configures it as {summary}. Approve it with the digest {digest}."
    )]
    NotApproved {
        /// Name of the server.
        server: String,
        /// Command or address.
        summary: String,
        /// Digest of the configuration.
        digest: String,
    },
}

impl ServerError {
    /// Creates an error whose sentence begins with the name of the server.
    pub(crate) fn failed(server: &str, rest: impl fmt::Display) -> Self {
        Self::Failed {
            server: server.to_owned(),
            sentence: format!("server \"{server}\"{rest}"),
        }
    }
}

/// Function that receives the reports of all servers after their changes.
pub(crate) type ChangeSink = Arc<dyn Fn(&ServerReport) + Send + Sync>;
