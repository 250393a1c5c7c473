//! Timers of a running call: the timeout and the idle timeout.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::stop::StopReason;
use crate::ToolContext;
use crate::reports::Reports;

/// Upper bound of a timeout, because the clock cannot represent every duration.
const FAR: Duration = Duration::from_hours(30 * 365 * 24);

/// Both timeouts of a call on one timer.
pub(super) struct Watch<'c> {
    timer: Pin<Box<Sleep>>,
    timeout: Duration,
    deadline: Instant,
    idle: Option<(Duration, &'c Reports)>,
}

impl<'c> Watch<'c> {
    /// Starts the timer. Without `idle`, the call may be silent until its timeout.
    pub(super) fn start(cx: &'c ToolContext, timeout: Duration, idle: Option<Duration>) -> Self {
        let deadline = later(Instant::now(), timeout);
        let idle = idle.map(|timeout| {
            let reports = cx.reports();
            reports.restart_idle_timeout();
            (timeout, reports.as_ref())
        });
        let first = idle.map_or(deadline, |idle| idle_deadline(idle).min(deadline));
        Self {
            timer: Box::pin(sleep_until(first)),
            timeout,
            deadline,
            idle,
        }
    }

    /// Is ready if a timeout has passed.
    pub(super) fn poll(&mut self, task: &mut Context<'_>) -> Poll<StopReason> {
        loop {
            ready!(self.timer.as_mut().poll(task));
            let now = Instant::now();
            let Some(idle) = self.idle.filter(|_| now < self.deadline) else {
                return Poll::Ready(StopReason::TimedOut(self.timeout));
            };
            // A report does not reset the timer; read the last one when the timer fires.
            let next = idle_deadline(idle);
            if next <= now {
                return Poll::Ready(StopReason::Silent(idle.0));
            }
            self.timer.as_mut().reset(next.min(self.deadline));
        }
    }
}

fn idle_deadline((timeout, reports): (Duration, &Reports)) -> Instant {
    later(reports.last(), timeout)
}

fn later(since: Instant, time: Duration) -> Instant {
    since.checked_add(time.min(FAR)).unwrap_or(since)
}
