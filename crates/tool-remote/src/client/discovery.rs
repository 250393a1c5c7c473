//! Tools of the workers in the caller's registry.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tool_core::ToolSource;

use super::caller::Caller;
use super::directory::{Directory, RemoteWorker, Tools};
use super::proxy::Proxy;
use crate::RemoteError;
use crate::nats::{Bucket, Watched};
use crate::wire::Described;
use crate::worker::{definitions_bucket, workers_bucket};

/// Time between checks for missed heartbeats.
const CHECK: Duration = Duration::from_millis(250);
/// Delay before the bucket is watched again.
const BACKOFF: Duration = Duration::from_millis(500);
/// Maximum number of remembered definitions.
const MAX_DEFINITIONS: usize = 10_000;

/// Keeps the tools of a source equal to the tools of the workers.
pub(super) struct Discovery {
    caller: Arc<Caller>,
    source: ToolSource,
    timeout: Duration,
    workers: Bucket,
    definitions: Bucket,
    directory: Mutex<Directory>,
    shown: tokio::sync::Mutex<Shown>,
}

/// Tools in the registry, and known definitions by digest.
#[derive(Default)]
struct Shown {
    tools: Tools,
    definitions: HashMap<String, Arc<Described>>,
}

impl Discovery {
    /// Opens the buckets and registers the current tools.
    pub(super) async fn open(
        caller: Arc<Caller>,
        source: ToolSource,
        timeout: Duration,
    ) -> Result<Self, RemoteError> {
        let opened = Self {
            workers: workers_bucket(&caller.link).await?,
            definitions: definitions_bucket(&caller.link).await?,
            caller,
            source,
            timeout,
            directory: Mutex::default(),
            shown: tokio::sync::Mutex::default(),
        };
        let failed = |error| RemoteError::server("list the workers", error);
        // Keys first: a watch of an empty bucket reports nothing, not even that it is empty.
        for worker in opened.workers.keys().await.map_err(failed)? {
            let bytes = opened.workers.get(&worker).await.map_err(failed)?;
            opened.seen(&worker, bytes.as_deref());
        }
        opened.refresh().await;
        Ok(opened)
    }

    fn directory(&self) -> MutexGuard<'_, Directory> {
        self.directory
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn workers(&self) -> Vec<RemoteWorker> {
        self.directory().workers()
    }

    /// Removes the source.
    pub(super) fn close(&self) -> Vec<String> {
        self.source.clone().close()
    }

    /// Records a heartbeat, or the end of a worker.
    fn seen(&self, worker: &str, beat: Option<&[u8]>) {
        match beat {
            Some(bytes) => {
                if !self.directory().beat(worker, bytes, Instant::now()) {
                    tracing::warn!(worker, "a damaged heartbeat was ignored");
                }
            }
            None => self.directory().remove(worker),
        }
    }

    /// Follows the heartbeats until the future is dropped.
    pub(super) async fn keep(self: Arc<Self>) {
        loop {
            match self.workers.watch().await {
                Ok(watched) => self.follow(watched).await,
                Err(error) => tracing::debug!(%error, "the workers cannot be watched"),
            }
            self.expire().await;
            sleep(BACKOFF).await;
        }
    }

    /// Follows the heartbeats until the watch ends.
    async fn follow(&self, mut watched: Watched) {
        let mut timer = interval(CHECK);
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                change = watched.next() => match change {
                    Ok((worker, beat)) => {
                        self.seen(&worker, beat.as_deref());
                        self.refresh().await;
                    }
                    Err(error) => {
                        tracing::debug!(%error, "the watch of the workers ended");
                        return;
                    }
                },
                // The bucket does not report values that expired, so a timer looks for missed heartbeats.
                _ = timer.tick() => self.expire().await,
            }
        }
    }

    /// Removes workers without heartbeats. While the connection is lost, no heartbeat can arrive.
    async fn expire(&self) {
        if self.caller.link.is_open() {
            self.directory().expire(Instant::now());
        }
        self.refresh().await;
    }

    /// Replaces the tools of the registry if they changed.
    async fn refresh(&self) {
        // Held until the end, so that an older refresh cannot replace a newer one.
        let mut shown = self.shown.lock().await;
        let tools = self.directory().tools();
        if tools == shown.tools {
            return;
        }
        let refresh = self.source.begin();
        let mut proxies = Vec::with_capacity(tools.len());
        let mut complete = tools.clone();
        for (name, (group, digest)) in &tools {
            let described = match self.described(&mut shown, name, digest).await {
                Ok(described) => described,
                Err(reason) => {
                    tracing::warn!(name, reason, "a tool of the workers was ignored");
                    // Try again with the next check.
                    complete.remove(name);
                    continue;
                }
            };
            proxies.push(Proxy::new(
                &self.caller,
                &described,
                digest,
                group,
                self.timeout,
            ));
        }
        match refresh.finish(proxies) {
            Ok(refreshed) => {
                for error in refreshed.refused {
                    tracing::warn!(%error, "a tool of the workers was not registered");
                }
                shown.tools = complete;
            }
            Err(error) => tracing::debug!(%error, "the source of the workers is closed"),
        }
    }

    async fn described(
        &self,
        shown: &mut Shown,
        name: &str,
        digest: &str,
    ) -> Result<Arc<Described>, String> {
        if let Some(known) = shown.definitions.get(digest) {
            return Ok(Arc::clone(known));
        }
        let stored = self.definitions.get(digest).await;
        let bytes = stored.map_err(|error| error.to_string())?;
        let bytes = bytes.ok_or("is missing")?;
        let described = Described::decode(&bytes, digest)?;
        if described.name() != name {
            return Err("belongs to another tool".to_owned());
        }
        if shown.definitions.len() >= MAX_DEFINITIONS {
            // Those in use are read again from the bucket, when their tools change.
            shown.definitions.clear();
        }
        let described = Arc::new(described);
        shown
            .definitions
            .insert(digest.to_owned(), Arc::clone(&described));
        Ok(described)
    }
}
