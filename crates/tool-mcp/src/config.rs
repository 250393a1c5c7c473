//! Configuration of MCP servers.

mod expand;
mod file;
mod values;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use tool_core::{RiskLevel, Secret};

pub use expand::{ExpandError, Variables};
pub use file::{ConfigError, ConfigIssue, McpConfig};

/// Names of headers that the transport sets, in addition to the headers of the protocol.
const RESERVED_HEADERS: [&str; 8] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "transfer-encoding",
    "upgrade",
];

/// Returns `true` for headers that a configuration must not set.
pub(crate) fn is_reserved_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("mcp-") || RESERVED_HEADERS.contains(&name.as_str())
}

/// Configuration of one MCP server.
///
/// Strings of `command`, `args`, `env`, `url`, `headers` and `cwd` may contain variables, which are expanded
/// when the server is started; see [`Variables`].
///
/// # Examples
/// ```
/// use tool_mcp::McpServerConfig;
///
/// let config = McpServerConfig::stdio("npx", ["-y", "@modelcontextprotocol/server-filesystem", "."])
///     .with_env("TOKEN", "${FILES_TOKEN}");
/// assert_eq!(config.command.as_deref(), Some("npx"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct McpServerConfig {
    /// Transport. The default is determined by `command` and `url`.
    #[serde(alias = "type")]
    pub transport: Option<Transport>,
    /// Program of a local server.
    pub command: Option<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Environment variables of the program, in addition to the inherited ones.
    #[serde(deserialize_with = "values::secrets")]
    pub env: BTreeMap<String, Secret<String>>,
    /// Address of a remote server.
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    pub url: Option<String>,
    /// Headers of all requests to a remote server. Headers of the protocol are rejected.
    #[serde(deserialize_with = "values::secrets")]
    pub headers: BTreeMap<String, Secret<String>>,
    /// Client for logins at a remote server. The default is a new registration.
    // Cursor's name is `auth`.
    #[serde(alias = "auth")]
    pub oauth: OAuthConfig,
    /// Origin of the configuration. The default is the host.
    #[serde(skip)]
    pub origin: ConfigOrigin,
    /// Working directory of the program. The default is the directory of the host.
    pub cwd: Option<PathBuf>,
    /// Idle timeout of a call. Progress restarts it. The default is 60 s.
    #[serde(deserialize_with = "values::duration")]
    pub timeout: Duration,
    /// Total timeout of a call. The default is 10 min.
    #[serde(deserialize_with = "values::duration")]
    pub max_timeout: Duration,
    /// Timeout from the start of the program, or of the first connection, to the first list of
    /// tools. The default is 30 s, and 10 s for remote servers.
    #[serde(deserialize_with = "values::optional_duration")]
    pub startup_timeout: Option<Duration>,
    /// Whether the server is started. The default is `true`.
    pub enabled: bool,
    /// Patterns of the server's tool names to offer. Empty offers all tools. `*` matches any
    /// characters.
    #[serde(alias = "includeTools")]
    pub tools: Vec<String>,
    /// Patterns of the server's tool names to omit.
    #[serde(alias = "excludeTools")]
    pub disabled_tools: Vec<String>,
    /// Whether annotations of the server may lower the risk of its tools.
    pub trust: Trust,
    /// Risk of tools by pattern of the server's tool names. The first match overrides annotations.
    #[serde(deserialize_with = "values::risks")]
    pub risk: Vec<(String, RiskLevel)>,
    /// Whether the program inherits all environment variables of the host. By default it inherits
    /// only the variables for paths, locale and terminal.
    pub inherit_env: bool,
    /// Protocol revision.
    pub protocol: Protocol,
    /// Maximum size in bytes of one message of the server. The default is 8 MiB.
    #[serde(deserialize_with = "values::positive")]
    pub max_message: usize,
    /// Maximum size in bytes of the content and data of one result. The default is 1 MiB.
    #[serde(deserialize_with = "values::positive")]
    pub max_result: usize,
    /// Maximum number of concurrent calls of the server. The default is 16.
    #[serde(deserialize_with = "values::positive")]
    pub max_parallel: usize,
    /// Whether the server is restarted after it exits. The default is `true`.
    pub restart: bool,
    /// First part of the names of the server's tools. The default is the server's name.
    pub prefix: Option<String>,
}

