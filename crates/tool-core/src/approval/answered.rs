//! Decided requests, each of which is decided once.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Maximum number of remembered requests.
const REMEMBERED: usize = 10_000;

/// Ids of decided requests. The oldest are removed.
#[derive(Default)]
pub(crate) struct Answered(Mutex<Ids>);

#[derive(Default)]
struct Ids {
    known: HashSet<String>,
    order: VecDeque<String>,
}

impl Answered {
    /// Marks a request as decided, and returns whether it was not decided before.
    pub(crate) fn is_first(&self, request_id: &str) -> bool {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_is_first_once_until_removed() {
        let answered = Answered::default();

        assert!(answered.is_first("a"));
        assert!(!answered.is_first("a"));
        for number in 0..REMEMBERED {
            assert!(answered.is_first(&number.to_string()));
        }
        assert!(answered.is_first("a"));
        assert!(!answered.is_first("5000"));
    }
}
