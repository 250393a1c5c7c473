//! Step 7: waits until the call may run next to the calls that already run.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};

use super::stop::cancelled_before_run;
use crate::catalog::Entry;
use crate::places::{All, Place, Places};
use crate::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, Touches, clock};

/// Runs calls concurrently up to a bound, except that calls which touch the same thing wait for each other, and an
/// exclusive call runs alone. A tool may have its own bound.
pub(crate) struct Gate {
    places: Places,
    turns: Turns,
    /// Places of queued calls. Calls that run immediately do not touch it.
    queue: Semaphore,
}

impl Gate {
    pub(crate) fn new(parallel: usize, waiting: usize) -> Self {
        Self {
            places: Places::new(parallel),
            turns: Turns::default(),
            queue: Semaphore::new(waiting.min(Semaphore::MAX_PERMITS)),
        }
    }

    /// Returns the maximum number of concurrent calls.
    pub(crate) fn parallel(&self) -> usize {
        self.places.count()
    }

    /// Returns a permit if the call need not wait. Calls that touch nothing never reach the shared table of turns.
    #[inline]
    pub(super) fn try_enter<'g>(&'g self, entry: &'g Entry, plan: &CallPlan) -> Option<Permit<'g>> {
        if !plan.touches.is_empty() || runs_one_at_a_time(entry, plan) {
            return None;
        }
        let mut permit = Permit::default();
        if let Some(places) = entry.places() {
            // The place of the tool first: if there is none, no place of the registry is taken in vain.
            permit.own = Some(places.try_one()?);
        }
        permit.one = Some(self.places.try_one()?);
        Some(permit)
    }

    /// Waits for a permit. Also returns the time in the queue.
    pub(super) async fn enter<'g>(
        &'g self,
        entry: &'g Entry,
        cx: &ToolContext,
        plan: &CallPlan,
    ) -> (Duration, Result<Permit<'g>, ToolError>) {
        let mut permit = pin!(self.permit(entry, plan));
        // Only a call that finds no free place counts as queued.
        let first = poll_fn(|task| Poll::Ready(permit.as_mut().poll(task))).await;
        if let Poll::Ready(permit) = first {
            return (Duration::ZERO, Ok(permit));
        }
        let Ok(_queued) = self.queue.try_acquire() else {
            return (Duration::ZERO, Err(too_many()));
        };
        let since = clock::now();
        let permit = cx.cancellation().run_until_cancelled(permit).await;
        let time = clock::now().duration_since(since);
        (time, permit.ok_or_else(cancelled_before_run))
    }

    /// Waits for what the call touches, then for a place of the tool, then for a shared place. In this order, a waiting
    /// call holds nothing that calls of other tools and files could use.
    async fn permit<'g>(&'g self, entry: &'g Entry, plan: &CallPlan) -> Permit<'g> {
        let mut permit = Permit::default();
        let touches = if runs_one_at_a_time(entry, plan) {
            CallPlan::of(plan.risk)
                .uses(format!("tool {}", entry.name()))
                .touches
        } else {
            plan.touches.clone()
        };
        // The turn first: a call that waits for another one must not hold a place.
        if !touches.is_empty() {
            permit.turn = Some(self.turns.wait(touches).await);
        }
        if plan.touches.is_exclusive() {
            permit.all = Some(self.places.all().await);
            return permit;
        }
        if let Some(places) = entry.places() {
            permit.own = Some(places.one().await);
        }
        permit.one = Some(self.places.one().await);
        permit
    }
}

/// Returns `true` for a call that may do anything and says nothing about it. Of such a tool, two calls at once are as
/// likely to be a mistake as not. A tool with its own bound has said how many may run.
#[inline]
fn runs_one_at_a_time(entry: &Entry, plan: &CallPlan) -> bool {
    // We do not know what such a call touches, so it could interfere with another one of the same tool.
    let may_do_anything = match plan.risk {
        RiskLevel::ReadOnly => false,
        RiskLevel::SafeWrite => entry.definition().source().is_some(),
        RiskLevel::Dangerous => true,
    };
    may_do_anything && plan.touches.is_empty() && entry.places().is_none()
}

fn too_many() -> ToolError {
    ToolError::new(
        ErrorCode::RateLimited,
        "The call was not run, because too many calls are already queued",
    )
    .suggest("Nothing was changed. Wait for other calls to finish, and make fewer calls at once.")
}

/// Permission to run, released on drop.
#[derive(Default)]
pub(super) struct Permit<'g> {
    one: Option<Place<'g>>,
    all: Option<All<'g>>,
    /// Place of a tool with its own bound.
    own: Option<Place<'g>>,
    turn: Option<Turn<'g>>,
}

/// Calls that touch something, running and waiting, oldest first.
///
/// A call waits for the older calls that it conflicts with, even if they wait themselves. So a write is not overtaken by
/// reads for as long as reads keep coming, and the calls of one turn run in the model's order.
#[derive(Default)]
pub(super) struct Turns(Mutex<Line>);

#[derive(Default)]
struct Line {
    next: u64,
    calls: VecDeque<Call>,
}

struct Call {
    number: u64,
    touches: Touches,
    /// Notified when no older call conflicts with this one.
    free: Arc<Notify>,
}

impl Turns {
    /// Waits until no older call touches the same thing.
    pub(super) async fn wait(&self, touches: Touches) -> Turn<'_> {
        let free = Arc::new(Notify::new());
        let (number, is_free) = self.line().join(touches, Arc::clone(&free));
        // Created before the wait, so that a call that is dropped while it waits leaves the line.
        let turn = Turn {
            turns: self,
            number,
        };
        if !is_free {
            free.notified().await;
        }
        turn
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    /// Appends a call. Returns its number, and whether it need not wait.
    fn join(&mut self, touches: Touches, free: Arc<Notify>) -> (u64, bool) {
        let number = self.next;
        self.next += 1;
        // From the newest, which most likely conflicts.
        let is_free = is_free(&touches, self.calls.iter().rev());
        self.calls.push_back(Call {
            number,
            touches,
            free,
        });
        (number, is_free)
    }

    fn leave(&mut self, number: u64) {
        let Ok(place) = self.calls.binary_search_by_key(&number, |call| call.number) else {
            return;
        };
        let Some(left) = self.calls.remove(place) else {
            return;
        };
        for (later, call) in self.calls.iter().enumerate().skip(place) {
            if call.touches.conflicts_with(&left.touches)
                && is_free(&call.touches, self.calls.iter().take(later))
            {
                call.free.notify_one();
            }
            // Later calls that waited for the one that left also wait for its like. Without this, ten thousand calls of one
            // file would each look at all others.
            if call.touches == left.touches {
                break;
            }
        }
    }
}

fn is_free<'c>(touches: &Touches, mut older: impl Iterator<Item = &'c Call>) -> bool {
    !older.any(|call| call.touches.conflicts_with(touches))
}

/// The turn of a call, until dropped.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    number: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.line().leave(self.number);
    }
}

#[cfg(test)]
mod tests;
