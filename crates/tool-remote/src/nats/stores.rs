//! Buckets of workers and definitions, and the store of large messages.

use std::time::Duration;

use async_nats::jetstream::kv::{self, Operation, Store, Watch};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::StorageType;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use tokio::io::AsyncReadExt;

use super::{Body, Link};
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
        let config = kv::Config {
            bucket: name,
            history: 1,
            max_age,
            storage: StorageType::File,
            num_replicas: options.replicas,
            ..kv::Config::default()
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

/// Maximum bytes of an object.
pub(crate) const MAX_OBJECT: usize = 64 * 1024 * 1024;
/// Maximum bytes of all objects of a tenant.
const MAX_BYTES: i64 = 1024 * 1024 * 1024;
/// Time after which an object that no receiver removed expires.
const MAX_AGE: Duration = Duration::from_hours(24);

impl Link {
    pub(super) async fn create_objects(&self) -> Result<(), RemoteError> {
        if self.objects().await.is_ok() {
            return Ok(());
        }
        let options = self.options();
        let config = object_store::Config {
            bucket: self.names().objects(),
            description: Some("large arguments and outputs".to_owned()),
            max_age: MAX_AGE,
            max_bytes: MAX_BYTES,
            storage: StorageType::File,
            num_replicas: options.replicas,
            ..object_store::Config::default()
        };
        let created = self.context().create_object_store(config).await;
        let failed = |source| RemoteError::server("create the object store", source);
        created.map(drop).map_err(failed)
    }

    async fn objects(&self) -> Result<ObjectStore, Source> {
        Ok(self
            .context()
            .get_object_store(self.names().objects())
            .await?)
    }

    /// Returns the body of a message with this payload, which is stored if it is too large for a message.
    pub(crate) async fn pack(&self, payload: Vec<u8>) -> Result<Body, Source> {
        if payload.len() <= self.max_payload() {
            return Ok(Body::Inline(payload.into()));
        }
        if payload.len() > MAX_OBJECT {
            return Err(format!("a message of {} bytes is too large", payload.len()).into());
        }
        let name = self.unique();
        let objects = self.objects().await?;
        objects.put(name.as_str(), &mut payload.as_slice()).await?;
        Ok(Body::Stored(name))
    }

    /// Returns the payload of a received message. [`Link::discard`] removes a stored one.
    pub(crate) async fn unpack(&self, body: &Body) -> Result<Bytes, Source> {
        let name = match body {
            Body::Inline(payload) => return Ok(payload.clone()),
            Body::Stored(name) => name,
        };
        let mut object = self.objects().await?.get(name).await?;
        // The sender states the size, so it is checked, and the reading is bounded too.
        let size = object.info().size;
        if size > MAX_OBJECT {
            return Err(format!("an object of {size} bytes is too large").into());
        }
        let mut payload = Vec::with_capacity(size);
        let limit = u64::try_from(MAX_OBJECT)?;
        let mut bounded = (&mut object).take(limit);
        let reading = bounded.read_to_end(&mut payload);
        tokio::time::timeout(self.options().request_timeout * 12, reading).await??;
        Ok(payload.into())
    }

    /// Removes the object of a received message.
    pub(crate) async fn discard(&self, body: &Body) {
        let Body::Stored(name) = body else { return };
        let removed = match self.objects().await {
            Ok(objects) => objects.delete(name).await.map_err(Into::into),
            Err(error) => Err(error),
        };
        if let Err(error) = removed {
            tracing::debug!(%error, "an object could not be removed; it expires");
        }
    }
}
