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
    /// The page has content, but not in the known form.
    PageChanged,
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
        let error = match &self {
            // The failure itself decides about the text; `Before` only says that nothing was sent.
            Self::Before(problem) => return problem.clone().into_error(service),
            Self::OutcomeUnknown(sentence, _) => ToolError::outcome_unknown(sentence.clone()),
            Self::InvalidParameter(parameter, _) => {
                ToolError::invalid_arguments(parameter, "was rejected by the service")
            }
            Self::Rejected(_) => ToolError::failed(self.sentence(service)),
            _ => ToolError::new(ErrorCode::from(self.code()), self.sentence(service))
                .with_retryable(self.is_temporary()),
        };
        let error = match self.suggestion() {
            suggestion if suggestion.is_empty() => error,
            suggestion => error.suggest(suggestion),
        };
        match self {
            Self::Unreachable(source) | Self::Lost(source) => error.caused_by(source),
            Self::RateLimited {
                wait: Some(wait),
                is_final: false,
            } => error.with_retry_after(wait),
            _ => error,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Unreachable(_) | Self::Lost(_) | Self::Status(_) => "unavailable",
            Self::Timeout(_) => "timeout",
            Self::TooLarge(_) => "response_too_large",
            Self::RateLimited { .. } => "rate_limited",
            Self::SignInRequired(_) => "sign_in_required",
            Self::SignInPending => "sign_in_pending",
            Self::SignInDenied => "sign_in_denied",
            Self::ScopeMissing(_) => "scope_missing",
            Self::TokenStore(_) => "token_store_failed",
            Self::NotAuthorized | Self::KeyRejected(_) => "not_authorized",
            Self::ServiceDisabled => "service_disabled",
            Self::PermissionDenied => "permission_denied",
            Self::NotFound(missing) => missing.code,
            _ => "invalid_response",
        }
    }

    /// Returns whether the call may succeed later without any action.
    fn is_temporary(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_)
                | Self::Lost(_)
                | Self::Status(_)
                | Self::Timeout(_)
                | Self::SignInPending
                | Self::RateLimited {
                    is_final: false,
                    ..
                }
        )
    }

    fn sentence(&self, service: &str) -> String {
        match self {
            Self::Unreachable(_) => format!("{service} is unreachable"),
            Self::Lost(_) => format!("The response of {service} is incomplete"),
            Self::Status(status) => format!("{service} is unavailable (HTTP status {status})"),
            Self::Timeout(after) => {
                let seconds = after.as_secs().max(1);
                format!("{service} did not respond within {seconds} seconds")
            }
            Self::TooLarge(max) => format!("The response of {service} exceeds {}", size(*max)),
            Self::RateLimited { .. } => format!("The rate limit of {service} is exhausted"),
            Self::SignInRequired(cause) => format!("A sign-in to Google is required: {cause}"),
            Self::SignInPending => "The sign-in to Google is not finished".to_owned(),
            Self::SignInDenied => "The user declined the sign-in to Google".to_owned(),
            Self::ScopeMissing(permission) => {
                format!("The user did not grant the permission to {permission}")
            }
            Self::TokenStore(reason) => format!("The stored sign-in cannot be used: {reason}"),
            Self::NotAuthorized => format!("{service} rejected the credentials of the application"),
            Self::KeyRejected(_) => format!("{service} rejected the key of the application"),
            Self::ServiceDisabled => {
                format!("The API of {service} is disabled for the application")
            }
            Self::PermissionDenied => format!("{service} denied access"),
            Self::NotFound(missing) if missing.is_deleted => {
                format!("{} was deleted", missing.what)
            }
            Self::NotFound(missing) => format!("{} does not exist", missing.what),
            Self::Rejected(_) => format!("{service} rejected the request"),
            Self::PageChanged => format!("The page of {service} has changed and cannot be read"),
            _ => format!("{service} returned an invalid response"),
        }
    }

    fn suggestion(&self) -> String {
        const REJECTED_KEY: &str = "Tell the user that the application's credentials are rejected.";
        let text = match self {
            Self::InvalidParameter(_, message) | Self::Rejected(message) => {
                return one_line(message, MESSAGE_CHARS);
            }
            Self::OutcomeUnknown(_, suggestion) => return suggestion.clone(),
            Self::RateLimited {
                wait: Some(wait),
                is_final: false,
            } => {
                let seconds = wait.as_secs_f64().ceil().max(1.0);
                return format!("Try again after {seconds} seconds.");
            }
            Self::KeyRejected(hint) => return format!("{REJECTED_KEY} {hint}"),
            Self::RateLimited { is_final: true, .. } => "The quota is used up. Try again tomorrow.",
            Self::RateLimited { .. } => "Try again after a minute.",
            Self::TooLarge(_) => "Request less, with a narrower query or a smaller limit.",
            Self::TokenStore(_) | Self::PageChanged => "Tell the user.",
            Self::SignInRequired(_) => "Ask the user to sign in to Google again.",
            Self::SignInPending => {
                "Wait for the user to finish the sign-in, then call the tool again."
            }
            Self::SignInDenied => "Do not try again unless the user asks for it.",
            Self::ScopeMissing(_) => {
                "Ask the user to sign in again and leave that permission ticked."
            }
            Self::NotAuthorized => REJECTED_KEY,
            Self::ServiceDisabled => "Tell the user to enable the API for the application.",
            Self::PermissionDenied => "Search again, or use another item.",
            Self::NotFound(_) => "Search again for a current ID.",
            _ => "Try again later.",
        };
        text.to_owned()
    }
}

fn size(bytes: usize) -> String {
    match bytes / (1024 * 1024) {
        0 => format!("{} KB", bytes / 1024),
        megabytes => format!("{megabytes} MB"),
    }
}
