//! Errors and issues of configurations.

use std::fmt;

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
    /// The file exceeds the size limit.
    #[error("the configuration has more than {limit} bytes; remove other content")]
    TooLarge {
        /// Maximum size in bytes.
        limit: usize,
    },
    /// The file is not valid JSON.
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
    /// A value has the wrong type or is invalid.
    #[error("server \"{server}\": {pointer} at line {line}, column {column} must be {expected}")]
    InvalidValue {
        /// Name of the server.
        server: String,
        /// JSON pointer of the value.
        pointer: String,
        /// Accepted type or values.
        expected: &'static str,
        /// Line of the value's key, counted from 1.
        line: usize,
        /// Column of the value's key, counted from 1.
        column: usize,
    },
    /// The server has neither a command nor an address.
    #[error(
        "server \"{server}\": neither \"command\" nor \"url\" is given. Add \"command\" for a local server or \"url\" for a remote one."
    )]
    NoAddress {
        /// Name of the server.
        server: String,
    },
    /// The server has a command and an address.
    #[error("server \"{server}\": \"command\" and \"url\" are both given. Keep one.")]
    TwoAddresses {
        /// Name of the server.
        server: String,
    },
    /// The transport requires another key.
    #[error(
        "server \"{server}\": the transport \"{transport}\" requires \"{key}\". Add it, or change the transport."
    )]
    TransportMismatch {
        /// Name of the server.
        server: String,
        /// Configured transport.
        transport: &'static str,
        /// Missing key.
        key: &'static str,
    },
    /// The header is set by the transport.
    #[error(
        "server \"{server}\": the header \"{header}\" is set by the transport. Remove it from \"headers\"."
    )]
    ReservedHeader {
        /// Name of the server.
        server: String,
        /// Reserved header.
        header: String,
    },
    /// The transport is not supported.
    #[error(
        "server \"{server}\": the transport \"sse\" is not supported. Use its streamable HTTP address, often ending in /mcp."
    )]
    OldSse {
        /// Name of the server.
        server: String,
    },
    /// Two servers have the same prefix of tool names.
    #[error(
        "the servers \"{first}\" and \"{second}\" have the same prefix \"{prefix}\" of tool names. Set \"prefix\" for one of them."
    )]
    SamePrefix {
        /// Name of the first server.
        first: String,
        /// Name of the second server.
        second: String,
        /// Shared prefix.
        prefix: String,
    },
    /// The prefix of tool names is invalid.
    #[error(
        "server \"{server}\": the prefix \"{prefix}\" is invalid. Use 1 to 32 letters, digits, `-` or `_`, without `__`."
    )]
    InvalidPrefix {
        /// Name of the server.
        server: String,
        /// Invalid prefix.
        prefix: String,
    },
}

/// Part of a configuration that was ignored.
///
/// # Examples
/// ```
/// use tool_mcp::McpConfig;
///
/// let config = McpConfig::parse(r#"{"mcpServers": {"files": {"command": "a", "comand": "b"}}}"#)?;
/// assert_eq!(
///     config.issues()[0].to_string(),
///     "server \"files\": unknown key \"comand\" at /mcpServers/files/comand. Did you mean \"command\"?"
/// );
/// # Ok::<_, tool_mcp::config::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigIssue {
    /// The key is unknown.
    UnknownKey {
        /// Name of the server.
        server: String,
        /// Unknown key.
        key: String,
        /// JSON pointer of the key.
        pointer: String,
        /// Most similar known key.
        nearest: Option<&'static str>,
    },
    /// The key would approve calls without the policy of the host.
    IgnoredApproval {
        /// Name of the server.
        server: String,
        /// Ignored key.
        key: String,
    },
    /// A file of a project must not set the key.
    IgnoredInProject {
        /// Name of the server.
        server: String,
        /// Ignored key.
        key: String,
    },
    /// A later entry replaced the server.
    Replaced {
        /// Name of the server.
        server: String,
    },
}

impl fmt::Display for ConfigIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey {
                server,
                key,
                pointer,
                nearest,
            } => {
                write!(
                    f,
                    "server \"{server}\": unknown key \"{key}\" at {pointer}."
                )?;
                match nearest {
                    Some(nearest) => write!(f, " Did you mean \"{nearest}\"?"),
                    None => Ok(()),
                }
            }
            Self::IgnoredApproval { server, key } => write!(
                f,
                "server \"{server}\": \"{key}\" is ignored. Add rules to the policy of the registry."
            ),
            Self::IgnoredInProject { server, key } => write!(
                f,
                "server \"{server}\": \"{key}\" is ignored in the file of a project. Set it in a file of the host."
            ),
            Self::Replaced { server } => {
                write!(f, "server \"{server}\": a later entry replaces this one.")
            }
        }
    }
}
