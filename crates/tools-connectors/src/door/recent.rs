//! Values that were read last.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The values that were read last, the newest at the end.
#[derive(Debug)]
pub(crate) struct Recent<V> {
    max_values: usize,
    kept_for: Duration,
    values: Mutex<VecDeque<Kept<V>>>,
}

#[derive(Debug)]
struct Kept<V> {
    read: Instant,
    key: String,
    value: Arc<V>,
}

impl<V> Recent<V> {
    /// Creates an empty collection.
    pub(crate) fn new(max_values: usize, kept_for: Duration) -> Self {
        Self {
            max_values,
            kept_for,
            values: Mutex::default(),
        }
    }

    /// Returns the value of `key` if it was read recently.
    pub(crate) fn get(&self, key: &str) -> Option<Arc<V>> {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let mut fresh = values
            .iter()
            .filter(|kept| kept.read.elapsed() < self.kept_for);
        let found = fresh.find(|kept| kept.key == key);
        found.map(|kept| Arc::clone(&kept.value))
    }

    /// Adds a value, and drops old ones.
    pub(crate) fn add(&self, key: &str, value: &Arc<V>) {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.retain(|known| known.read.elapsed() < self.kept_for && known.key != key);
        if values.len() >= self.max_values {
            values.pop_front();
        }
        values.push_back(Kept {
            read: Instant::now(),
            key: key.to_owned(),
            value: Arc::clone(value),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_oldest_and_expired_values() {
        let recent = Recent::new(2, Duration::from_mins(1));
        for key in ["a", "b", "c"] {
            recent.add(key, &Arc::new(key));
        }
        assert_eq!(recent.get("c").as_deref(), Some(&"c"));
        assert!(recent.get("b").is_some() && recent.get("a").is_none());

        let expired = Recent::new(2, Duration::ZERO);
        expired.add("a", &Arc::new("a"));
        assert!(expired.get("a").is_none());
    }
}
