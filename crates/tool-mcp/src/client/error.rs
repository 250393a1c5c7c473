//! Errors of servers.

use std::fmt;

use crate::config::ConfigError;

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
