//! Decisions on repeated requests.

use std::time::Duration;

use reqwest::StatusCode;
use tool_core::middleware::Backoff;

use super::{Deadline, Problem, Repeat, Request, Response};

/// Maximum number of attempts.
const ATTEMPTS: u32 = 3;
/// Longest requested wait that is waited for within a call.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

const TEMPORARY: [StatusCode; 6] = [
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::BAD_GATEWAY,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::GATEWAY_TIMEOUT,
];

/// Returns the delay before the next attempt, or `None` if `outcome` is final.
pub(super) fn delay(
    request: &Request,
    outcome: &Result<Response, Problem>,
    attempt: u32,
    backoff: &Backoff,
    deadline: Deadline,
) -> Option<Duration> {
    if attempt >= ATTEMPTS || !may_repeat(request, outcome) {
        return None;
    }
    let requested = outcome.as_ref().ok().and_then(Response::retry_after);
    let wait = match requested {
        Some(wait) if wait > LONGEST_WAIT => return None,
        Some(wait) => wait,
        None => backoff.wait_after(attempt, None)?,
    };
    (wait < deadline.remaining()).then_some(wait)
}

fn may_repeat(request: &Request, outcome: &Result<Response, Problem>) -> bool {
    match (outcome, request.repeat) {
        (_, Repeat::Never) => false,
        (Err(Problem::Unreachable(_)), _) | (Err(Problem::Lost(_)), Repeat::Always) => true,
        (Ok(response), Repeat::Always) => {
            TEMPORARY.contains(&response.status) || is_rate_limit(request, response)
        }
        (Ok(response), Repeat::IfRejected) => is_rate_limit(request, response),
        (Err(_), _) => false,
    }
}

fn is_rate_limit(request: &Request, response: &Response) -> bool {
    response.status == StatusCode::TOO_MANY_REQUESTS || (request.is_rate_limit)(response)
}
