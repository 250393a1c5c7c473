//! Client of a call, as tools see it: its identity and its log.

use tokio::sync::mpsc;
use tool_core::Redactor;

/// Maximum number of characters of a log line.
const MAX_LINE: usize = 4_000;

/// Who sent a call: the local user over standard input and output, or the client that
/// [`Authenticate`](super::Authenticate) recognized over HTTP.
///
/// Tools read it with [`ToolContext::extension`](tool_core::ToolContext::extension). Audit records have it as the
/// parent id `mcp:{subject}`.
///
/// # Examples
/// ```
/// use tool_mcp::server::ClientIdentity;
///
/// let identity = ClientIdentity::new("ci").with_scopes(["read"]);
/// assert!(identity.has_scope("read"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[must_use]
pub struct ClientIdentity {
    /// Unique name of the client or its user.
    pub subject: String,
    /// Granted scopes.
    pub scopes: Vec<String>,
}

impl ClientIdentity {
    /// Creates an identity without scopes.
    pub fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            scopes: Vec::new(),
        }
    }

    /// Sets the granted scopes.
    pub fn with_scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Returns `true` if a scope was granted.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.iter().any(|granted| granted == scope)
    }
}

/// Severity of a log line, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// Details for debugging.
    Debug,
    /// Information.
    Info,
    /// Warning.
    Warning,
    /// Error.
    Error,
}

/// Log of a call, which its client reads. Lines are sent only if the client has asked for lines of their level. Tools
/// get it with [`ToolContext::extension`](tool_core::ToolContext::extension).
///
/// Secrets that the redactor of the registry knows are replaced. Lines over 4,000 characters are truncated. If the client
/// reads too slowly, lines are dropped, so that it can't slow down the tool.
///
/// # Examples
/// ```
/// use tool_core::ToolContext;
/// use tool_mcp::server::{ClientLog, LogLevel};
///
/// fn report(cx: &ToolContext) {
///     if let Some(log) = cx.extension::<ClientLog>() {
///         log.send(LogLevel::Info, "the index is complete");
///     }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct ClientLog {
    pub(crate) minimum: LogLevel,
    pub(crate) lines: mpsc::Sender<(LogLevel, String)>,
    pub(crate) redactor: Option<Redactor>,
}

impl ClientLog {
    /// Sends a line. Does not wait.
    pub fn send(&self, level: LogLevel, line: &str) {
        if level < self.minimum {
            return;
        }
        let line = match &self.redactor {
            Some(redactor) => redactor.scrub(line),
            None => line.into(),
        };
        // A full queue means that the client does not read.
        let _ = self
            .lines
            .try_send((level, line.chars().take(MAX_LINE).collect()));
    }
}
