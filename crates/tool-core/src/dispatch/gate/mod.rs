//! Step 7: waiting for one's turn.

mod keys;
mod places;

use std::time::Instant;

use self::keys::{KeyGuard, Keys};
use self::places::{All, Place, Places};
use super::record::Record;
use super::run::guarded;
use super::stop::cancelled_in_the_queue;
use crate::registry::Entry;
use crate::{Arguments, Concurrency, ToolContext, ToolError};

/// Lets parallel calls run side by side up to a bound, exclusive ones alone, and keyed ones one at a time per key.
pub(crate) struct Gate {
    places: Places,
    keys: Keys,
}

impl Gate {
    pub(crate) fn new(parallel: usize) -> Self {
        Self {
            places: Places::new(parallel),
            keys: Keys::default(),
        }
    }

    /// The right to run, where nobody has to wait for it.
    fn permit_at_once(&self, concurrency: Concurrency) -> Option<Permit<'_>> {
        match concurrency {
            Concurrency::Parallel => self.places.one_at_once().map(Permit::of_one),
            Concurrency::Exclusive => self.places.all_at_once().map(Permit::of_all),
            Concurrency::PerKey => None,
        }
    }

    async fn permit(&self, concurrency: Concurrency, key: Option<String>) -> Permit<'_> {
        if concurrency == Concurrency::Exclusive {
            return Permit::of_all(self.places.all().await);
        }
        // The key comes first: whoever waits for a key holds no place that others could use.
        let key = match key {
            Some(key) => Some(self.keys.hold(key).await),
            None => None,
        };
        Permit {
            _key: key,
            ..Permit::of_one(self.places.one().await)
        }
    }
}

/// The right to run; given back when dropped.
#[derive(Default)]
pub(super) struct Permit<'g> {
    _one: Option<Place<'g>>,
    _all: Option<All<'g>>,
    _key: Option<KeyGuard>,
}

impl<'g> Permit<'g> {
    fn of_one(place: Place<'g>) -> Self {
        Self {
            _one: Some(place),
            ..Self::default()
        }
    }

    fn of_all(places: All<'g>) -> Self {
        Self {
            _all: Some(places),
            ..Self::default()
        }
    }
}

/// Waits for the call's turn and says how long that took.
pub(super) async fn enter<'g>(
    gate: &'g Gate,
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
    record: &mut Record<'_>,
) -> Result<Permit<'g>, ToolError> {
    let concurrency = entry.definition().concurrency();
    match gate.permit_at_once(concurrency) {
        Some(permit) => Ok(permit),
        // Apart from the call's own future, which most calls need not make room for this.
        None => Box::pin(wait(gate, entry, cx, arguments, record)).await,
    }
}

async fn wait<'g>(
    gate: &'g Gate,
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
    record: &mut Record<'_>,
) -> Result<Permit<'g>, ToolError> {
    let concurrency = entry.definition().concurrency();
    let key = match concurrency {
        Concurrency::PerKey => guarded(|| Ok(entry.tool().key_of(arguments)))?,
        Concurrency::Parallel | Concurrency::Exclusive => None,
    };
    let since = Instant::now();
    let permit = cx
        .cancellation()
        .run_until_cancelled(gate.permit(concurrency, key))
        .await;
    record.queued(since.elapsed());
    permit.ok_or_else(cancelled_in_the_queue)
}