impl Default for McpServerConfig {
    fn default() -> Self {
        Self {
            transport: None,
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            url: None,
            headers: BTreeMap::new(),
            oauth: OAuthConfig::default(),
            origin: ConfigOrigin::Host,
            cwd: None,
            timeout: Duration::from_mins(1),
            max_timeout: Duration::from_mins(10),
            startup_timeout: None,
            enabled: true,
            tools: Vec::new(),
            disabled_tools: Vec::new(),
            trust: Trust::Untrusted,
            risk: Vec::new(),
            inherit_env: false,
            protocol: Protocol::Auto,
            max_message: 8 * 1024 * 1024,
            max_result: 1024 * 1024,
            max_parallel: 16,
            restart: true,
            prefix: None,
        }
    }
}

impl McpServerConfig {
    /// Creates the configuration of a local server.
    #[must_use]
    pub fn stdio<A: Into<String>>(
        command: impl Into<String>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            transport: Some(Transport::Stdio),
            command: Some(command.into()),
            args: args.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Creates the configuration of a remote server.
    ///
    /// # Examples
    /// ```
    /// use tool_mcp::McpServerConfig;
    ///
    /// let config = McpServerConfig::http("https://mcp.example.com/mcp")
    ///     .with_header("Authorization", "Bearer ${SEARCH_KEY}");
    /// assert!(config.check("search").is_ok());
    /// ```
    #[must_use]
    pub fn http(url: impl Into<String>) -> Self {
        Self {
            transport: Some(Transport::Http),
            url: Some(url.into()),
            ..Self::default()
        }
    }

    /// Adds a header of all requests to a remote server.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), Secret::new(value.into()));
        self
    }

    /// Adds an environment variable of the program.
    #[must_use]
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), Secret::new(value.into()));
        self
    }

    /// Sets the working directory of the program.
    #[must_use]
    pub fn with_cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Sets the idle timeout of a call.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the timeout from the start of the program to the first list of tools.
    #[must_use]
    pub fn with_startup_timeout(mut self, timeout: Duration) -> Self {
        self.startup_timeout = Some(timeout);
        self
    }

    /// Sets the trust in the server's annotations.
    #[must_use]
    pub fn with_trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// Sets the risk of all tools whose names match `pattern`. The first matching pattern applies.
    #[must_use]
    pub fn with_risk(mut self, pattern: impl Into<String>, risk: RiskLevel) -> Self {
        self.risk.push((pattern.into(), risk));
        self
    }

    /// Sets the protocol revision.
    #[must_use]
    pub fn with_protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Returns the timeout from the start of the program to the first list of tools.
    pub(crate) fn start_limit(&self) -> Duration {
        // 10 s are too short for programs that install themselves at the first start.
        let default = if self.url.is_some() { 10 } else { 30 };
        self.startup_timeout.unwrap_or(Duration::from_secs(default))
    }

    /// Checks that exactly one of `command` and `url` is set and fits the transport, and that no
    /// header is reserved.
    ///
    /// # Errors
    /// Returns [`ConfigError::Invalid`] otherwise.
    pub fn check(&self, server: &str) -> Result<Transport, ConfigError> {
        let reserved = self.headers.keys().find(|name| is_reserved_header(name));
        let problem = match (&self.command, &self.url, self.transport, reserved) {
            (.., Some(header)) => format!(
                "the header \"{header}\" is set by the transport. Remove it from \"headers\"."
            ),
            (None, None, ..) => "neither \"command\" nor \"url\" is given. Add \"command\" for a local server or \"url\" for a remote one.".to_owned(),
            (Some(_), Some(_), ..) => "\"command\" and \"url\" are both given. Keep one.".to_owned(),
            (Some(_), None, Some(Transport::Http), _) => other_transport("http", "url"),
            (None, Some(_), Some(Transport::Stdio), _) => other_transport("stdio", "command"),
            (Some(_), None, ..) => return Ok(Transport::Stdio),
            (None, Some(_), ..) => return Ok(Transport::Http),
        };
        Err(ConfigError::invalid(server, problem))
    }
}

fn other_transport(transport: &str, key: &str) -> String {
    format!("the transport \"{transport}\" requires \"{key}\". Add it, or change the transport.")
}

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
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct OAuthConfig {
    /// Id of the client.
    #[serde(alias = "clientId", alias = "CLIENT_ID")]
    pub client_id: Option<String>,
    /// Secret of the client.
    #[serde(
        alias = "clientSecret",
        alias = "CLIENT_SECRET",
        deserialize_with = "values::secret"
    )]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Transport {
    /// Standard input and output of a local program.
    Stdio,
    /// Streamable HTTP.
    #[serde(
        alias = "streamable-http",
        alias = "streamableHttp",
        alias = "streamable_http"
    )]
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
