//! How many threads search.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use crate::threads::{MAX_THREADS, Permit, processors};

/// The right to search on so many threads: the one that has it, and helpers.
#[derive(Debug)]
pub(super) struct Crew {
    helpers: usize,
    permits: Vec<Arc<Permit>>,
    most: usize,
}

impl Crew {
    /// Waits for the right to search on one thread; `None` when the time is up before.
    pub(super) async fn alone(most: Option<NonZeroUsize>, deadline: Instant) -> Option<Self> {
        let permit = Permit::until(deadline).await?;
        let most = most.map_or(MAX_THREADS, NonZeroUsize::get);
        Some(Self {
            helpers: 0,
            permits: vec![Arc::new(permit)],
            most: most.min(processors()) - 1,
        })
    }

    /// Exactly so many helpers, whoever else searches.
    #[cfg(test)]
    pub(super) fn with_helpers(helpers: usize) -> Self {
        Self {
            helpers,
            permits: Vec::new(),
            most: 0,
        }
    }

    /// The same right once more: the call keeps it until its thread is done with the work, so that no other thread is
    /// started meanwhile, and the thread when the call is dropped.
    pub(super) fn permits(&self) -> Vec<Arc<Permit>> {
        self.permits.clone()
    }

    /// Takes as many helpers as are free, and says how many.
    pub(super) fn call_helpers(&mut self) -> usize {
        while self.helpers < self.most
            && let Some(permit) = Permit::now()
        {
            self.permits.push(Arc::new(permit));
            self.helpers += 1;
        }
        self.helpers
    }
}
