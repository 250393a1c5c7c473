use std::time::Duration;

/// Error of a model request. Messages never contain an API key, a query, or more of a URL than its
/// origin.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use agent_loop::ModelError;
///
/// let error = ModelError::RateLimited { retry_after: Some(Duration::from_secs(7)) };
/// assert!(error.is_retryable());
/// assert_eq!(error.to_string(), "the provider's rate limit is exceeded; try again in 7 seconds");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The server cannot be reached.
    #[error("cannot connect to {origin}: {reason}")]
    Unreachable {
        /// Scheme, host and port.
        origin: String,
        /// Reason, and the setting to check.
        reason: &'static str,
    },
    /// The server closed the connection before it sent a response.
    #[error(
        "{origin} closed the connection without a response; check that scheme and port of the base URL belong to an HTTP API"
    )]
    Closed {
        /// Scheme, host and port.
        origin: String,
    },
    /// The API key is missing.
    #[error("the provider requires an API key; set it with `HttpModel::with_key`")]
    MissingKey,
    /// The API key is invalid.
    #[error(
        "the provider rejected the API key (status 401); check the key, and that the base URL belongs to its provider"
    )]
    Unauthorized,
    /// The API key has no access.
    #[error(
        "the API key has no access (status 403); check the name of the model and the permissions of the key"
    )]
    Forbidden,
    /// The conversation is too long for the model. Shorten it and resume.
    #[error("the conversation is too long for the model{}; shorten it or use a model with a larger context", tokens(*.limit, *.used))]
    ContextTooLong {
        /// Maximum number of tokens, if the provider specifies it.
        limit: Option<u64>,
        /// Number of tokens of the request, if the provider specifies it.
        used: Option<u64>,
    },
    /// The rate limit is exceeded.
    #[error("the provider's rate limit is exceeded; try again {}", later(*retry_after))]
    RateLimited {
        /// Time to wait, if the provider specifies it.
        retry_after: Option<Duration>,
    },
    /// The quota or credit of the account is used up; retries do not help.
    #[error("the account's quota or credit is used up; check the provider's plan and billing")]
    QuotaExceeded,
    /// The provider is overloaded or failed temporarily.
    #[error("the provider is unavailable (status {status}): {message}; try again later")]
    Unavailable {
        /// HTTP status; 200 for an error in the body of a successful response.
        status: u16,
        /// Message of the provider, shortened.
        message: String,
        /// Time to wait, if the provider specifies it.
        retry_after: Option<Duration>,
    },
    /// The provider rejected the request.
    #[error("the provider rejected the request with status {status}: {message}{}", remedy(*.status))]
    Refused {
        /// HTTP status; 200 for an error in the body of a successful response.
        status: u16,
        /// Message of the provider, shortened.
        message: String,
    },
    /// There are more tools than the provider allows.
    #[error(
        "{detail}; let the model search for tools with `Registry::searchable`, show fewer with `Registry::only`, or use another provider"
    )]
    TooManyTools {
        /// The number of tools and the limit.
        detail: String,
    },
    /// The response does not have this provider's format.
    #[error("invalid response: {reason}; check that the base URL belongs to this provider")]
    InvalidResponse {
        /// Reason why the response cannot be parsed.
        reason: String,
    },
    /// The response exceeds the size limit.
    #[error("the response is larger than {limit} bytes; raise the response limit")]
    ResponseTooLarge {
        /// Limit in bytes.
        limit: usize,
    },
    /// The connection closed before the response was complete.
    #[error("the response is incomplete; try again")]
    ResponseCut,
    /// The stream was idle for too long.
    #[error("the provider sent no data for {} seconds; raise the idle timeout or try again", .after.as_secs_f64())]
    Stalled {
        /// Idle timeout.
        after: Duration,
    },
    /// The response was not complete in time.
    #[error("the response was not complete within {} seconds; raise the timeout or reduce the request", .after.as_secs_f64())]
    Timeout {
        /// Timeout.
        after: Duration,
    },
    /// The request was cancelled.
    #[error("the model request was cancelled")]
    Cancelled,
    /// A scripted or replayed model has no more replies.
    #[error("the script has no reply for turn {turn}; add one")]
    ScriptEnded {
        /// Number of the turn, counted from 1.
        turn: usize,
    },
    /// Error of a custom model.
    #[error("{0}")]
    Other(String),
}

impl ModelError {
    /// Returns whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::Closed { .. }
                // Malformed events come and go, like the errors of the connection.
                | Self::InvalidResponse { .. }
                | Self::RateLimited { .. }
                | Self::Unavailable { .. }
                | Self::ResponseCut
                | Self::Stalled { .. }
                | Self::Timeout { .. }
        )
    }

    /// Returns whether the conversation is too long for the model.
    pub(crate) fn is_too_long(&self) -> bool {
        matches!(self, Self::ContextTooLong { .. })
    }

    /// Returns the stable name of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "unreachable",
            Self::Closed { .. } => "closed",
            Self::MissingKey => "missing_key",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::ContextTooLong { .. } => "context_too_long",
            Self::RateLimited { .. } => "rate_limited",
            Self::QuotaExceeded => "quota_exceeded",
            Self::Unavailable { .. } => "unavailable",
            Self::Refused { .. } => "refused",
            Self::TooManyTools { .. } => "too_many_tools",
            Self::InvalidResponse { .. } => "invalid_response",
            Self::ResponseTooLarge { .. } => "response_too_large",
            Self::ResponseCut => "response_cut",
            Self::Stalled { .. } => "stalled",
            Self::Timeout { .. } => "timeout",
            Self::Cancelled => "cancelled",
            Self::ScriptEnded { .. } => "script_ended",
            Self::Other(_) => "other",
        }
    }

    /// Returns the time to wait before a retry, if the provider specifies it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            // Only these come with a time from the provider.
            Self::RateLimited { retry_after } | Self::Unavailable { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        }
    }
}

fn tokens(limit: Option<u64>, used: Option<u64>) -> String {
    match (limit, used) {
        (Some(limit), Some(used)) => format!(": {used} of at most {limit} tokens"),
        (Some(limit), None) => format!(": at most {limit} tokens"),
        (None, _) => String::new(),
    }
}

fn remedy(status: u16) -> &'static str {
    match status {
        404 => "; check the base URL and the name of the model",
        405 => "; check the base URL",
        _ => "; check the name and the settings of the model, or change the task",
    }
}

fn later(after: Option<Duration>) -> String {
    match after {
        Some(after) => format!("in {} seconds", after.as_secs()),
        None => "later".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transient_errors_are_retryable() {
        let refused = |status| ModelError::Refused {
            status,
            message: String::new(),
        };
        let unavailable = ModelError::Unavailable {
            status: 529,
            message: String::new(),
            retry_after: None,
        };
        let after = Duration::from_secs(1);
        for (error, retryable) in [
            (ModelError::RateLimited { retry_after: None }, true),
            (unavailable, true),
            (ModelError::ResponseCut, true),
            (ModelError::Stalled { after }, true),
            (ModelError::Timeout { after }, true),
            (ModelError::QuotaExceeded, false),
            (refused(400), false),
            (refused(501), false),
            (ModelError::ResponseTooLarge { limit: 1 }, false),
            (ModelError::Unauthorized, false),
            (
                ModelError::ContextTooLong {
                    limit: None,
                    used: None,
                },
                false,
            ),
            (ModelError::Cancelled, false),
        ] {
            assert_eq!(error.is_retryable(), retryable, "{error}");
        }
    }
}
