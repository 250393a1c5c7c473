//! The calls of one turn, side by side.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::{Id, JoinError, JoinSet};
use tracing::Instrument;

use super::Snapshot;
use super::handle::lost;
use crate::{CallOptions, CancellationToken, ToolCall, ToolResult};

/// Calls of one batch that are under way at once; more where the registry lets more run side by side.
const UNDER_WAY: usize = 256;

/// The calls of one turn.
pub(super) struct Batch {
    snapshot: Snapshot,
    calls: Vec<ToolCall>,
    options: CallOptions,
}

impl Batch {
    pub(super) fn new(snapshot: Snapshot, calls: Vec<ToolCall>, options: &CallOptions) -> Self {
        let token = options.cancellation.child();
        let options = options.clone().with_cancellation(token);
        Self {
            snapshot,
            calls,
            options,
        }
    }

    /// One result for each call, in order. Calls that are not under way yet are not even tasks.
    pub(super) async fn execute(self, parallel: usize) -> Vec<ToolResult> {
        let under_way = parallel.max(UNDER_WAY);
        let batch = Arc::new(self);
        let mut unfinished = Unfinished(Some(batch.options.cancellation.clone()));
        let mut results = Results::new(batch.calls.len());
        let mut tasks = JoinSet::new();
        let mut places = 0..batch.calls.len();
        loop {
            for place in places.by_ref().take(under_way - tasks.len()) {
                let work = Arc::clone(&batch).call(place).in_current_span();
                results.started(tasks.spawn(work).id(), place);
            }
            match tasks.join_next_with_id().await {
                Some(ended) => results.take(ended),
                None => break,
            }
        }
        unfinished.0 = None;
        results.in_order(&batch.calls)
    }

    async fn call(self: Arc<Self>, place: usize) -> Option<ToolResult> {
        let call = self.calls.get(place)?;
        Some(self.snapshot.execute_call(call, &self.options).await)
    }
}

/// The results so far, by the place of their call.
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
        let answer = |(call, result): (&ToolCall, Option<_>)| match result {
            Some(Ok(result)) => result,
            Some(Err(error)) => lost(&call.id, &call.name, Some(error)),
            None => lost(&call.id, &call.name, None),
        };
        calls.iter().zip(self.results).map(answer).collect()
    }
}

/// Tells the calls of a batch that nobody waits for them any more.
struct Unfinished(Option<CancellationToken>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(token) = &self.0 {
            token.cancel();
        }
    }
}
