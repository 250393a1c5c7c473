//! Errors of servers.

use std::time::Duration;

use crate::config::{ConfigError, ExpandError};

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
    /// The address of the server is invalid.
    #[error("server \"{server}\": the address in \"url\" is invalid: {reason}.")]
    InvalidAddress {
        /// Name of the server.
        server: String,
        /// Reason of the parser.
        reason: String,
    },
    /// The name or the value of a header is invalid.
    #[error(
        "server \"{server}\": the header \"{header}\" is invalid. Use a value of one line in ASCII."
    )]
    InvalidHeader {
        /// Name of the server.
        server: String,
        /// Name of the header.
        header: String,
    },
    /// No connection to the server could be opened.
    #[error(
        "server \"{server}\": {address} cannot be reached: {reason}. Check the address and the network."
    )]
    Unreachable {
        /// Name of the server.
        server: String,
        /// Address without credentials and query.
        address: String,
        /// Error of the system.
        reason: String,
    },
    /// The server returned an error status.
    #[error(
        "server \"{server}\": {address} returned {status}{}. {}",
        if *is_page { " (HTML)" } else { "" },
        advice(*status)
    )]
    Status {
        /// Name of the server.
        server: String,
        /// Address without credentials and query.
        address: String,
        /// HTTP status code.
        status: u16,
        /// Whether the response is a web page.
        is_page: bool,
    },
    /// The server returned another content type than JSON or an event stream.
    #[error(
        "server \"{server}\": {address} returned {} instead of MCP. The address often ends in /mcp.",
        if kind.is_empty() { "no content type" } else { kind }
    )]
    NotMcp {
        /// Name of the server.
        server: String,
        /// Address without credentials and query.
        address: String,
        /// Content type of the response.
        kind: String,
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
    /// Remote servers are not compiled in.
    #[error(
        "server \"{server}\": the transport \"http\" is not supported by this build. Enable the feature `http-client` of tool-mcp."
    )]
    NoTransport {
        /// Name of the server.
        server: String,
    },
    /// The stream of a server that the host connects has ended.
    #[error(
        "server \"{server}\": the connection was closed. Add the server again with a new stream."
    )]
    ConnectionClosed {
        /// Name of the server.
        server: String,
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

/// Returns the next step after an HTTP status.
fn advice(status: u16) -> &'static str {
    match status {
        300..=399 => "It redirects to another address; configure that one.",
        400..=499 if status != 429 => "The address often ends in /mcp.",
        429 | 503 => "Try again later.",
        _ => "Check the log of the server.",
    }
}
