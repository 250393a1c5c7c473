//! Failures of services, and the errors that a model receives.

mod errors;
mod sentences;

use std::sync::Arc;
use std::time::Duration;

use tool_core::{ErrorCode, ToolError};

use self::errors::{key_rejected, rate_limited, rejected, rejected_parameter, sign_in_required};

/// Failure of a request or of a service.
#[derive(Debug, Clone)]
pub(crate) enum Problem {
    /// No connection; the request was not sent.
    Unreachable(Arc<reqwest::Error>),
    /// The request was sent at least in part, and the response is missing or incomplete.
    Lost(Arc<reqwest::Error>),
    Timeout(Duration),
    /// The response exceeds this number of bytes.
    TooLarge(usize),
    InvalidResponse,
    /// The page has content, but not in the known form.
    PageChanged,
    NoTls,
    /// Unsuccessful HTTP status of a service that is unavailable.
    Status(u16),
    RateLimited {
        wait: Option<Duration>,
        /// Whether the quota is exhausted, so that a repetition is useless.
        is_final: bool,
    },
    /// Contains the cause.
    SignInRequired(&'static str),
    SignInPending,
    SignInDenied,
    /// Contains the permission.
    ScopeMissing(&'static str),
    /// The credentials of the application are rejected.
    NotAuthorized,
    /// Like [`NotAuthorized`](Self::NotAuthorized), with an additional sentence.
    KeyRejected(&'static str),
    ServiceDisabled,
    PermissionDenied,
    NotFound(Missing),
    /// The service rejected a parameter.
    InvalidParameter(&'static str, String),
    /// The service rejected the request.
    Rejected(String),
    /// The tokens cannot be stored. Contains the reason.
    TokenStore(&'static str),
    /// The request may have had an effect. Contains the operation and how to look for the effect.
    OutcomeUnknown(String, String),
    /// Failure before the request was sent, such as during the refresh of a token.
    Before(Box<Problem>),
}

/// Resource that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Error code.
    pub(crate) code: &'static str,
    /// Subject of the sentence, such as `The message`.
    pub(crate) what: &'static str,
    pub(crate) is_deleted: bool,
}

impl Problem {
    /// Returns a rate limit that ends after `wait`, if that is known.
    pub(crate) fn rate_limited(wait: Option<Duration>) -> Self {
        Self::RateLimited {
            wait,
            is_final: false,
        }
    }

    /// Marks a failure that occurred before the request was sent.
    pub(crate) fn before(self) -> Self {
        Self::Before(Box::new(self))
    }

    /// Returns whether the request certainly had no effect.
    pub(crate) fn is_without_effect(&self) -> bool {
        !matches!(
            self,
            Self::Lost(_)
                | Self::Timeout(_)
                | Self::TooLarge(_)
                | Self::InvalidResponse
                | Self::PageChanged
                | Self::Status(_)
                | Self::OutcomeUnknown(..)
        )
    }

    /// Returns the error for the model. `service` is the name of the service.
    pub(crate) fn into_error(self, service: &str) -> ToolError {
        if let Self::Before(problem) = self {
            return problem.into_error(service);
        }
        let error = self.described(service);
        match self {
            Self::Unreachable(source) | Self::Lost(source) => error.caused_by(source),
            Self::RateLimited {
                wait: Some(wait),
                is_final: false,
            } => error.with_retry_after(wait),
            _ => error,
        }
    }

    fn described(&self, service: &str) -> ToolError {
        let described = match self {
            Self::InvalidParameter(parameter, message) => {
                return rejected_parameter(parameter, message);
            }
            Self::OutcomeUnknown(sentence, suggestion) => {
                return ToolError::outcome_unknown(sentence.clone()).suggest(suggestion.clone());
            }
            Self::Rejected(message) => return rejected(service, message),
            Self::RateLimited { wait, is_final } => return rate_limited(service, *wait, *is_final),
            Self::NotFound(missing) => return missing.error(),
            Self::KeyRejected(hint) => return key_rejected(service, hint),
            Self::SignInRequired(cause) => return sign_in_required(cause),
            _ => self
                .transport(service)
                .or_else(|| self.sign_in())
                .unwrap_or_else(|| self.of_service(service)),
        };
        ToolError::new(ErrorCode::from(described.code), described.sentence)
            .suggest(described.suggestion)
            .with_retryable(described.is_retryable)
    }
}
