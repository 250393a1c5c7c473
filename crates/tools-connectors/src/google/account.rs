//! Requests in the name of a signed-in user.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use reqwest::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_core::{Secret, ToolContext, ToolError};

use super::arguments::domain_of;
use crate::door::{Base, Deadline, Door, Missing, Problem, Request, Response};

/// Time for the requests of a call, in addition to the time for a sign-in.
const REQUESTS: Duration = Duration::from_mins(1);
/// Time to find out the domain of the user. A registry gives the whole preview two seconds.
const PREVIEW: Duration = Duration::from_secs(1);
/// Longest wait for a sign-in within a call.
const SIGN_IN: Duration = Duration::from_mins(2);

/// Access to one service of a signed-in user. Clones share the sign-in.
#[derive(Clone)]
pub(crate) struct Account {
    pub(crate) door: Door,
    pub(crate) base: Base,
    pub(crate) tokens: Arc<dyn Tokens>,
    /// Time zone that the application configured.
    pub(crate) zone: Option<TimeZone>,
}

impl Account {
    /// Sends a request with a token, again with a new token if the service rejects the first, and
    /// returns the response with any other status. Sends nothing if the user did not grant the scope.
    pub(crate) async fn exchange(
        &self,
        request: Request,
        purpose: Purpose,
        cx: &ToolContext,
    ) -> Result<Response, Problem> {
        let deadline = Deadline::of(cx);
        let request = request.rate_limit(is_rate_limit);
        let token = self.tokens.token(deadline.at_most(SIGN_IN), None).await;
        let token = token.map_err(Problem::before)?;
        // Users may untick single permissions. Google would reject the request with a less helpful error.
        if self.tokens.lacks(purpose.scope) {
            return Err(Problem::ScopeMissing(purpose.permission));
        }
        let signed = request.clone().bearer(&token)?;
        let response = self.door.send(&signed, deadline.at_most(REQUESTS)).await?;
        if response.status != StatusCode::UNAUTHORIZED {
            return Ok(response);
        }
        // The service did nothing, so writing requests are repeated too.
        let fresh = deadline.at_most(SIGN_IN);
        let token = self.tokens.token(fresh, Some(&token)).await;
        let token = token.map_err(Problem::before)?;
        let signed = request.bearer(&token)?;
        self.door.send(&signed, deadline.at_most(REQUESTS)).await
    }

    /// Like [`exchange`](Self::exchange), but rejects all statuses except 200.
    pub(crate) async fn fetch<T: DeserializeOwned>(
        &self,
        request: Request,
        purpose: Purpose,
        cx: &ToolContext,
    ) -> Result<T, Problem> {
        let response = self.exchange(request, purpose, cx).await?;
        if response.status == StatusCode::OK {
            return response.json();
        }
        Err(problem(&response, purpose))
    }

    /// Returns the domain of the signed-in user, whose address is at `pointer` in the response.
    ///
    /// It is for the text that an approver reads, so it takes at most one second and never starts a
    /// sign-in; `None` if it cannot be found out that way. It is not kept, because the application
    /// may sign in another user at any time.
    pub(crate) async fn domain(&self, request: Request, pointer: &str) -> Option<String> {
        let deadline = Deadline::after(PREVIEW);
        let token = self.tokens.without_sign_in(deadline).await?;
        let request = request.bearer(&token).ok()?;
        let response = self.door.send(&request, deadline).await.ok()?;
        let body: Value = response.json().ok()?;
        domain_of(body.pointer(pointer)?.as_str()?)
    }

    /// Returns the error for the model.
    pub(crate) fn error(&self, problem: Problem) -> ToolError {
        problem.into_error(self.door.service())
    }

    /// Returns text of the service without secrets, for text that was decoded after its arrival.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.door.secrets().scrub(text).into_owned()
    }
}

tool_core::debug_fields!(Account, this => base: this.base);

