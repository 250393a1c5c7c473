//! How many calls may wait for their turn.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crate::{ErrorCode, ToolError};

/// How many calls may wait for their turn. Only calls that do wait are counted, so the others share nothing.
pub(super) struct Queue {
    waiting: AtomicUsize,
    most: usize,
}

impl Queue {
    pub(super) fn new(most: usize) -> Self {
        Self {
            waiting: AtomicUsize::new(0),
            most,
        }
    }

    /// Counts one more call that waits, until what this gives is dropped.
    pub(super) fn join(&self) -> Result<Waiting<'_>, ToolError> {
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Relaxed) < self.most {
            return Ok(waiting);
        }
        let refusal = ToolError::new(
            ErrorCode::RateLimited,
            "The call was not run, because too many calls wait for their turn already",
        );
        Err(refusal.suggest(
            "Nothing was changed. Wait for other calls to end, and make fewer calls at once.",
        ))
    }
}

/// One call that waits.
pub(super) struct Waiting<'q>(&'q AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_refuses_and_has_room_again_when_one_leaves() {
        let queue = Queue::new(2);
        let (first, _second) = (queue.join().unwrap(), queue.join().unwrap());

        let refused = queue.join().err().unwrap();

        assert_eq!(refused.code(), &ErrorCode::RateLimited);
        assert!(refused.retryable());
        drop(first);
        assert!(queue.join().is_ok());
    }
}
