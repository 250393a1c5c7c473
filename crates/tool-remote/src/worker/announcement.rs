//! Announcement of a worker: the definitions that it offers, and its heartbeats.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};

use super::calls::Calls;
use crate::RemoteError;
use crate::nats::{Bucket, Link};
use crate::wire::Beat;

/// Time after which a definition expires unless a worker stores it again.
const DEFINITION_AGE: Duration = Duration::from_hours(24);
/// Time after which a worker without heartbeats is removed by the server.
const WORKER_AGE: Duration = Duration::from_mins(5);
/// Number of missed heartbeats after which a worker is gone.
pub(crate) const MISSED: u32 = 3;

/// Opens the bucket of heartbeats.
pub(crate) async fn workers_bucket(link: &Link) -> Result<Bucket, RemoteError> {
    Bucket::open(link, link.names().workers(), WORKER_AGE).await
}

/// Opens the bucket of definitions.
pub(crate) async fn definitions_bucket(link: &Link) -> Result<Bucket, RemoteError> {
    Bucket::open(link, link.names().definitions(), DEFINITION_AGE).await
}

/// Announces the tools of one worker.
pub(super) struct Announcement {
    calls: Arc<Calls>,
    workers: Bucket,
    definitions: Bucket,
    interval: Duration,
}

impl Announcement {
    pub(super) async fn open(calls: Arc<Calls>, interval: Duration) -> Result<Self, RemoteError> {
        Ok(Self {
            workers: workers_bucket(&calls.link).await?,
            definitions: definitions_bucket(&calls.link).await?,
            calls,
            interval,
        })
    }

    /// Stores the definitions and a heartbeat.
    pub(super) async fn announce(&self) -> Result<(), RemoteError> {
        let offered = self.calls.offers.current()?;
        // Before the heartbeat, which names them: a caller reads them as soon as it arrives.
        for (digest, bytes) in offered.definitions() {
            let stored = self.definitions.put(digest, bytes.to_vec()).await;
            stored.map_err(|source| RemoteError::server("store the definitions", source))?;
        }
        self.beat().await
    }

    async fn beat(&self) -> Result<(), RemoteError> {
        let Calls {
            name,
            group,
            offers,
            ..
        } = &*self.calls;
        let beat = Beat {
            worker: name.clone(),
            group: group.clone(),
            interval_ms: u64::try_from(self.interval.as_millis()).unwrap_or(u64::MAX),
            tools: offers.current()?.tools(),
        };
        // Cannot fail: all keys are strings.
        let bytes = serde_json::to_vec(&beat).unwrap_or_default();
        let sent = self.workers.put(name, bytes).await;
        sent.map_err(|source| RemoteError::server("store the heartbeat", source))
    }

    /// Sends heartbeats until the future is dropped. Definitions are stored again when the tools change, and twice per
    /// their age.
    pub(super) async fn keep(&self) {
        let registry = self.calls.offers.registry();
        let mut timer = interval(self.interval);
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        timer.tick().await;
        let (mut generation, mut stored) = (registry.generation(), Instant::now());
        loop {
            tokio::select! {
                _ = timer.tick() => {}
                _ = registry.changed_since(generation) => {}
            }
            let current = registry.generation();
            let announced = if current != generation || stored.elapsed() > DEFINITION_AGE / 2 {
                (generation, stored) = (current, Instant::now());
                self.announce().await
            } else {
                self.beat().await
            };
            if let Err(error) = announced {
                tracing::warn!(%error, worker = self.calls.name, "a heartbeat was not stored");
                // The server may have lost the definitions too. Generations start at 0.
                generation = generation.wrapping_sub(1);
                timer.tick().await;
            }
        }
    }

    /// Removes the worker, so that callers need not wait for missed heartbeats.
    pub(super) async fn withdraw(&self) {
        if let Err(error) = self.workers.remove(&self.calls.name).await {
            tracing::debug!(%error, "the worker could not be removed; it expires");
        }
    }
}
