//! Values of settings.

use tool_core::Secret;

/// Client for logins with OAuth, as registered at the authorization server.
///
/// # Examples
/// ```
/// use tool_mcp::McpConfig;
///
/// let config = McpConfig::parse(
///     r#"{"mcpServers": {"a": {"url": "https://mcp.example.com/mcp", "oauth": {"client_id": "app-1"}}}}"#,
/// )?;
/// assert_eq!(config.servers()[0].1.oauth.client_id.as_deref(), Some("app-1"));
/// # Ok::<_, tool_mcp::config::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OAuthConfig {
    /// Id of the client.
    pub client_id: Option<String>,
    /// Secret of the client.
    pub client_secret: Option<Secret<String>>,
    /// Requested scopes. By default, the server determines them.
    pub scopes: Vec<String>,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// Standard input and output of a local program.
    Stdio,
    /// Streamable HTTP.
    Http,
}

impl Transport {
    /// Returns the value in configuration files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
        }
    }
}

/// Trust in the claims of a server about its own tools.
///
/// # Examples
/// ```
/// use tool_mcp::config::Trust;
///
/// assert_eq!(Trust::default(), Trust::Untrusted);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trust {
    /// Annotations may raise the risk of a tool, and never lower it.
    #[default]
    Untrusted,
    /// Annotations determine the risk of a tool.
    Trusted,
}

/// Origin of a configuration.
///
/// # Examples
/// ```
/// use tool_mcp::config::ConfigOrigin;
///
/// assert_eq!(ConfigOrigin::default(), ConfigOrigin::Host);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigOrigin {
    /// The host or its user.
    #[default]
    Host,
    /// A file of a project, which others can change. The server starts only after
    /// [`McpManager::approve_server`](crate::McpManager::approve_server).
    Project,
}

/// Selection of the protocol revision.
///
/// # Examples
/// ```
/// use tool_mcp::config::Protocol;
///
/// assert_eq!(Protocol::default(), Protocol::Auto);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protocol {
    /// Revision 2026-07-28 if the server supports it, else the newest common one.
    #[default]
    Auto,
    /// Revision 2026-07-28.
    V2026,
    /// Revision 2025-11-25, or an older one that the server selects.
    V2025,
}
