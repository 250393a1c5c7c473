//! Limits on the number of calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{Call, Middleware, Next};
use crate::{ErrorCode, ToolContext, ToolError, ToolOutput};

/// Number of calls, per tool and in total. All clones share one count.
///
/// In the [extensions](crate::Extensions) of calls, it counts only these calls, such as the calls of a turn, a conversation
/// or a user.
///
/// # Examples
/// ```
/// use tool_core::middleware::CallCount;
/// use tool_core::{CallOptions, Extensions};
///
/// let turn = CallCount::new();
/// let options = CallOptions::default().with_extensions(Extensions::default().with(turn.clone()));
/// assert_eq!(turn.total(), 0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallCount(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    total: u32,
    by_tool: HashMap<String, u32>,
}

impl CallCount {
    /// Creates a count of zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the total number of calls.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.counts().total
    }

    /// Returns the number of calls of a tool.
    #[must_use]
    pub fn of(&self, tool: &str) -> u32 {
        self.counts().of(tool)
    }

    /// Resets the count to zero.
    pub fn reset(&self) {
        *self.counts() = Counts::default();
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn of(&self, tool: &str) -> u32 {
        self.by_tool.get(tool).copied().unwrap_or_default()
    }

    fn add(&mut self, shown: &str, own: &str) {
        self.total = self.total.saturating_add(1);
        let other = (shown != own).then_some(own);
        for name in std::iter::once(shown).chain(other) {
            let count = self.by_tool.entry(name.to_owned()).or_default();
            *count = count.saturating_add(1);
        }
    }
}

/// Middleware that limits the number of calls: in total, per tool, or of one tool.
///
/// Only calls that are about to run count; calls rejected by the policy or by this limit do not. A call counts in the
/// [`CallCount`] of its extensions, else in that of the limit.
///
/// # Errors
/// Further calls fail with [`ErrorCode::CallLimitReached`], which is not retryable.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_core::middleware::CallLimit;
///
/// let limit = CallLimit::new().total(50).per_tool(20).tool("web_search", 3);
/// let count = limit.count().clone();
/// let registry = Registry::builder().middleware(limit).build();
/// count.reset();
/// assert!(registry.list().is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallLimit {
    total: Option<u32>,
    per_tool: Option<u32>,
    tools: HashMap<String, u32>,
    count: CallCount,
}

impl CallLimit {
    /// Creates a limit that accepts all calls.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum total number of calls.
    #[must_use]
    pub fn total(mut self, calls: u32) -> Self {
        self.total = Some(calls);
        self
    }

    /// Sets the maximum number of calls of each tool without its own limit.
    #[must_use]
    pub fn per_tool(mut self, calls: u32) -> Self {
        self.per_tool = Some(calls);
        self
    }

    /// Sets the maximum number of calls of one tool.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>, calls: u32) -> Self {
        self.tools.insert(name.into(), calls);
        self
    }

    /// Returns the count of calls without their own.
    #[must_use]
    pub fn count(&self) -> &CallCount {
        &self.count
    }

    /// Counts a call by its shown name and by its registered name, which covers calls through all views.
    fn admit(&self, count: &CallCount, cx: &ToolContext) -> Result<(), ToolError> {
        let (shown, own) = (cx.tool_name(), cx.registered_name());
        let mut counts = count.counts();
        if let Some(most) = self.total.filter(|most| counts.total >= *most) {
            return Err(reached(format!("The call limit ({most}) is reached")));
        }
        let of_shown = self.tools.get(shown).copied();
        let of_own = self.tools.get(own).copied();
        let per_tool = self.per_tool.filter(|_| of_shown.or(of_own).is_none());
        let limits = [(shown, of_shown), (own, of_own), (own, per_tool)];
        for (name, most) in limits {
            if let Some(most) = most.filter(|most| counts.of(name) >= *most) {
                return Err(reached(format!(
                    "The call limit of `{shown}` ({most}) is reached"
                )));
            }
        }
        counts.add(shown, own);
        Ok(())
    }
}

fn reached(sentence: String) -> ToolError {
    ToolError::new(ErrorCode::CallLimitReached, sentence)
        .suggest("Do not repeat the call; continue with the results that you have.")
}

#[async_trait]
impl Middleware for CallLimit {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        let cx = call.context();
        self.admit(cx.extension().unwrap_or(&self.count), cx)?;
        next.run(call).await
    }
}
