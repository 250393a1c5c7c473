//! The clocks of a call that runs: how long it may take in all, and how long it may say nothing.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::stop::Stop;
use crate::ToolContext;
use crate::reports::Reports;

/// Until when a clock runs whose time cannot be counted.
const FAR: Duration = Duration::from_hours(30 * 365 * 24);

/// The clocks of one call, on one timer.
pub(super) struct Watch<'c> {
    timer: Pin<Box<Sleep>>,
    timeout: Duration,
    ends: Instant,
    idle: Option<Idle<'c>>,
}

struct Idle<'c> {
    timeout: Duration,
    reports: &'c Reports,
}

impl<'c> Watch<'c> {
    /// Starts both clocks; without `idle`, the call may be silent for ever.
    pub(super) fn start(cx: &'c ToolContext, timeout: Duration, idle: Option<Duration>) -> Self {
        let now = Instant::now();
        let ends = later(now, timeout);
        let idle = idle.map(|timeout| {
            let reports = cx.reports();
            reports.spoke();
            Idle { timeout, reports }
        });
        let first = idle.as_ref().map_or(ends, |idle| idle.ends().min(ends));
        Self {
            timer: Box::pin(sleep_until(first)),
            timeout,
            ends,
            idle,
        }
    }

    /// Ready when the call has run out of time.
    pub(super) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Stop> {
        loop {
            ready!(self.timer.as_mut().poll(task));
            let now = Instant::now();
            let idle = self.idle.as_ref().filter(|_| now < self.ends);
            let Some(idle) = idle else {
                return Poll::Ready(Stop::TimedOut(self.timeout));
            };
            // A report does not touch the timer: it is looked at when the timer ends.
            let quiet_until = idle.ends();
            if quiet_until <= now {
                return Poll::Ready(Stop::Silent(idle.timeout));
            }
            self.timer.as_mut().reset(quiet_until.min(self.ends));
        }
    }
}

impl Idle<'_> {
    fn ends(&self) -> Instant {
        later(self.reports.last(), self.timeout)
    }
}

fn later(since: Instant, time: Duration) -> Instant {
    since.checked_add(time.min(FAR)).unwrap_or(since)
}
