//! Decided requests, each of which is decided once.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Maximum number of remembered requests.
const REMEMBERED: usize = 10_000;

/// Ids of decided requests. The oldest are removed.
#[derive(Default)]
pub(crate) struct DecidedRequests(Mutex<Ids>);

#[derive(Default)]
struct Ids {
    known: HashSet<String>,
    order: VecDeque<String>,
}

impl DecidedRequests {
    /// Marks a request as decided, and returns whether it was not decided before.
    pub(crate) fn insert(&self, request_id: &str) -> bool {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !ids.known.insert(request_id.to_owned()) {
            return false;
        }
        ids.order.push_back(request_id.to_owned());
        if ids.order.len() > REMEMBERED
            && let Some(oldest) = ids.order.pop_front()
        {
            ids.known.remove(&oldest);
        }
        true
    }

    /// Forgets a decided request whose call did not run, so that it can be decided again.
    pub(crate) fn forget(&self, request_id: &str) {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.known.remove(request_id);
        ids.order.retain(|known| known != request_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_is_first_once_until_removed() {
        let decided_requests = DecidedRequests::default();

        assert!(decided_requests.insert("a"));
        assert!(!decided_requests.insert("a"));
        for number in 0..REMEMBERED {
            assert!(decided_requests.insert(&number.to_string()));
        }
        assert!(decided_requests.insert("a"));
        assert!(!decided_requests.insert("5000"));
    }
}
