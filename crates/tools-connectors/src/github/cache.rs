//! Cache with a limit of bytes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Values by their ID. The values that were used least recently are evicted first.
#[derive(Debug)]
pub(super) struct Cache<V> {
    max_bytes: usize,
    inner: Mutex<Inner<V>>,
}

#[derive(Debug)]
struct Inner<V> {
    values: HashMap<String, Entry<V>>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    bytes: usize,
    used: u64,
}

impl<V: Clone> Cache<V> {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            inner: Mutex::new(Inner {
                values: HashMap::new(),
                bytes: 0,
                clock: 0,
            }),
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<V> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let clock = inner.clock;
        let entry = inner.values.get_mut(id)?;
        entry.used = clock;
        Some(entry.value.clone())
    }

    pub(super) fn has(&self, id: &str) -> bool {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.values.contains_key(id)
    }

    /// Keeps a value of this size, unless it is larger than three quarters of the limit.
    pub(super) fn put(&self, id: &str, value: V, bytes: usize) {
        // Entries also need memory for their keys.
        let bytes = bytes.saturating_add(id.len() + 64);
        if bytes > self.max_bytes / 4 * 3 {
            return;
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let entry = Entry {
            value,
            bytes,
            used: inner.clock,
        };
        inner.bytes += bytes;
        if let Some(old) = inner.values.insert(id.to_owned(), entry) {
            inner.bytes = inner.bytes.saturating_sub(old.bytes);
        }
        if inner.bytes > self.max_bytes {
            inner.evict(self.max_bytes / 4 * 3);
        }
    }
}

impl<V> Inner<V> {
    /// Evicts values until `target` bytes are left.
    fn evict(&mut self, target: usize) {
        let mut order: Vec<(u64, String)> = self
            .values
            .iter()
            .map(|(id, entry)| (entry.used, id.clone()))
            .collect();
        order.sort_unstable();
        for (_, id) in order {
            if self.bytes <= target {
                break;
            }
            if let Some(old) = self.values.remove(&id) {
                self.bytes = self.bytes.saturating_sub(old.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evicts_least_recently_used() {
        let cache = Cache::new(2000);
        for id in ["a", "b", "c", "d"] {
            cache.put(id, id, 400);
        }
        assert_eq!(cache.get("a"), Some("a"));

        cache.put("e", "e", 400);

        assert!(cache.has("a") && cache.has("e") && !cache.has("b"));
        cache.put("large", "large", 2000);
        assert!(!cache.has("large"));
    }
}
