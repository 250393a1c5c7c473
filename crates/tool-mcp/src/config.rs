//! Configuration of MCP servers.

mod expand;
pub(crate) mod file;
pub(crate) mod server;

use serde::Deserialize;

pub use server::OAuthConfig;

pub(crate) use expand::{Variables, expand};

/// Error of a configuration.
///
/// # Examples
/// ```
/// use tool_mcp::McpServerConfig;
///
/// let error = McpServerConfig::default().check("files").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "server \"files\": neither \"command\" nor \"url\" is given. Add \"command\" for a local server or \"url\" for a remote one."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file could not be read.
    #[error("the configuration could not be read: {reason}; check the path and its permissions")]
    Unreadable {
        /// Error of the system.
        reason: String,
    },
    /// The file is not valid JSON, or exceeds the size limit.
    #[error("invalid JSON at line {line}, column {column}: {reason}")]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// Reason of the parser.
        reason: String,
    },
    /// The file has no object with servers.
    #[error(
        "the configuration has no object \"mcpServers\" or \"servers\"; add {{\"mcpServers\": {{}}}}"
    )]
    NoServers,
    /// The entry of a server is invalid. Other servers are not affected.
    #[error("server \"{server}\": {problem}")]
    Invalid {
        /// Name of the server.
        server: String,
        /// Location of the value, what was expected, and the next step.
        problem: String,
    },
}

impl ConfigError {
    pub(crate) fn invalid(server: &str, problem: String) -> Self {
        Self::Invalid {
            server: server.to_owned(),
            problem,
        }
    }
}

/// Transport to an MCP server.
///
/// # Examples
/// ```
/// use tool_mcp::McpServerConfig;
/// use tool_mcp::config::Transport;
///
/// let config = McpServerConfig::stdio("server", ["--verbose"]);
/// assert_eq!(config.transport, Some(Transport::Stdio));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Transport {
    /// Standard input and output of a local program.
    #[serde(alias = "local")]
    Stdio,
    /// Streamable HTTP.
    #[serde(alias = "remote", alias = "streamable-http", alias = "streamableHttp")]
    Http,
}

/// Trust in the claims of a server about its own tools.
///
/// # Examples
/// ```
/// use tool_mcp::config::Trust;
///
/// assert_eq!(Trust::default(), Trust::Untrusted);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Trust {
    /// Annotations never lower the risk of a tool.
    #[default]
    Untrusted,
    /// Annotations determine the risk of a tool.
    Trusted,
}

/// Selection of the protocol revision.
///
/// # Examples
/// ```
/// use tool_mcp::config::Protocol;
///
/// assert_eq!(Protocol::default(), Protocol::Auto);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub enum Protocol {
    /// Revision 2026-07-28 if the server supports it, else the newest common one.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    /// Revision 2026-07-28.
    #[serde(rename = "2026-07-28")]
    V2026,
    /// Revision 2025-11-25, or an older one that the server selects.
    #[serde(rename = "2025-11-25")]
    V2025,
}

#[cfg(test)]
mod tests;
