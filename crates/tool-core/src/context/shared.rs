//! What the clones of a context share, and its room, which is used again: most calls need not ask the allocator for theirs.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

pub(super) use std::sync::Arc;

use super::host::Host;
use super::spoken::Spoken;
use crate::{CancellationToken, ShortText};

thread_local! {
    /// That of a call that has ended, which nobody else has.
    static SPARE: Cell<Option<Arc<Shared>>> = const { Cell::new(None) };
}

/// What the clones of a context share.
pub(super) struct Shared {
    pub(super) call_id: ShortText,
    pub(super) tool_name: ShortText,
    pub(super) cancellation: CancellationToken,
    pub(super) created: Instant,
    /// Nanoseconds from `created` to the deadline; 0 while there is none.
    pub(super) deadline: AtomicU64,
    pub(super) host: Option<Box<Host>>,
    /// Made when the tool first says something.
    pub(super) spoken: OnceLock<Box<Spoken>>,
}

impl Shared {
    /// That of a call which begins, in the room of one that has ended, if there is one.
    #[inline]
    pub(super) fn of_call(
        call_id: &ShortText,
        tool_name: &ShortText,
        cancellation: CancellationToken,
        host: Option<Box<Host>>,
        created: Instant,
    ) -> Arc<Self> {
        let mut shared = take().unwrap_or_else(|| Arc::new(Self::blank(created)));
        if let Some(free) = Arc::get_mut(&mut shared) {
            free.begin(call_id, tool_name, cancellation, host, created);
        } else {
            // Only what nobody else has is kept, so that this is never so; no type says it.
            let mut free = Self::blank(created);
            free.begin(call_id, tool_name, cancellation, host, created);
            shared = Arc::new(free);
        }
        shared
    }

    /// Of no call yet.
    fn blank(created: Instant) -> Self {
        Self {
            call_id: ShortText::default(),
            tool_name: ShortText::default(),
            cancellation: CancellationToken::new(),
            created,
            deadline: AtomicU64::new(0),
            host: None,
            spoken: OnceLock::new(),
        }
    }

    /// Becomes that of a call. Each part is written where it stays.
    #[inline]
    fn begin(
        &mut self,
        call_id: &ShortText,
        tool_name: &ShortText,
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
        self.spoken = OnceLock::new();
    }

    /// Keeps the room for a call to come. What somebody made for this one goes with it, as does what a tool may still
    /// make that has kept it beyond its call.
    #[inline]
    pub(super) fn give_back(this: Arc<Self>) {
        let is_bare =
            this.host.is_none() && this.spoken.get().is_none() && this.cancellation.is_alone();
        if is_bare && Arc::strong_count(&this) == 1 {
            // A thread that ends keeps nothing.
            let _ = SPARE.try_with(|spare| spare.set(Some(this)));
        }
    }
}

/// The room that is kept, if there is one.
#[inline]
pub(super) fn take() -> Option<Arc<Shared>> {
    let mut kept = None;
    let _ = SPARE.try_with(|spare| kept = spare.take());
    kept
}
