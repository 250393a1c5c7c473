//! Concurrent calls of one turn.

use std::collections::HashMap;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::task::{Id, JoinError, JoinSet};
use tracing::Instrument;

use super::Registry;
use super::handle::lost;
use crate::cancellation::CancelOnDrop;
use crate::{CallOptions, ToolCall, ToolResult};

/// Minimum bound on the calls in progress; the registry's maximum of parallel calls if that is greater.
const IN_PROGRESS: usize = 256;

/// The calls of one turn.
pub(super) struct Batch {
    registry: Registry,
    calls: Vec<ToolCall>,
    options: CallOptions,
}

impl Batch {
    pub(super) fn new(registry: Registry, calls: Vec<ToolCall>, options: &CallOptions) -> Self {
        let token = options.cancellation.child();
        let mut options = options.clone().with_cancellation(token);
        options.is_of_turn = true;
        Self {
            registry,
            calls,
            options,
        }
    }

    /// Returns one result per call, in order. Calls become tasks when they may start.
    ///
    /// Each call is polled here first, up to its place in the line of calls that touch the same thing, because tasks start in
    /// any order: the last spawned task of a worker runs first.
    pub(super) async fn execute(self, parallel: usize) -> Vec<ToolResult> {
        // A batch of thousands of calls should not have thousands of tasks.
        let in_progress = parallel.max(IN_PROGRESS);
        let batch = Arc::new(self);
        let mut cancel_on_drop = CancelOnDrop(Some(&batch.options.cancellation));
        let mut results = Results::new(batch.calls.len());
        let mut tasks = JoinSet::new();
        let mut places = 0..batch.calls.len();
        loop {
            while tasks.len() < in_progress
                && let Some(place) = places.next()
            {
                // Polled here first: calls that only compute need no task, and all join the queue in the order of the
                // model.
                let mut work = Box::pin(Arc::clone(&batch).call(place).in_current_span());
                let poll = |cx: &mut Context<'_>| {
                    Poll::Ready(catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))))
                };
                let task = match poll_fn(poll).await {
                    Ok(Poll::Ready(result)) => {
                        results.put(place, result);
                        continue;
                    }
                    Ok(Poll::Pending) => tasks.spawn(work),
                    Err(panic) => tasks.spawn(async { resume_unwind(panic) }),
                };
                results.started(task.id(), place);
            }
            match tasks.join_next_with_id().await {
                Some(ended) => results.take(ended),
                None => break,
            }
        }
        cancel_on_drop.0 = None;
        results.in_order(&batch.calls)
    }

    async fn call(self: Arc<Self>, place: usize) -> Option<ToolResult> {
        let call = self.calls.get(place)?;
        Some(self.registry.execute_call(call, &self.options).await)
    }
}

/// Results so far, by the position of their call.
struct Results {
    places: HashMap<Id, usize>,
    results: Vec<Option<Result<ToolResult, JoinError>>>,
}

impl Results {
    fn new(calls: usize) -> Self {
        Self {
            places: HashMap::new(),
            results: (0..calls).map(|_| None).collect(),
        }
    }

    fn started(&mut self, task: Id, place: usize) {
        self.places.insert(task, place);
    }

    fn put(&mut self, place: usize, result: Option<ToolResult>) {
        if let Some(known) = self.results.get_mut(place) {
            *known = result.map(Ok);
        }
    }

    fn take(&mut self, ended: Result<(Id, Option<ToolResult>), JoinError>) {
        let (task, result) = match ended {
            Ok((task, result)) => (task, result.map(Ok)),
            Err(error) => (error.id(), Some(Err(error))),
        };
        let place = self.places.remove(&task);
        if let Some(known) = place.and_then(|place| self.results.get_mut(place)) {
            *known = result;
        }
    }

    fn in_order(self, calls: &[ToolCall]) -> Vec<ToolResult> {
        let result = |(call, result): (&ToolCall, Option<_>)| match result {
            Some(Ok(result)) => result,
            Some(Err(error)) => lost(&call.id, &call.name, Some(error)),
            None => lost(&call.id, &call.name, None),
        };
        calls.iter().zip(self.results).map(result).collect()
    }
}
