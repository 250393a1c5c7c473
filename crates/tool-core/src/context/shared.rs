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
    /// Creates the state of a new call, in a spare allocation if there is one.
    #[inline]
    pub(super) fn of_call(
        call_id: &SmolStr,
        tool_name: &SmolStr,
        cancellation: CancellationToken,
        host: Option<Box<Host>>,
        created: Instant,
    ) -> Arc<Self> {
        let mut shared = take().unwrap_or_else(|| Arc::new(Self::blank(created)));
        if let Some(free) = Arc::get_mut(&mut shared) {
            free.begin(call_id, tool_name, cancellation, host, created);
        } else {
            // Unreachable, because a spare allocation has one owner; the types cannot express this.
            let mut free = Self::blank(created);
            free.begin(call_id, tool_name, cancellation, host, created);
            shared = Arc::new(free);
        }
        shared
    }

    /// Creates a state without a call.
    fn blank(created: Instant) -> Self {
        Self {
            call_id: SmolStr::default(),
            tool_name: SmolStr::default(),
            cancellation: CancellationToken::new(),
            created,
            deadline: AtomicU64::new(0),
            host: None,
            collected: OnceLock::new(),
        }
    }

    /// Resets the state for a new call. Assigns each field in place, to avoid a move.
    #[inline]
    fn begin(
        &mut self,
        call_id: &SmolStr,
        tool_name: &SmolStr,
        cancellation: CancellationToken,
        host: Option<Box<Host>>,
        created: Instant,
    ) {
        self.call_id.clone_from(call_id);
        self.tool_name.clone_from(tool_name);
        self.cancellation = cancellation;
        self.created = created;
        *self.deadline.get_mut() = 0;
        self.host = host;
        self.collected = OnceLock::new();
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
