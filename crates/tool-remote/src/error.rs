//! Errors of connections, for programmers.

use std::error::Error;

use tool_core::SourceError;

type Source = Box<dyn Error + Send + Sync>;

/// Reason why a worker or a client could not start.
///
/// # Examples
/// ```
/// use tool_remote::RemoteError;
///
/// let error = RemoteError::NoLedger;
/// assert!(error.to_string().contains("ledger"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// A tenant, group or worker has an invalid name.
    #[error("invalid {kind} `{name}`; use 1 to 64 of the characters `A-Z a-z 0-9 _ -`")]
    InvalidName {
        /// Kind of the name.
        kind: &'static str,
        /// Rejected name.
        name: String,
    },
    /// The secret of a [`DecisionKey`](crate::DecisionKey) has fewer than 16 bytes.
    #[error("the secret of a decision key must have at least 16 bytes")]
    ShortKey,
    /// The credentials or certificates could not be read.
    #[error("the credentials or certificates cannot be read")]
    Credentials(#[source] Source),
    /// The server rejected the credentials.
    #[error("the NATS server rejected the credentials")]
    Unauthorized(#[source] Source),
    /// No server could be reached.
    #[error("no NATS server can be reached")]
    Unreachable(#[source] Source),
    /// The server rejected a request, or its response did not arrive in time.
    #[error("the NATS server did not {action}")]
    Server {
        /// Rejected action.
        action: &'static str,
        /// Error of the server.
        #[source]
        source: Source,
    },
    /// A consumer exists with another configuration. Use the same options in all workers, or delete the consumer.
    #[error("the consumer `{consumer}` of the stream `{stream}` has another configuration")]
    OtherConfiguration {
        /// Name of the stream.
        stream: String,
        /// Name of the consumer.
        consumer: String,
    },
    /// The registry of a worker has tools with effects and no ledger.
    #[error(
        "the registry has tools with effects and no ledger; set one with `RegistryBuilder::ledger`"
    )]
    NoLedger,
    /// A worker has too many tools, or a tool has a definition that is too large.
    #[error("{0}")]
    TooManyTools(String),
    /// The registry rejected the source of the tools.
    #[error(transparent)]
    Source(#[from] SourceError),
}

impl RemoteError {
    pub(crate) fn server(action: &'static str, source: impl Into<Source>) -> Self {
        Self::Server {
            action,
            source: source.into(),
        }
    }
}
