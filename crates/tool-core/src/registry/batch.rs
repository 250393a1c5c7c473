//! Concurrent calls of one turn.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use tokio::task::JoinSet;
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
    pub(super) async fn execute(self) -> Vec<ToolResult> {
        // A batch of thousands of calls should not have thousands of tasks.
        let in_progress = self.registry.parallel_calls().max(IN_PROGRESS);
        let batch = Arc::new(self);
        let mut cancel_on_drop = CancelOnDrop(Some(&batch.options.cancellation));
        let mut results: Vec<Option<ToolResult>> = batch.calls.iter().map(|_| None).collect();
        let mut tasks = JoinSet::new();
        let mut places = 0..batch.calls.len();
        loop {
            while tasks.len() < in_progress
                && let Some(place) = places.next()
            {
                // Polled here first: calls that only compute need no task, and all join the queue in the order of the
                // model.
                let mut work = Box::pin(Arc::clone(&batch).call(place).in_current_span());
                match poll_fn(|task| Poll::Ready(work.as_mut().poll(task))).await {
                    Poll::Ready(result) => put(&mut results, result),
                    Poll::Pending => drop(tasks.spawn(work)),
                }
            }
            match tasks.join_next().await {
                Some(Ok(result)) => put(&mut results, result),
                Some(Err(_)) => {}
                None => break,
            }
        }
        cancel_on_drop.0 = None;
        let calls = batch.calls.iter().zip(results);
        calls
            .map(|(call, result)| result.unwrap_or_else(|| lost(&call.id, &call.name)))
            .collect()
    }

    async fn call(self: Arc<Self>, place: usize) -> Option<(usize, ToolResult)> {
        let call = self.calls.get(place)?;
        let result = self.registry.execute_guarded(call, &self.options).await;
        Some((place, result))
    }
}

fn put(results: &mut [Option<ToolResult>], ended: Option<(usize, ToolResult)>) {
    if let Some((place, result)) = ended
        && let Some(known) = results.get_mut(place)
    {
        *known = Some(result);
    }
}
