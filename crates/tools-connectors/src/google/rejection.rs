//! Errors of Google's APIs.

use reqwest::StatusCode;
use serde::Deserialize;

use crate::door::{Missing, Problem, Response};

/// Facts about a request for the interpretation of its errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purpose {
    /// OAuth scope that the request requires.
    pub(crate) scope: &'static str,
    /// Permission in words, such as `read mail`.
    pub(crate) permission: &'static str,
    pub(crate) missing: Missing,
    /// Parameter that an invalid request refers to.
    pub(crate) parameter: Option<&'static str>,
}

#[derive(Debug, Default, Deserialize)]
struct Envelope {
    #[serde(default)]
    error: Body,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Body {
    message: String,
    errors: Vec<Entry>,
    details: Vec<Entry>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Entry {
    reason: String,
}

const RATE: [&str; 3] = [
    "rateLimitExceeded",
    "userRateLimitExceeded",
    "RATE_LIMIT_EXCEEDED",
];
const QUOTA: [&str; 3] = [
    "quotaExceeded",
    "dailyLimitExceeded",
    "dailyLimitExceededUnreg",
];
const DISABLED: [&str; 2] = ["accessNotConfigured", "SERVICE_DISABLED"];
const SCOPE: [&str; 3] = [
    "insufficientPermissions",
    "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
    "insufficientScopes",
];

impl Body {
    fn of(response: &Response) -> Self {
        response.json::<Envelope>().unwrap_or_default().error
    }

    fn has(&self, reasons: &[&str]) -> bool {
        let entries = self.errors.iter().chain(&self.details);
        entries
            .take(20)
            .any(|entry| reasons.contains(&entry.reason.as_str()))
    }
}

/// Returns whether a response with status 403 is a rate limit.
pub(crate) fn is_rate_limit(response: &Response) -> bool {
    response.status == StatusCode::FORBIDDEN && Body::of(response).has(&RATE)
}

/// Returns the problem of an unsuccessful response.
pub(crate) fn problem(response: &Response, purpose: Purpose) -> Problem {
    let body = Body::of(response);
    let missing = |is_deleted| {
        Problem::NotFound(Missing {
            is_deleted,
            ..purpose.missing
        })
    };
    match response.status.as_u16() {
        401 => Problem::SignInRequired("Google rejected a fresh token"),
        403 | 429 if body.has(&QUOTA) => Problem::RateLimited {
            wait: response.retry_after(),
            is_final: true,
        },
        429 => Problem::rate_limited(response.retry_after()),
        403 if body.has(&RATE) => Problem::rate_limited(response.retry_after()),
        403 if body.has(&SCOPE) => Problem::ScopeMissing(purpose.permission),
        403 if body.has(&DISABLED) => Problem::ServiceDisabled,
        403 => Problem::PermissionDenied,
        404 => missing(false),
        410 => missing(true),
        400 | 422 => match purpose.parameter {
            Some(parameter) => Problem::InvalidParameter(parameter, body.message),
            None => Problem::Rejected(body.message),
        },
        status @ (408 | 500..) => Problem::Status(status),
        200..400 => Problem::InvalidResponse,
        _ => Problem::Rejected(body.message),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reasons_become_problems() {
        let purpose = Purpose {
            scope: "a",
            permission: "read mail",
            missing: Missing {
                code: "message_not_found",
                what: "The message",
                is_deleted: false,
            },
            parameter: None,
        };
        for (status, reason, code) in [
            (401, "authError", "sign_in_required"),
            (403, "rateLimitExceeded", "rate_limited"),
            (403, "userRateLimitExceeded", "rate_limited"),
            (403, "quotaExceeded", "rate_limited"),
            (403, "dailyLimitExceeded", "rate_limited"),
            (403, "insufficientPermissions", "scope_missing"),
            (403, "accessNotConfigured", "service_disabled"),
            (403, "SERVICE_DISABLED", "service_disabled"),
            (403, "forbidden", "permission_denied"),
            (404, "notFound", "message_not_found"),
            (410, "deleted", "message_not_found"),
            (429, "RATE_LIMIT_EXCEEDED", "rate_limited"),
            (400, "invalidArgument", "failed"),
            (409, "duplicate", "failed"),
            (302, "", "invalid_response"),
            (500, "backendError", "unavailable"),
        ] {
            let body = json!({"error": {"message": "m", "errors": [{"reason": reason}]}});
            let response = Response {
                status: StatusCode::from_u16(status).unwrap(),
                headers: reqwest::header::HeaderMap::new(),
                body: body.to_string().into_bytes(),
            };

            let error = problem(&response, purpose).into_error("Gmail");

            assert_eq!(error.code().as_str(), code, "{status} {reason}");
            let is_retryable = error.retryable();
            let is_rate = code == "rate_limited" && !QUOTA.contains(&reason);
            assert_eq!(is_retryable, is_rate || status >= 500, "{status} {reason}");
        }
    }
}
