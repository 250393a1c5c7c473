//! The requests that were decided, so that none is decided twice.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// How many requests are remembered.
const REMEMBERED: usize = 10_000;

/// The requests that were decided, so that none is decided twice. The oldest are forgotten.
#[derive(Default)]
pub(crate) struct Answered(Mutex<Ids>);

#[derive(Default)]
struct Ids {
    known: HashSet<String>,
    order: VecDeque<String>,
}

impl Answered {
    /// Whether the request had not been decided before; from now on it is.
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

impl fmt::Debug for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answered").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_first_once_and_the_oldest_are_forgotten() {
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
