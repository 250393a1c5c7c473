//! Failures of services, and the errors that a model receives.

use std::sync::Arc;
use std::time::Duration;

use tool_core::{ErrorCode, ToolError};

use super::one_line;

/// Maximum length of a message of a service.
const MESSAGE_CHARS: usize = 300;

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
    /// Unsuccessful HTTP status of a service that is unavailable.
    Status(u16),
    RateLimited {
        wait: Option<Duration>,
        /// Whether the quota is exhausted, so that a repetition is useless.
        is_final: bool,
    },
    /// Contains the cause.
    SignInRequired(&'static str),
    /// Contains the permission.
    ScopeMissing(&'static str),
    /// Failure that is always described in the same way.
    Fixed(&'static Fixed),
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
                | Self::Status(_)
                | Self::OutcomeUnknown(..)
        )
    }

    /// Returns the error for the model. `service` is the name of the service.
    pub(crate) fn into_error(self, service: &str) -> ToolError {
        match self {
            // The failure itself decides about the text; `Before` only says that nothing was sent.
            Self::Before(problem) => problem.into_error(service),
            Self::Unreachable(source) => {
                temporary("unavailable", format!("{service} is unreachable")).caused_by(source)
            }
            Self::Lost(source) => {
                let sentence = format!("The response of {service} is incomplete");
                temporary("unavailable", sentence).caused_by(source)
            }
            Self::Status(status) => {
                let sentence = format!("{service} is unavailable (HTTP status {status})");
                temporary("unavailable", sentence)
            }
            Self::Timeout(after) => {
                let seconds = after.as_secs().max(1);
                let sentence = format!("{service} did not respond within {seconds} seconds");
                temporary("timeout", sentence)
            }
            Self::TooLarge(max) => {
                let sentence = format!("The response of {service} exceeds {}", size(max));
                let suggestion = "Request less, with a narrower query or a smaller limit.";
                error("response_too_large", sentence, suggestion)
            }
            Self::InvalidResponse => {
                let sentence = format!("{service} returned an invalid response");
                error("invalid_response", sentence, LATER)
            }
            Self::RateLimited { wait, is_final } => limited(service, wait, is_final),
            other => other.into_rejection(service),
        }
    }

    /// Returns the error if the service or the user rejected the request.
    fn into_rejection(self, service: &str) -> ToolError {
        match self {
            Self::Fixed(fixed) => {
                let sentence = fixed.sentence.replace("{}", service);
                error(fixed.code, sentence, fixed.suggestion)
                    .with_retryable(fixed.code == "sign_in_pending")
            }
            Self::NotFound(missing) => {
                let state = if missing.is_deleted {
                    "was deleted"
                } else {
                    "does not exist"
                };
                let sentence = format!("{} {state}", missing.what);
                error(missing.code, sentence, "Search again for a current ID.")
            }
            Self::InvalidParameter(parameter, message) => {
                let error = ToolError::invalid_arguments(parameter, "was rejected by the service");
                quoting(error, &message)
            }
            Self::Rejected(message) => {
                let error = ToolError::failed(format!("{service} rejected the request"));
                quoting(error, &message)
            }
            Self::OutcomeUnknown(sentence, suggestion) => {
                ToolError::outcome_unknown(sentence).suggest(suggestion)
            }
            Self::ScopeMissing(permission) => error(
                "scope_missing",
                format!("The user did not grant the permission to {permission}"),
                "Ask the user to sign in again and leave that permission ticked.",
            ),
            Self::TokenStore(reason) => error(
                "token_store_failed",
                format!("The stored sign-in cannot be used: {reason}"),
                "Tell the user.",
            ),
            Self::SignInRequired(cause) => error(
                "sign_in_required",
                format!("A sign-in to Google is required: {cause}"),
                "Ask the user to sign in to Google again.",
            ),
            _ => error("failed", "The request failed".to_owned(), LATER),
        }
    }
}

/// Words of a failure. `{}` is the name of the service.
#[derive(Debug)]
pub(crate) struct Fixed {
    code: &'static str,
    sentence: &'static str,
    suggestion: &'static str,
}

impl Problem {
    /// The credentials of the application are rejected.
    pub(crate) const NOT_AUTHORIZED: Self = Self::Fixed(&Fixed {
        code: "not_authorized",
        sentence: "{} rejected the credentials of the application",
        suggestion: "Tell the user that the application's credentials are rejected.",
    });
    pub(crate) const KEY_REJECTED: Self = Self::Fixed(&Fixed {
        code: "not_authorized",
        sentence: "{} rejected the key of the application",
        suggestion: "Tell the user that the application's credentials are rejected. An admin key is required; it begins \
                     with `sk-ant-admin`.",
    });
    pub(crate) const PERMISSION_DENIED: Self = Self::Fixed(&Fixed {
        code: "permission_denied",
        sentence: "{} denied access",
        suggestion: "Search again, or use another item.",
    });
    pub(crate) const SERVICE_DISABLED: Self = Self::Fixed(&Fixed {
        code: "service_disabled",
        sentence: "The API of {} is disabled for the application",
        suggestion: "Tell the user to enable the API for the application.",
    });
    pub(crate) const SIGN_IN_PENDING: Self = Self::Fixed(&Fixed {
        code: "sign_in_pending",
        sentence: "The sign-in to Google is not finished",
        suggestion: "Wait for the user to finish the sign-in, then call the tool again.",
    });
    pub(crate) const SIGN_IN_DENIED: Self = Self::Fixed(&Fixed {
        code: "sign_in_denied",
        sentence: "The user declined the sign-in to Google",
        suggestion: "Do not try again unless the user asks for it.",
    });
    /// The page has content, but not in the known form.
    pub(crate) const PAGE_CHANGED: Self = Self::Fixed(&Fixed {
        code: "invalid_response",
        sentence: "The page of {} has changed and cannot be read",
        suggestion: "Tell the user.",
    });
}

const LATER: &str = "Try again later.";

/// Returns an error that a repetition of the call does not change.
fn error(code: &str, sentence: String, suggestion: &str) -> ToolError {
    let error = ToolError::new(ErrorCode::from(code), sentence);
    error.suggest(suggestion).with_retryable(false)
}

fn temporary(code: &str, sentence: String) -> ToolError {
    error(code, sentence, LATER).with_retryable(true)
}

fn limited(service: &str, wait: Option<Duration>, is_final: bool) -> ToolError {
    let sentence = format!("The rate limit of {service} is exhausted");
    let limited = |suggestion: &str| error("rate_limited", sentence, suggestion);
    match wait {
        _ if is_final => limited("The quota is used up. Try again tomorrow."),
        Some(wait) => {
            let seconds = wait.as_secs_f64().ceil().max(1.0);
            limited(&format!("Try again after {seconds} seconds."))
                .with_retryable(true)
                .with_retry_after(wait)
        }
        None => limited("Try again after a minute.").with_retryable(true),
    }
}

/// Adds the message of the service.
fn quoting(error: ToolError, message: &str) -> ToolError {
    match one_line(message, MESSAGE_CHARS) {
        message if message.is_empty() => error,
        message => error.suggest(message),
    }
}

fn size(bytes: usize) -> String {
    match bytes / (1024 * 1024) {
        0 => format!("{} KB", bytes / 1024),
        megabytes => format!("{megabytes} MB"),
    }
}
