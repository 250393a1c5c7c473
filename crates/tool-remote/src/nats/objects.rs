//! Messages that exceed the maximum size of a payload, in the object store.

use std::time::Duration;

use async_nats::jetstream::object_store::{Config, ObjectStore};
use async_nats::jetstream::stream::StorageType;
use bytes::Bytes;
use tokio::io::AsyncReadExt;

use super::{Body, Link};
use crate::RemoteError;

type Source = Box<dyn std::error::Error + Send + Sync>;

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
        let config = Config {
            bucket: self.names().objects(),
            description: Some("large arguments and outputs".to_owned()),
            max_age: MAX_AGE,
            max_bytes: MAX_BYTES,
            storage: storage(options.in_memory),
            num_replicas: options.replicas,
            ..Config::default()
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

pub(super) fn storage(in_memory: bool) -> StorageType {
    if in_memory {
        StorageType::Memory
    } else {
        StorageType::File
    }
}
