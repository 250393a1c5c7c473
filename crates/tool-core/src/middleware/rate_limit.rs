//! Limits on the call rate.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;

use super::{Call, Middleware, Next};
use crate::error::duration_text;
use crate::{ErrorCode, ToolContext, ToolError, ToolOutput, clock};

/// Middleware that limits the call rate with a token bucket. A burst may use all tokens; they are refilled one by one. All
/// clones share their tokens.
///
/// # Errors
/// Further calls fail with [`ErrorCode::RateLimited`] and the time after which the next call may run, or wait if
/// [`RateLimit::waiting`] permits it.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::Registry;
/// use tool_core::middleware::RateLimit;
///
/// let registry = Registry::builder()
///     .middleware(RateLimit::new(10, Duration::from_secs(60)).only(["web_search"]))
///     .middleware(RateLimit::new(5, Duration::from_secs(1)).per_tool().waiting(Duration::from_secs(2)))
///     .build();
/// assert!(registry.list().is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct RateLimit {
    calls: u32,
    time: Duration,
    per_tool: bool,
    only: Option<BTreeSet<String>>,
    longest_wait: Duration,
    buckets: Arc<Mutex<HashMap<String, Bucket>>>,
}

/// A token bucket, represented by the time at which it will be full.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    full_at: Instant,
}

impl RateLimit {
    /// Allows `calls` calls per `time`. Zero is treated as one.
    #[must_use]
    pub fn new(calls: u32, time: Duration) -> Self {
        Self {
            calls: calls.max(1),
            time,
            per_tool: false,
            only: None,
            longest_wait: Duration::ZERO,
            buckets: Arc::default(),
        }
    }

    /// Applies the limit to each tool separately.
    #[must_use]
    pub fn per_tool(mut self) -> Self {
        self.per_tool = true;
        self
    }

    /// Applies the limit only to these tools.
    #[must_use]
    pub fn only<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.only = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the maximum time that a call waits for its token. It never waits beyond its deadline.
    #[must_use]
    pub fn waiting(mut self, longest: Duration) -> Self {
        self.longest_wait = longest;
        self
    }

    fn bounds(&self, cx: &ToolContext) -> bool {
        let names = [cx.tool_name(), cx.registered_name()];
        self.only
            .as_ref()
            .is_none_or(|only| names.iter().any(|name| only.contains(*name)))
    }

    /// Takes a token and returns the time until it is available, or returns that time as an error if it is too long.
    fn take(&self, cx: &ToolContext) -> Result<Duration, Duration> {
        let key = if self.per_tool {
            cx.registered_name()
        } else {
            ""
        };
        let now = clock::now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets
            .entry(key.to_owned())
            .or_insert(Bucket { full_at: now });
        let (wait, full_at) = bucket.after_one(now, self.calls, self.time);
        let fits = |deadline| now.checked_add(wait).is_some_and(|start| start < deadline);
        if wait <= self.longest_wait && (wait.is_zero() || cx.deadline().is_none_or(fits)) {
            bucket.full_at = full_at;
            Ok(wait)
        } else {
            Err(wait)
        }
    }

    fn refused(&self, tool: &str, wait: Duration) -> ToolError {
        let calls = if self.calls == 1 { "call" } else { "calls" };
        let of = if self.per_tool {
            format!(" of `{tool}`")
        } else {
            String::new()
        };
        let time = duration_text(self.time);
        let limit = format!("At most {} {calls}{of} may run in {time}", self.calls);
        ToolError::new(ErrorCode::RateLimited, limit)
            .suggest(format!(
                "Wait {}, or continue without it.",
                duration_text(rounded_up(wait))
            ))
            .with_retry_after(wait)
    }
}

impl Bucket {
    /// Returns the delay of the next call, and the time at which the bucket is full after it.
    fn after_one(self, now: Instant, calls: u32, time: Duration) -> (Duration, Instant) {
        let one = time / calls;
        let full_at = self.full_at.max(now).checked_add(one).unwrap_or(now);
        let missing = full_at.duration_since(now);
        (missing.saturating_sub(one.saturating_mul(calls)), full_at)
    }
}

/// Rounds up to seconds, or to milliseconds below one second.
fn rounded_up(wait: Duration) -> Duration {
    let unit = Duration::from_millis(if wait < Duration::from_secs(1) {
        1
    } else {
        1000
    });
    let units = wait.as_nanos().div_ceil(unit.as_nanos());
    unit.saturating_mul(u32::try_from(units).unwrap_or(u32::MAX))
}

#[async_trait]
impl Middleware for RateLimit {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        let tool = call.context().tool_name();
        if self.bounds(call.context()) {
            let wait = self
                .take(call.context())
                .map_err(|wait| self.refused(tool, wait))?;
            if !wait.is_zero() {
                call.context().reports().suspend_idle_timeout(wait);
                tokio::time::sleep(wait).await;
            }
        }
        next.run(call).await
    }
}
