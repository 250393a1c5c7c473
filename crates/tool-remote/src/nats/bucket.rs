//! Key-value buckets of workers and definitions.

use std::time::Duration;

use async_nats::jetstream::kv::{Config, Operation, Store, Watch};
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};

use super::Link;
use super::objects::storage;
use crate::RemoteError;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Maximum number of keys that are read.
const MAX_KEYS: usize = 10_000;

/// A key-value bucket.
#[derive(Clone)]
pub(crate) struct Bucket {
    store: Store,
    timeout: Duration,
}

impl Bucket {
    /// Opens a bucket, and creates it if it is missing.
    pub(crate) async fn open(
        link: &Link,
        name: String,
        max_age: Duration,
    ) -> Result<Self, RemoteError> {
        let options = link.options();
        let timeout = options.request_timeout;
        // Not created blindly: an operator may have set other limits.
        if let Ok(store) = link.context().get_key_value(&name).await {
            return Ok(Self { store, timeout });
        }
        let config = Config {
            bucket: name,
            history: 1,
            max_age,
            storage: storage(options.in_memory),
            num_replicas: options.replicas,
            ..Config::default()
        };
        let created = link.context().create_key_value(config).await;
        let store = created.map_err(|error| RemoteError::server("create a bucket", error))?;
        Ok(Self { store, timeout })
    }

    pub(crate) async fn put(&self, key: &str, value: Vec<u8>) -> Result<(), Source> {
        let put = self.store.put(key, value.into());
        tokio::time::timeout(self.timeout, put).await??;
        Ok(())
    }

    pub(crate) async fn get(&self, key: &str) -> Result<Option<Bytes>, Source> {
        let get = self.store.get(key);
        Ok(tokio::time::timeout(self.timeout, get).await??)
    }

    pub(crate) async fn remove(&self, key: &str) -> Result<(), Source> {
        let removed = self.store.purge(key);
        tokio::time::timeout(self.timeout, removed).await??;
        Ok(())
    }

    /// Returns the keys.
    pub(crate) async fn keys(&self) -> Result<Vec<String>, Source> {
        let keys = async {
            let keys = self.store.keys().await?;
            Ok::<_, Source>(keys.take(MAX_KEYS).try_collect().await?)
        };
        tokio::time::timeout(self.timeout, keys).await?
    }

    /// Watches the bucket. The current values are reported first.
    pub(crate) async fn watch(&self) -> Result<Watched, Source> {
        let watch = self.store.watch_with_history(">");
        Ok(Watched(tokio::time::timeout(self.timeout, watch).await??))
    }
}

/// Changes of a bucket. Expired values are not reported.
pub(crate) struct Watched(Watch);

impl Watched {
    /// Waits for the next change: a key and its value, or `None` if it was removed.
    pub(crate) async fn next(&mut self) -> Result<(String, Option<Bytes>), Source> {
        match self.0.next().await {
            Some(entry) => {
                let entry = entry?;
                let is_put = entry.operation == Operation::Put;
                Ok((entry.key, is_put.then_some(entry.value)))
            }
            None => Err("the watch ended".into()),
        }
    }
}
