//! Responses of Brave.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::web::search::plain::without_markup;
use crate::web::search::{SearchError, SearchResult};

/// Maximum reported wait time.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// Returns the results in a body. Unknown and missing members are ignored.
pub(super) fn results(body: &[u8]) -> Result<Vec<SearchResult>, SearchError> {
    let body: Value = serde_json::from_slice(body).map_err(|_| SearchError::Unreadable)?;
    if !body.is_object() {
        return Err(SearchError::Unreadable);
    }
    let listed = body.pointer("/web/results").and_then(Value::as_array);
    Ok(listed.into_iter().flatten().filter_map(result).collect())
}

fn result(listed: &Value) -> Option<SearchResult> {
    let text = |name: &str| listed.get(name).and_then(Value::as_str).unwrap_or_default();
    let url = text("url").trim();
    // Results are untrusted: `javascript:` and `file:` URLs must not reach a person or a tool.
    let is_web = ["https://", "http://"].iter().any(|scheme| {
        url.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    is_web.then(|| {
        SearchResult::new(
            without_markup(text("title")),
            url,
            without_markup(text("description")),
        )
    })
}

/// Returns the error for an unsuccessful status.
pub(super) fn refusal(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> SearchError {
    match status {
        // Brave returns 422 for an unknown key and for an invalid query.
        StatusCode::UNPROCESSABLE_ENTITY if is_about_the_query(body) => SearchError::QueryRefused,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::UNPROCESSABLE_ENTITY => {
            SearchError::NotAuthorized
        }
        StatusCode::PAYMENT_REQUIRED | StatusCode::TOO_MANY_REQUESTS => SearchError::RateLimited {
            retry_after: wait(headers),
        },
        StatusCode::BAD_REQUEST => SearchError::QueryRefused,
        other => SearchError::Status(other.as_u16()),
    }
}

fn is_about_the_query(body: &[u8]) -> bool {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let code = body.pointer("/error/code").and_then(Value::as_str);
    let errors = body.pointer("/error/meta/errors").map(Value::to_string);
    let is_about_the_key = errors
        .unwrap_or_default()
        .to_lowercase()
        .contains("subscription-token");
    code == Some("VALIDATION") && !is_about_the_key
}

/// Returns the time to wait: `Retry-After` in seconds, or the longest of the exhausted limits.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let seconds = match headers.get(RETRY_AFTER) {
        Some(value) => value.to_str().ok()?.trim().parse().ok()?,
        // Without `Retry-After`, the headers of the quotas say when to try again.
        None => used_up(headers)?,
    };
    Some(Duration::from_secs(seconds).min(LONGEST_WAIT))
}

/// Returns the longest reset time of the exhausted limits. Brave reports several limits, such as
/// per second and per month: `0, 1203` remain, reset in `1, 90061`.
fn used_up(headers: &HeaderMap) -> Option<u64> {
    let numbers = |name: &str| {
        let listed = headers.get(name).and_then(|value| value.to_str().ok());
        let listed = listed.unwrap_or_default().split(',');
        listed
            .map(|number| number.trim().parse::<u64>().ok())
            .collect::<Vec<_>>()
    };
    // One number for each quota, such as a second and a month. Only used-up ones matter, and the longest decides.
    let remaining = numbers("x-ratelimit-remaining");
    let resets = numbers("x-ratelimit-reset");
    remaining
        .into_iter()
        .zip(resets)
        .filter_map(|(remaining, reset)| reset.filter(|_| remaining == Some(0)))
        .max()
}
