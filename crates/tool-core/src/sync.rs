//! Synchronization primitives of [`places`](crate::places). `tests/loom.rs` replaces them by models.

use std::sync::atomic::Ordering::Relaxed;

pub(crate) use std::sync::atomic::AtomicUsize;
pub(crate) use tokio::sync::{Mutex, Notify};

/// Returns a number that differs between the first `usize::MAX` threads.
#[inline]
pub(crate) fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Relaxed);
    }
    OWN.with(|own| *own)
}
