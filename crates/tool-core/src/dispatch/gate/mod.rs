//! Step 7: waiting for one's turn.

mod keys;
mod queue;

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use self::keys::{KeyGuard, Keys};
use self::queue::Queue;
use super::record::Record;
use super::run::guarded;
use super::stop::cancelled_in_the_queue;
use crate::catalog::Entry;
use crate::places::{All, Place, Places};
use crate::{Arguments, Concurrency, ToolContext, ToolError, clock};

/// Lets parallel calls run side by side up to a bound, exclusive ones alone, and keyed ones one at a time per key.
/// A tool may have a bound of its own.
pub(crate) struct Gate {
    places: Places,
    keys: Keys,
    queue: Queue,
}

impl Gate {
    pub(crate) fn new(parallel: usize, waiting: usize) -> Self {
        Self {
            places: Places::new(parallel),
            keys: Keys::default(),
            queue: Queue::new(waiting),
        }
    }

    /// How many calls may run side by side.
    pub(crate) fn parallel(&self) -> usize {
        self.places.count()
    }

    /// The right to run, where nobody has to wait for it.
    #[inline]
    pub(super) fn permit_at_once<'g>(&'g self, entry: &'g Entry) -> Option<Permit<'g>> {
        match entry.definition().concurrency() {
            Concurrency::Parallel => {
                let mut permit = Permit::default();
                if let Some(places) = entry.places() {
                    permit.further().own = Some(places.one_at_once()?);
                }
                permit.one = Some(self.places.one_at_once()?);
                Some(permit)
            }
            Concurrency::Exclusive => {
                let mut permit = Permit::default();
                permit.further().all = Some(self.places.all_at_once()?);
                Some(permit)
            }
            Concurrency::PerKey => None,
        }
    }

    /// Waits for the key, then for a place of the tool, then for one of all places: in this order whoever waits holds
    /// nothing that calls of another key or another tool could use.
    async fn permit<'g>(&'g self, entry: &'g Entry, key: Option<String>) -> Permit<'g> {
        let mut permit = Permit::default();
        if entry.definition().concurrency() == Concurrency::Exclusive {
            let all = self.places.all().await;
            permit.further().all = Some(all);
            return permit;
        }
        if let Some(key) = key {
            let key = self.keys.hold(key).await;
            permit.further().key = Some(key);
        }
        if let Some(places) = entry.places() {
            let own = places.one().await;
            permit.further().own = Some(own);
        }
        permit.one = Some(self.places.one().await);
        permit
    }
}

/// The right to run; given back when dropped.
#[derive(Default)]
pub(super) struct Permit<'g> {
    one: Option<Place<'g>>,
    further: Option<Box<Further<'g>>>,
}

/// What few calls need beside a place, or in place of one.
#[derive(Default)]
struct Further<'g> {
    all: Option<All<'g>>,
    own: Option<Place<'g>>,
    key: Option<KeyGuard>,
}

impl<'g> Permit<'g> {
    fn further(&mut self) -> &mut Further<'g> {
        self.further.get_or_insert_default()
    }
}

/// Waits for the call's turn and says how long that took.
pub(super) async fn wait<'g>(
    gate: &'g Gate,
    entry: &'g Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
    record: &mut Record<'_, '_>,
) -> Result<Permit<'g>, ToolError> {
    let key = match entry.definition().concurrency() {
        Concurrency::PerKey => guarded(|| Ok(entry.tool().key_of(arguments)))?,
        Concurrency::Parallel | Concurrency::Exclusive => None,
    };
    let mut permit = pin!(gate.permit(entry, key));
    // Only who finds nothing free is one that waits.
    let first = poll_fn(|task| Poll::Ready(permit.as_mut().poll(task))).await;
    if let Poll::Ready(permit) = first {
        return Ok(permit);
    }
    let _waiting = gate.queue.join()?;
    let since = clock::now();
    let permit = cx.cancellation().run_until_cancelled(permit).await;
    record.queued(clock::now().duration_since(since));
    permit.ok_or_else(cancelled_in_the_queue)
}
