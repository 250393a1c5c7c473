//! Output stores in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::time::Instant;

use super::{OutputHandle, OutputStore, StoreError, StoreLimits, StoredPage};

/// Output store in memory, bounded by [`StoreLimits`].
///
/// # Examples
/// ```
/// use tool_core::output_store::{MemoryStore, OutputStore, StoreLimits};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::output_store::StoreError> {
/// let mut limits = StoreLimits::default();
/// limits.max_entries = 1;
/// let store = MemoryStore::new(limits);
/// let first = store.put("first".into()).await?;
/// let second = store.put("second".into()).await?;
/// assert!(store.read(&first, 0, 100).await.is_err());
/// assert_eq!(store.read(&second, 0, 100).await?.content, "second");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    limits: StoreLimits,
    /// Oldest first. Searched from the end, because few outputs are stored and the newest are read.
    outputs: Mutex<VecDeque<Output>>,
}

#[derive(Debug)]
struct Output {
    handle: OutputHandle,
    text: Arc<str>,
    stored_at: Instant,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new(limits: StoreLimits) -> Self {
        Self {
            limits,
            outputs: Mutex::default(),
        }
    }

    fn outputs(&self) -> MutexGuard<'_, VecDeque<Output>> {
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, handle: &OutputHandle) -> Option<Arc<str>> {
        let outputs = self.outputs();
        // Newest first, because a model reads what it has just got.
        let found = outputs.iter().rev().find(|known| known.handle == *handle)?;
        (!self.is_expired(found)).then(|| Arc::clone(&found.text))
    }

    fn is_expired(&self, output: &Output) -> bool {
        output.stored_at.elapsed() > self.limits.max_age
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(StoreLimits::default())
    }
}

#[async_trait]
impl OutputStore for MemoryStore {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        let bytes = text.len() as u64;
        if bytes > self.limits.max_bytes {
            return Err(StoreError::TooLarge { bytes });
        }
        let handle = OutputHandle::random();
        let mut outputs = self.outputs();
        outputs.push_back(Output {
            handle: handle.clone(),
            text,
            stored_at: Instant::now(),
        });
        let mut bytes: u64 = outputs.iter().map(|known| known.text.len() as u64).sum();
        while let Some(oldest) = outputs.front()
            && (outputs.len() > self.limits.max_entries.max(1)
                || bytes > self.limits.max_bytes
                || self.is_expired(oldest))
        {
            bytes -= oldest.text.len() as u64;
            outputs.pop_front();
        }
        Ok(handle)
    }

    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        let text = self.find(handle).ok_or(StoreError::Unknown)?;
        StoredPage::of(&text, offset, limit)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn limited_to(max_bytes: u64) -> MemoryStore {
        MemoryStore::new(StoreLimits {
            max_bytes,
            ..StoreLimits::default()
        })
    }

    async fn has(store: &MemoryStore, handle: &OutputHandle) -> bool {
        store.read(handle, 0, 100).await.is_ok()
    }

    #[tokio::test]
    async fn removes_oldest_if_over_capacity() {
        let store = limited_to(10);
        let first = store.put("12345".into()).await.unwrap();
        let second = store.put("12345".into()).await.unwrap();

        let third = store.put("123456".into()).await.unwrap();

        let left = (
            has(&store, &first).await,
            has(&store, &second).await,
            has(&store, &third).await,
        );
        assert_eq!(left, (false, false, true));
    }

    #[tokio::test]
    async fn too_large_output_is_rejected_and_removes_nothing() {
        let store = limited_to(10);
        let first = store.put("12345".into()).await.unwrap();

        let error = store.put("12345678901".into()).await.unwrap_err();

        assert!(
            matches!(error, StoreError::TooLarge { bytes: 11 }),
            "{error}"
        );
        assert!(has(&store, &first).await);
    }

    #[tokio::test(start_paused = true)]
    async fn outputs_expire() {
        let store = MemoryStore::new(StoreLimits {
            max_age: Duration::from_mins(1),
            ..StoreLimits::default()
        });
        let handle = store.put("text".into()).await.unwrap();
        assert!(has(&store, &handle).await);

        tokio::time::advance(Duration::from_secs(61)).await;

        assert!(!has(&store, &handle).await);
        store.put("next".into()).await.unwrap();
        assert_eq!(store.outputs.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn handles_belong_to_one_store() {
        let (one, other) = (MemoryStore::default(), MemoryStore::default());
        let handle = one.put("text".into()).await.unwrap();

        let error = other.read(&handle, 0, 10).await.unwrap_err();

        assert!(matches!(error, StoreError::Unknown), "{error}");
    }
}
