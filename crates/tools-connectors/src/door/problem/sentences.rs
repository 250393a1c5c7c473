//! Sentences for failures without details of the service.

use super::Problem;
use super::errors::{REJECTED_KEY, size};

const UNAVAILABLE: &str = "unavailable";
const LATER: &str = "Try again later.";
const TELL: &str = "Tell the user.";

/// Parts of an error.
pub(super) struct Described {
    pub(super) code: &'static str,
    /// Whether the call may succeed later.
    pub(super) is_retryable: bool,
    pub(super) sentence: String,
    pub(super) suggestion: &'static str,
}

/// Describes a failure that may pass.
fn temporary(code: &'static str, sentence: String) -> Described {
    Described {
        code,
        is_retryable: true,
        sentence,
        suggestion: LATER,
    }
}

/// Describes a failure that remains until a person acts.
fn lasting(code: &'static str, sentence: String, suggestion: &'static str) -> Described {
    Described {
        code,
        is_retryable: false,
        sentence,
        suggestion,
    }
}

impl Problem {
    /// Describes a failure between here and the service.
    pub(super) fn transport(&self, service: &str) -> Option<Described> {
        Some(match self {
            Self::Unreachable(_) => temporary(UNAVAILABLE, format!("{service} is unreachable")),
            Self::Lost(_) => temporary(
                UNAVAILABLE,
                format!("The response of {service} is incomplete"),
            ),
            Self::Status(status) => temporary(
                UNAVAILABLE,
                format!("{service} is unavailable (HTTP status {status})"),
            ),
            Self::Timeout(after) => {
                let seconds = after.as_secs().max(1);
                let sentence = format!("{service} did not respond within {seconds} seconds");
                temporary("timeout", sentence)
            }
            Self::TooLarge(max) => lasting(
                "response_too_large",
                format!("The response of {service} exceeds {}", size(*max)),
                "Request less, with a narrower query or a smaller limit.",
            ),
            Self::NoTls => lasting(
                "tls_unavailable",
                format!("The application was built without TLS, which {service} requires"),
                TELL,
            ),
            _ => return None,
        })
    }

    /// Describes a sign-in that is missing or insufficient.
    pub(super) fn sign_in(&self) -> Option<Described> {
        Some(match self {
            Self::SignInPending => Described {
                code: "sign_in_pending",
                is_retryable: true,
                sentence: "The sign-in to Google is not finished".to_owned(),
                suggestion: "Wait for the user to finish the sign-in, then call the tool again.",
            },
            Self::SignInDenied => lasting(
                "sign_in_denied",
                "The user declined the sign-in to Google".to_owned(),
                "Do not try again unless the user asks for it.",
            ),
            Self::ScopeMissing(permission) => lasting(
                "scope_missing",
                format!("The user did not grant the permission to {permission}"),
                "Ask the user to sign in again and leave that permission ticked.",
            ),
            Self::TokenStore(reason) => lasting(
                "token_store_failed",
                format!("The stored sign-in cannot be used: {reason}"),
                TELL,
            ),
            _ => return None,
        })
    }

    /// Describes a rejection by the service.
    pub(super) fn of_service(&self, service: &str) -> Described {
        match self {
            Self::NotAuthorized => lasting(
                "not_authorized",
                format!("{service} rejected the credentials of the application"),
                REJECTED_KEY,
            ),
            Self::ServiceDisabled => lasting(
                "service_disabled",
                format!("The API of {service} is disabled for the application"),
                "Tell the user to enable the API for the application.",
            ),
            Self::PermissionDenied => lasting(
                "permission_denied",
                format!("{service} denied access"),
                "Search again, or use another item.",
            ),
            Self::PageChanged => lasting(
                "invalid_response",
                format!("The page of {service} has changed and cannot be read"),
                TELL,
            ),
            _ => lasting(
                "invalid_response",
                format!("{service} returned an invalid response"),
                LATER,
            ),
        }
    }
}
