//! Configuration of MCP servers.

mod choices;
mod entry;
mod error;
mod expand;
mod file;
mod place;
mod relaxed;
mod seconds;
mod values;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use tool_core::{RiskLevel, Secret};

pub use choices::{ConfigOrigin, OAuthConfig, Protocol, Transport, Trust};
pub use error::{ConfigError, ConfigIssue};
pub use expand::{ExpandError, Variables};
pub use file::McpConfig;

/// Default time limit of a start.
const START_LIMIT: Duration = Duration::from_secs(30);
const REMOTE_START_LIMIT: Duration = Duration::from_secs(10);

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
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each one is a key of the configuration file"
)]
pub struct McpServerConfig {
    /// Transport. The default is determined by `command` and `url`.
    pub transport: Option<Transport>,
    /// Program of a local server.
    pub command: Option<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Environment variables of the program, in addition to the inherited ones.
    pub env: BTreeMap<String, Secret<String>>,
    /// Address of a remote server.
    pub url: Option<String>,
    /// Headers of all requests to a remote server. Headers of the protocol are rejected.
    pub headers: BTreeMap<String, Secret<String>>,
    /// Client for logins at a remote server. The default is a new registration.
    pub oauth: OAuthConfig,
    /// Origin of the configuration. The default is the host.
    pub origin: ConfigOrigin,
    /// Working directory of the program. The default is the directory of the host.
    pub cwd: Option<PathBuf>,
    /// Idle timeout of a call. Progress restarts it. The default is 60 s.
    pub timeout: Duration,
    /// Total timeout of a call. The default is 10 min.
    pub max_timeout: Duration,
    /// Timeout from the start of the program, or of the first connection, to the first list of
    /// tools. The default is 30 s, and 10 s for remote servers.
    pub startup_timeout: Duration,
    /// Whether the server is started. The default is `true`.
    pub enabled: bool,
    /// Patterns of the server's tool names to offer. Empty offers all tools. `*` matches any
    /// characters.
    pub tools: Vec<String>,
    /// Patterns of the server's tool names to omit.
    pub disabled_tools: Vec<String>,
    /// Whether annotations of the server may lower the risk of its tools.
    pub trust: Trust,
    /// Risk of tools by pattern of the server's tool names. The first match overrides annotations.
    pub risk: Vec<(String, RiskLevel)>,
    /// Whether the program inherits all environment variables of the host. By default it inherits
    /// only the variables for paths, locale and terminal.
    pub inherit_env: bool,
    /// Protocol revision.
    pub protocol: Protocol,
    /// Maximum size in bytes of one message of the server. The default is 8 MiB.
    pub max_message: usize,
    /// Maximum size in bytes of the content and data of one result. The default is 1 MiB.
    pub max_result: usize,
    /// Maximum number of concurrent calls of the server. The default is 16.
    pub max_parallel: usize,
    /// Whether the server is restarted after it exits. The default is `true`.
    pub restart: bool,
    /// Time without calls after which the server is stopped. The next call starts it again. By default,
    /// it is not stopped.
    pub idle_stop: Option<Duration>,
    /// Whether the server is started by the first call, if its tools are pinned.
    pub lazy: bool,
    /// First part of the names of the server's tools. The default is the server's name.
    pub prefix: Option<String>,
    /// Whether a result that does not match the tool's output schema is an error instead of a
    /// warning.
    pub strict_output: bool,
    /// Whether a call that was lost is repeated once after the server is back, if its tool is read-only or
    /// idempotent. Annotations count only with [`Trust::Trusted`]. The default is `false`.
    pub retry: bool,
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
            startup_timeout: START_LIMIT,
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
            idle_stop: None,
            lazy: false,
            prefix: None,
            strict_output: false,
            retry: false,
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

    /// Creates the configuration of a remote server. The start timeout is 10 s.
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
            startup_timeout: REMOTE_START_LIMIT,
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
        self.startup_timeout = timeout;
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

    /// Checks that exactly one of `command` and `url` is set and fits the transport, and that no
    /// header is reserved.
    ///
    /// # Errors
    /// Returns [`ConfigError::NoAddress`], [`ConfigError::TwoAddresses`],
    /// [`ConfigError::TransportMismatch`] or [`ConfigError::ReservedHeader`].
    pub fn check(&self, server: &str) -> Result<Transport, ConfigError> {
        let server = server.to_owned();
        if let Some(header) = self.headers.keys().find(|name| is_reserved_header(name)) {
            let header = header.clone();
            return Err(ConfigError::ReservedHeader { server, header });
        }
        match (&self.command, &self.url, self.transport) {
            (None, None, _) => Err(ConfigError::NoAddress { server }),
            (Some(_), Some(_), _) => Err(ConfigError::TwoAddresses { server }),
            (Some(_), None, Some(Transport::Http)) => Err(ConfigError::TransportMismatch {
                server,
                transport: "http",
                key: "url",
            }),
            (None, Some(_), Some(Transport::Stdio)) => Err(ConfigError::TransportMismatch {
                server,
                transport: "stdio",
                key: "command",
            }),
            (Some(_), None, _) => Ok(Transport::Stdio),
            (None, Some(_), _) => Ok(Transport::Http),
        }
    }
}

#[cfg(test)]
mod tests;
