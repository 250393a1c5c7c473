//! The shared state of a context's clones. Its allocation is reused, so most calls do not allocate
//! one.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

pub(super) use std::sync::Arc;

use super::Host;
use super::reporting::Collected;
use crate::{CancellationToken, SmolStr};

thread_local! {
    /// The state of a finished call, with no other owner.
    static SPARE: Cell<Option<Arc<Shared>>> = const { Cell::new(None) };
}

/// The shared state of a context's clones.
pub(super) struct Shared {
    pub(super) call_id: SmolStr,
    pub(super) tool_name: SmolStr,
    pub(super) cancellation: CancellationToken,
    pub(super) created: Instant,
    /// Nanoseconds from `created` to the deadline. Zero means no deadline.
    pub(super) deadline: AtomicU64,
    pub(super) host: Option<Box<Host>>,
    /// Created by the tool's first report.
    pub(super) collected: OnceLock<Box<Collected>>,
}

impl Shared {
    /// Keeps the state of a new call, in a spare allocation if there is one.
    #[inline]
    pub(super) fn kept(self) -> Arc<Self> {
        if let Some(mut spare) = take()
            && let Some(free) = Arc::get_mut(&mut spare)
        {
            *free = self;
            return spare;
        }
        Arc::new(self)
    }

    /// Keeps the allocation for a later call, unless it has other owners or the call created
    /// reports, host values or child tokens.
    #[inline]
    pub(super) fn give_back(this: Arc<Self>) {
        let is_bare =
            this.host.is_none() && this.collected.get().is_none() && this.cancellation.is_alone();
        if is_bare && Arc::strong_count(&this) == 1 {
            // Fails if the thread is exiting, which drops the allocation.
            let _ = SPARE.try_with(|spare| spare.set(Some(this)));
        }
    }
}

/// Takes the spare allocation.
#[inline]
pub(super) fn take() -> Option<Arc<Shared>> {
    let mut kept = None;
    let _ = SPARE.try_with(|spare| kept = spare.take());
    kept
}
