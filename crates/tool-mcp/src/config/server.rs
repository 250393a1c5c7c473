//! Configuration of one server, and values of files that have another form than its fields.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use tool_core::{RiskLevel, Secret};

use super::{ConfigError, Protocol, Transport, Trust};

/// Longest accepted duration.
const LONGEST: Duration = Duration::from_hours(24);

/// Names of headers that the transport sets, in addition to the headers of the protocol.
const RESERVED_HEADERS: &str =
    "accept connection content-length content-type host last-event-id transfer-encoding upgrade";

/// Returns `true` for headers that a configuration must not set.
fn is_reserved_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("mcp-") || RESERVED_HEADERS.split(' ').any(|reserved| reserved == name)
}

/// Configuration of one MCP server.
///
/// `command`, `args`, `env`, `url`, `headers` and `cwd` may contain variables such as `${NAME}`. They are
/// replaced when the server starts; see [`variables`](crate::client::McpManagerBuilder::variables).
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
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
#[must_use]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct McpServerConfig {
    /// Transport. By default, a server with a `command` is local and one with a `url` is remote.
    #[serde(alias = "type")]
    pub transport: Option<Transport>,
    /// Program of a local server.
    pub command: Option<String>,
    /// Arguments of the program. Some clients have the program and its arguments in one array `command`.
    pub args: Vec<String>,
    /// Environment variables that the program gets besides the inherited ones.
    #[serde(alias = "environment", deserialize_with = "secrets")]
    pub env: BTreeMap<String, Secret<String>>,
    /// Address of a remote server.
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    pub url: Option<String>,
    /// Headers of all requests to a remote server. Those that the protocol or the transport sets are rejected.
    #[serde(alias = "http_headers", deserialize_with = "secrets")]
    pub headers: BTreeMap<String, Secret<String>>,
    /// Client for logins at a remote server. By default, we register a new one.
    // Cursor's name is `auth`.
    #[serde(alias = "auth")]
    pub oauth: OAuthConfig,
    /// Whether the entry is from the file of a project, which others can change.
    #[serde(skip)]
    pub(crate) is_from_project: bool,
    /// Working directory of the program. The default is the directory of the host.
    pub cwd: Option<PathBuf>,
    /// How long a call may run without reporting progress. The default is 60 s.
    #[serde(alias = "tool_timeout_sec", deserialize_with = "duration")]
    pub timeout: Duration,
    /// How long a call may run in total. The default is 10 min.
    #[serde(deserialize_with = "duration")]
    pub max_timeout: Duration,
    /// How long the server may take from its start to its first list of tools. The default is 30 s, because some
    /// programs install themselves first, and 10 s for remote servers.
    #[serde(alias = "startup_timeout_sec", deserialize_with = "optional_duration")]
    pub startup_timeout: Option<Duration>,
    /// Whether the server is used at all. The default is `true`.
    pub enabled: bool,
    /// Patterns of the tools to offer, by the names of the server; `*` matches any characters. If there are none, all
    /// tools are offered.
    #[serde(alias = "includeTools", alias = "enabled_tools")]
    pub tools: Vec<String>,
    /// Patterns of the tools to omit, by the names of the server.
    #[serde(alias = "excludeTools", alias = "disabledTools")]
    pub disabled_tools: Vec<String>,
    /// Whether the annotations of the server may lower the risk of its tools. By default, they may not.
    pub trust: Trust,
    /// Risk of tools, by patterns of the names of the server. The first match wins, also over annotations.
    #[serde(deserialize_with = "risks")]
    pub risk: Vec<(String, RiskLevel)>,
    /// Whether the program inherits all environment variables of the host, which often include keys. By default, it
    /// gets only those for paths, locale and terminal.
    pub inherit_env: bool,
    /// Protocol revision. By default, the newest one that the server supports.
    pub protocol: Protocol,
    /// Maximum size of one message of the server in bytes. The default is 8 MiB.
    #[serde(deserialize_with = "positive")]
    pub max_message: usize,
    /// Maximum size of the content and the data of one result in bytes. The default is 1 MiB.
    #[serde(deserialize_with = "positive")]
    pub max_result: usize,
    /// Maximum number of calls that run at the same time. Further calls wait. The default is 16.
    #[serde(deserialize_with = "positive")]
    pub max_parallel: usize,
    /// Whether models may read the resources of the server, such as those that its results link to, with the additional tool
    /// `read_resource`. The default is `false`: nothing follows links.
    pub resources: bool,
    /// Whether a server that exits is started again. The default is `true`.
    pub restart: bool,
    /// First part of the names of its tools, before `__`. The default is the name of the server.
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
            is_from_project: false,
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
            resources: false,
            restart: true,
            prefix: None,
        }
    }
}

