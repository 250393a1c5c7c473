//! Clock that follows tokio's clock.

use std::time::Duration;

use tokio::time::Instant;
use tool_core::Timestamp;
use tool_core::clock::Clock;

/// Wall clock that advances with tokio's clock. If time is paused, it advances only with
/// `tokio::time::advance` and timers.
///
/// Timeouts, delays and expiry times in `tool-core` use tokio's clock too, so one `advance` moves
/// all of them.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::clock::Clock;
/// use tool_core::Registry;
/// use tool_test::FakeClock;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// let clock = FakeClock::at("2025-11-10T23:59:00Z");
/// let registry = Registry::builder().clock(clock).build();
///
/// tokio::time::advance(Duration::from_secs(90)).await;
/// assert_eq!(clock.now().to_string(), "2025-11-11T00:00:30.000Z");
/// # let _ = registry;
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FakeClock {
    begin: Timestamp,
    began_at: Instant,
}

impl FakeClock {
    /// Creates a clock that starts at an RFC 3339 time.
    ///
    /// # Panics
    /// Panics if `time` is not a valid RFC 3339 time.
    #[must_use]
    #[track_caller]
    pub fn at(time: &str) -> Self {
        let begin = Timestamp::parse(time);
        assert!(begin.is_some(), "`{time}` is not an RFC 3339 time");
        Self {
            begin: begin.unwrap_or_else(Timestamp::now),
            began_at: Instant::now(),
        }
    }

    /// Returns the time since the clock was created.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.began_at.elapsed()
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        self.begin.after(self.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::approval::{Answer, Policy, Rule, Verdict};
    use tool_core::{Registry, RiskLevel};

    use super::*;
    use crate::{FakeApprover, ScriptedTool, Step};

    #[tokio::test(start_paused = true)]
    async fn wall_clock_and_durations_advance_together() {
        let clock = FakeClock::at("2025-11-10T10:00:00Z");
        let slow = ScriptedTool::new("slow", [Step::gives("done").after(Duration::from_secs(30))]);
        let registry = Registry::builder().clock(clock).tool(slow).unwrap().build();
        tokio::time::advance(Duration::from_mins(5)).await;

        let metadata = registry.execute("slow", json!({})).await.metadata;

        assert_eq!(metadata.start_time.to_string(), "2025-11-10T10:05:00.000Z");
        assert_eq!(metadata.end_time, clock.now());
        assert_eq!(metadata.execution_time, Duration::from_secs(30));
    }

    #[tokio::test(start_paused = true)]
    async fn rules_and_approvals_use_fake_clock() {
        let clock = FakeClock::at("2025-11-10T10:00:00Z");
        let soon = clock.now().after(Duration::from_mins(1));
        let allowed = Rule::new("for-a-minute", "delete", Verdict::Allow).until(soon);
        let approver = FakeApprover::new([Answer::Approve]).after(Duration::from_secs(31));
        let delete = ScriptedTool::new("delete", [Step::gives("gone")]);
        let registry = Registry::builder()
            .clock(clock)
            .policy(Policy::default().with_rule(allowed))
            .approver(approver.clone())
            .approval_expiry(Duration::from_secs(30))
            .tool(delete.risk(RiskLevel::Dangerous))
            .unwrap()
            .build();

        let while_allowed = registry.execute("delete", json!({})).await;
        tokio::time::advance(Duration::from_mins(1)).await;
        let explained = registry.explain("delete", &json!({}).into()).unwrap();
        let later = registry.execute("delete", json!({})).await;

        assert_eq!(while_allowed.to_string(), "gone");
        assert_eq!(explained.verdict, Verdict::Ask);
        assert!(
            later.to_string().contains("approval has expired"),
            "{later}"
        );
        let request = &approver.requests()[0];
        assert_eq!(request.requested_at, soon);
        assert_eq!(
            request.expires_at,
            Some(soon.after(Duration::from_secs(30)))
        );
    }

    #[test]
    #[should_panic(expected = "`noon` is not an RFC 3339 time")]
    fn panics_on_invalid_time() {
        let _ = FakeClock::at("noon");
    }
}
