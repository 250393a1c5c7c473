//! Why a model gave no reply.

use std::time::Duration;

/// Why a model gave no reply. No text holds a key, a query or more than the origin of an address.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use agent_loop::ModelError;
///
/// let error = ModelError::RateLimited { retry_after: Some(Duration::from_secs(7)) };
/// assert!(error.is_retryable());
/// assert_eq!(error.to_string(), "the provider takes no more requests for now; try again in 7 seconds");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Nobody answers at the address.
    #[error("nothing answers at {origin}; check the base URL, and that the server runs")]
    Unreachable {
        /// Scheme, host and port.
        origin: String,
    },
    /// The key is missing or wrong, or may not use the model.
    #[error(
        "the provider did not accept the key; check that it is set, and that it may use this model"
    )]
    Unauthorized,
    /// Too many requests.
    #[error("the provider takes no more requests for now; try again {}", later(*retry_after))]
    RateLimited {
        /// How long to wait, where the provider says so.
        retry_after: Option<Duration>,
    },
    /// The account may use no more, whatever is waited.
    #[error("the account's quota or credit is used up; check the provider's plan and billing")]
    QuotaExceeded,
    /// The provider is overloaded, or failed in a way that passes.
    #[error("the provider cannot answer for now (status {status}): {message}")]
    Unavailable {
        /// The status of HTTP; 200 for an error inside a response that looked well.
        status: u16,
        /// What the provider says about it, shortened.
        message: String,
        /// How long to wait, where the provider says so.
        retry_after: Option<Duration>,
    },
    /// The provider refused the request.
    #[error("the provider answered with status {status}: {message}")]
    Refused {
        /// The status of HTTP; 200 for an error inside a response that looked well.
        status: u16,
        /// What the provider says about it, shortened.
        message: String,
    },
    /// The response is not one of this provider's.
    #[error(
        "the response cannot be read: {reason}; check that the base URL belongs to this provider"
    )]
    InvalidResponse {
        /// What is wrong with it.
        reason: String,
    },
    /// The response is larger than the model takes.
    #[error("the response is larger than {limit} bytes")]
    ResponseTooLarge {
        /// The limit.
        limit: usize,
    },
    /// The response ended before it was whole.
    #[error("the response ended before it was whole; try again")]
    ResponseCut,
    /// Nothing more of the response came for too long.
    #[error("the provider sent nothing more for {} seconds; allow longer pauses or try again", .after.as_secs_f64())]
    Stalled {
        /// How long it was waited for.
        after: Duration,
    },
    /// The response did not come in time.
    #[error("the provider did not answer within {} seconds; allow more time or ask for less", .after.as_secs_f64())]
    Timeout {
        /// How long it was waited for.
        after: Duration,
    },
    /// The model was told to stop.
    #[error("the model was told to stop")]
    Cancelled,
    /// A script or a replay has no more replies.
    #[error("the script has no reply for turn {turn}")]
    ScriptEnded {
        /// The turn, counting from 1.
        turn: usize,
    },
    /// A reason of a model of the application's own.
    #[error("{0}")]
    Other(String),
}

impl ModelError {
    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Unreachable { .. }
                | Self::RateLimited { .. }
                | Self::Unavailable { .. }
                | Self::ResponseCut
                | Self::Stalled { .. }
                | Self::Timeout { .. }
        )
    }

    /// How long to wait before the same request, where the provider says so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after } | Self::Unavailable { retry_after, .. } => {
                *retry_after
            }
            _ => None,
        }
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
    fn what_passes_with_time_is_retryable() {
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
            (ModelError::Cancelled, false),
        ] {
            assert_eq!(error.is_retryable(), retryable, "{error}");
        }
    }
}