impl McpServerConfig {
    /// Creates the configuration of a local server.
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
    pub fn http(url: impl Into<String>) -> Self {
        Self {
            transport: Some(Transport::Http),
            url: Some(url.into()),
            ..Self::default()
        }
    }

    /// Adds a header to all requests to a remote server.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), Secret::new(value.into()));
        self
    }

    /// Adds an environment variable of the program.
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), Secret::new(value.into()));
        self
    }

    /// Sets the working directory of the program.
    pub fn with_cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Sets how long a call may run without reporting progress.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how long the server may take from its start to its first list of tools.
    pub fn with_startup_timeout(mut self, timeout: Duration) -> Self {
        self.startup_timeout = Some(timeout);
        self
    }

    /// Sets whether the annotations of the server may lower the risk of its tools.
    pub fn with_trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// Sets the risk of all tools whose names match `pattern`. If several patterns match, the first one applies.
    pub fn with_risk(mut self, pattern: impl Into<String>, risk: RiskLevel) -> Self {
        self.risk.push((pattern.into(), risk));
        self
    }

    /// Sets the protocol revision.
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

    /// Checks that exactly one of `command` and `url` is set and fits the transport, and that no header is reserved.
    /// The manager does this too; call it if you want to show mistakes before anything starts.
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
    #[serde(alias = "clientSecret", alias = "CLIENT_SECRET")]
    pub client_secret: Option<Secret<String>>,
    /// Requested scopes. By default, the server determines them.
    pub scopes: Vec<String>,
}

/// Reads secrets by name, such as the environment.
fn secrets<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Secret<String>>, D::Error> {
    let values = Map::deserialize(deserializer)?.into_iter();
    // Some clients write `null` for a variable that is not set.
    let values = values.filter(|(_, value)| !value.is_null());
    let values = values.map(|(name, value)| match value {
        Value::String(text) => Ok((name, Secret::new(text))),
        // Other clients accept numbers and booleans as values of variables.
        Value::Number(_) | Value::Bool(_) => Ok((name, Secret::new(value.to_string()))),
        _ => Err(Error::custom("expected a string")),
    });
    values.collect()
}

/// Reads risks by pattern, in the order of the file: the first match applies.
fn risks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, RiskLevel)>, D::Error> {
    let risks = Map::deserialize(deserializer)?.into_iter();
    let risks = risks.map(|(pattern, risk)| Ok((pattern, RiskLevel::deserialize(risk)?)));
    risks
        .collect::<Result<_, serde_json::Error>>()
        .map_err(Error::custom)
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    NonZeroUsize::deserialize(deserializer).map(NonZeroUsize::get)
}

/// Reads seconds. Numbers of 1,000 or more are milliseconds, because the files of some clients use them.
fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let expected = || Error::custom("expected a number of seconds above 0");
    let number = Value::deserialize(deserializer)?.as_f64();
    let seconds = number.map(|number| {
        if number < 1000.0 {
            number
        } else {
            number / 1000.0
        }
    });
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let duration = duration.filter(|duration| !duration.is_zero() && *duration <= LONGEST);
    duration.ok_or_else(expected)
}

fn optional_duration<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    duration(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn durations_are_seconds_or_milliseconds() {
        for (value, milliseconds) in [
            (json!(30), Some(30_000)),
            (json!(0.5), Some(500)),
            (json!(600_000), Some(600_000)),
            (json!(0), None),
            (json!(-1), None),
            (json!(1e99), None),
            (json!("5s"), None),
            (json!(true), None),
        ] {
            assert_eq!(
                duration(&value).ok(),
                milliseconds.map(Duration::from_millis),
                "{value}"
            );
        }
    }
}
