//! Index of stored outputs, bounded by number, bytes and age.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use super::{OutputHandle, StoreError};

/// Limits of a store. The oldest outputs are removed first.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::output_store::StoreLimits;
///
/// let limits = StoreLimits::default().with_bytes(8 * 1024 * 1024).with_age(Duration::from_secs(600));
/// assert_eq!(limits.max_entries, 256);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreLimits {
    /// Maximum number of outputs, at least 1. The default is 256.
    pub max_entries: usize,
    /// Maximum bytes of all outputs. The default is 64 MB.
    pub max_bytes: u64,
    /// Maximum age of an output. The default is one hour.
    pub max_age: Duration,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self {
            max_entries: 256,
            max_bytes: 64 * 1024 * 1024,
            max_age: Duration::from_hours(1),
        }
    }
}

impl StoreLimits {
    /// Sets the maximum number of outputs.
    #[must_use]
    pub fn with_entries(mut self, entries: usize) -> Self {
        self.max_entries = entries.max(1);
        self
    }

    /// Sets the maximum bytes of all outputs.
    #[must_use]
    pub fn with_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Sets the maximum age of an output.
    #[must_use]
    pub fn with_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }

    /// Rejects an output that exceeds the capacity.
    pub(super) fn check(&self, bytes: u64) -> Result<(), StoreError> {
        if bytes > self.max_bytes {
            return Err(StoreError::TooLarge { bytes });
        }
        Ok(())
    }
}

/// Outputs of a store, oldest first, each with a value `T`.
#[derive(Debug)]
pub(super) struct Index<T> {
    limits: StoreLimits,
    entries: HashMap<OutputHandle, Entry<T>>,
    order: std::collections::VecDeque<OutputHandle>,
    bytes: u64,
}

#[derive(Debug)]
struct Entry<T> {
    value: T,
    bytes: u64,
    stored_at: Instant,
}

impl<T> Index<T> {
    pub(super) fn new(limits: StoreLimits) -> Self {
        Self {
            limits,
            entries: HashMap::new(),
            order: std::collections::VecDeque::new(),
            bytes: 0,
        }
    }

    /// Adds an output stored at `stored_at`. Removes outputs that exceed the limits, and returns their handles.
    pub(super) fn insert(
        &mut self,
        handle: OutputHandle,
        value: T,
        bytes: u64,
        stored_at: Instant,
    ) -> Vec<OutputHandle> {
        self.order.push_back(handle.clone());
        self.bytes = self.bytes.saturating_add(bytes);
        let entry = Entry {
            value,
            bytes,
            stored_at,
        };
        self.entries.insert(handle, entry);
        let mut removed = self.take_expired(Instant::now());
        while self.entries.len() > self.limits.max_entries || self.bytes > self.limits.max_bytes {
            let Some(oldest) = self.order.front().cloned() else {
                break;
            };
            self.remove(&oldest);
            removed.push(oldest);
        }
        removed
    }

    /// Returns the value and bytes of an output that has not expired.
    pub(super) fn get(&self, handle: &OutputHandle) -> Option<(&T, u64)> {
        let entry = self.entries.get(handle)?;
        (entry.stored_at.elapsed() <= self.limits.max_age).then_some((&entry.value, entry.bytes))
    }

    /// Removes an output.
    pub(super) fn remove(&mut self, handle: &OutputHandle) {
        if let Some(entry) = self.entries.remove(handle) {
            self.bytes = self.bytes.saturating_sub(entry.bytes);
        }
        if self.order.front() == Some(handle) {
            self.order.pop_front();
        } else {
            self.order.retain(|known| known != handle);
        }
    }

    fn take_expired(&mut self, now: Instant) -> Vec<OutputHandle> {
        let mut removed = Vec::new();
        while let Some(oldest) = self.order.front() {
            let stored_at = self.entries.get(oldest).map(|entry| entry.stored_at);
            let old = |stored_at: Instant| now.duration_since(stored_at) > self.limits.max_age;
            if !stored_at.is_none_or(old) {
                break;
            }
            let oldest = oldest.clone();
            self.remove(&oldest);
            removed.push(oldest);
        }
        removed
    }
}