/// Source of the access tokens of one service.
#[async_trait]
pub(crate) trait Tokens: Send + Sync {
    /// Returns a valid token. `rejected` is a token that the service rejected, if any.
    async fn token(
        &self,
        deadline: Deadline,
        rejected: Option<&Secret<String>>,
    ) -> Result<Secret<String>, Problem>;

    /// Returns a valid token if that needs no sign-in.
    async fn without_sign_in(&self, deadline: Deadline) -> Option<Secret<String>>;

    /// Returns whether the user is known not to have granted a scope.
    fn lacks(&self, _scope: &str) -> bool {
        false
    }
}

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

/// Returns the error of a response.
fn body_of(response: &Response) -> Value {
    let body = response.json().unwrap_or_default();
    let Value::Object(mut body) = body else {
        return Value::Null;
    };
    body.remove("error").unwrap_or_default()
}

/// Returns whether an error has one of these reasons.
fn has(error: &Value, reasons: &[&str]) -> bool {
    let lists = ["errors", "details"].map(|name| error.get(name).and_then(Value::as_array));
    let entries = lists.into_iter().flatten().flatten().take(20);
    let mut found = entries.filter_map(|entry| entry.get("reason")?.as_str());
    found.any(|reason| reasons.contains(&reason))
}

/// Returns whether a response with status 403 is a rate limit.
pub(crate) fn is_rate_limit(response: &Response) -> bool {
    response.status == StatusCode::FORBIDDEN && has(&body_of(response), &RATE)
}

/// Returns the problem of an unsuccessful response.
pub(crate) fn problem(response: &Response, purpose: Purpose) -> Problem {
    let error = body_of(response);
    let message = error.get("message").and_then(Value::as_str);
    let message = message.unwrap_or_default().to_owned();
    let missing = |is_deleted| {
        Problem::NotFound(Missing {
            is_deleted,
            ..purpose.missing
        })
    };
    match response.status.as_u16() {
        401 => Problem::SignInRequired("Google rejected a fresh token"),
        // Google uses 403 for quotas, rates, permissions and disabled APIs, so the reason decides.
        403 | 429 if has(&error, &QUOTA) => Problem::RateLimited {
            wait: response.retry_after(),
            is_final: true,
        },
        429 => Problem::rate_limited(response.retry_after()),
        403 if has(&error, &RATE) => Problem::rate_limited(response.retry_after()),
        403 if has(&error, &SCOPE) => Problem::ScopeMissing(purpose.permission),
        403 if has(&error, &DISABLED) => Problem::SERVICE_DISABLED,
        403 => Problem::PERMISSION_DENIED,
        404 => missing(false),
        410 => missing(true),
        400 | 422 => match purpose.parameter {
            Some(parameter) => Problem::InvalidParameter(parameter, message),
            None => Problem::Rejected(message),
        },
        status @ (408 | 500..) => Problem::Status(status),
        200..400 => Problem::InvalidResponse,
        _ => Problem::Rejected(message),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PURPOSE: Purpose = Purpose {
        scope: "a",
        permission: "read mail",
        missing: Missing {
            code: "message_not_found",
            what: "The message",
            is_deleted: false,
        },
        parameter: None,
    };

    fn response(status: u16, error: &Value) -> Response {
        Response {
            status: StatusCode::from_u16(status).unwrap(),
            headers: reqwest::header::HeaderMap::new(),
            body: json!({"error": error}).to_string().into_bytes(),
        }
    }

    #[test]
    fn reasons_become_problems() {
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
            let body = json!({"message": "m", "errors": [{"reason": reason}]});

            let error = problem(&response(status, &body), PURPOSE).into_error("Gmail");

            assert_eq!(error.code().as_str(), code, "{status} {reason}");
            let is_retryable = error.retryable();
            let is_rate = code == "rate_limited" && !QUOTA.contains(&reason);
            assert_eq!(is_retryable, is_rate || status >= 500, "{status} {reason}");
        }
    }
}
