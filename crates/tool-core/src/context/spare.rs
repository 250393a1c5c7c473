//! A context that no call uses any more, kept for the next one: most calls need not ask the allocator for theirs.

use std::cell::Cell;
use std::sync::Arc;

use super::Inner;

thread_local! {
    static SPARE: Cell<Option<Arc<Inner>>> = const { Cell::new(None) };
}

/// What was kept. A tool may hold it still.
#[inline]
pub(super) fn take() -> Option<Arc<Inner>> {
    let mut kept = None;
    // A thread that ends has kept nothing.
    let _ = SPARE.try_with(|spare| kept = spare.take());
    kept
}

/// Keeps one context for each thread.
#[inline]
pub(super) fn keep(inner: Arc<Inner>) {
    let _ = SPARE.try_with(|spare| spare.set(Some(inner)));
}
