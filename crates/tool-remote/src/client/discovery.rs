//! Workers and their tools, as last announced, and the tools in the caller's registry.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tool_core::ToolSource;

use super::caller::Caller;
use super::proxy::Proxy;
use crate::RemoteError;
use crate::nats::{Bucket, Watched};
use crate::options::check_name;
use crate::wire::{Beat, Described};
use crate::worker::{MAX_TOOLS, MISSED, definitions_bucket, workers_bucket};

/// Time between checks for missed heartbeats.
const CHECK: Duration = Duration::from_millis(250);
/// Delay before the bucket is watched again.
const BACKOFF: Duration = Duration::from_millis(500);

/// Keeps the tools of a source equal to the tools of the workers.
pub(super) struct Discovery {
    caller: Arc<Caller>,
    source: ToolSource,
    timeout: Duration,
    workers: Bucket,
    definitions: Bucket,
    directory: Mutex<Directory>,
    /// Tools in the registry.
    shown: tokio::sync::Mutex<BTreeMap<String, Proxy>>,
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
        let known = |name: &str, group: &str, digest: &str| {
            let proxy = shown.get(name);
            proxy.filter(|proxy| proxy.is_of(group, digest))
        };
        let is_shown = |(name, (group, digest)): (&String, &(String, String))| {
            known(name, group, digest).is_some()
        };
        if tools.len() == shown.len() && tools.iter().all(is_shown) {
            return;
        }
        let mut proxies = BTreeMap::new();
        for (name, (group, digest)) in &tools {
            let proxy = match known(name, group, digest) {
                Some(proxy) => Ok(proxy.clone()),
                None => self.proxy(name, group, digest).await,
            };
            match proxy {
                Ok(proxy) => {
                    proxies.insert(name.clone(), proxy);
                }
                // The next check tries again.
                Err(reason) => tracing::warn!(name, reason, "a tool of the workers was ignored"),
            }
        }
        match self.source.refresh(proxies.values().cloned()) {
            Ok(refreshed) => {
                for error in refreshed.refused {
                    tracing::warn!(%error, "a tool of the workers was not registered");
                }
                *shown = proxies;
            }
            Err(error) => tracing::debug!(%error, "the source of the workers is closed"),
        }
    }

    async fn proxy(&self, name: &str, group: &str, digest: &str) -> Result<Proxy, String> {
        let stored = self.definitions.get(digest).await;
        let bytes = stored.map_err(|error| error.to_string())?;
        let described = Described::decode(&bytes.ok_or("is missing")?, digest)?;
        if described.name() != name {
            return Err("belongs to another tool".to_owned());
        }
        let timeout = self.timeout;
        Ok(Proxy::new(&self.caller, described, digest, group, timeout))
    }
}

/// Maximum number of workers.
const MAX_WORKERS: usize = 10_000;
/// Longest time between heartbeats.
const MAX_INTERVAL: Duration = Duration::from_mins(1);

/// A worker with a recent heartbeat.
///
/// # Examples
/// See [`RemoteTools::workers`](super::RemoteTools::workers).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RemoteWorker {
    /// Name of the worker.
    pub name: String,
    /// Group whose queue the worker serves.
    pub group: String,
    /// Names of its tools.
    pub tools: Vec<String>,
}

/// Workers with recent heartbeats. Their time is measured here, so that clocks of other machines do not matter.
#[derive(Default)]
pub(super) struct Directory {
    workers: BTreeMap<String, (Beat, Instant)>,
}

/// Tools by name, each with its group and the digest of its definition.
pub(super) type Tools = BTreeMap<String, (String, String)>;

impl Directory {
    /// Records a heartbeat. Returns `false` if it is damaged.
    pub(super) fn beat(&mut self, worker: &str, bytes: &[u8], now: Instant) -> bool {
        let beat: Option<Beat> = serde_json::from_slice(bytes).ok();
        // The key is the name, so that a worker cannot replace the heartbeat of another by mistake.
        let Some(beat) = beat.filter(|beat| beat.worker == worker && is_valid(beat)) else {
            return false;
        };
        let is_known = self.workers.contains_key(worker);
        if is_known || self.workers.len() < MAX_WORKERS {
            self.workers.insert(worker.to_owned(), (beat, now));
        }
        true
    }

    pub(super) fn remove(&mut self, worker: &str) {
        self.workers.remove(worker);
    }

    /// Removes workers that missed their heartbeats.
    pub(super) fn expire(&mut self, now: Instant) {
        self.workers.retain(|_, (beat, last)| {
            // A damaged interval must not keep a worker forever.
            let interval = Duration::from_millis(beat.interval_ms).min(MAX_INTERVAL);
            now.duration_since(*last) <= interval * MISSED
        });
    }

    pub(super) fn workers(&self) -> Vec<RemoteWorker> {
        let beats = self.workers.values();
        let worker = |(beat, _): &(Beat, Instant)| RemoteWorker {
            name: beat.worker.clone(),
            group: beat.group.clone(),
            tools: beat.tools.keys().cloned().collect(),
        };
        beats.map(worker).collect()
    }

    /// Returns the tools. A name belongs to the first group that offers it. If workers of the group have different
    /// definitions, as during an update, most workers decide.
    pub(super) fn tools(&self) -> Tools {
        let mut votes: BTreeMap<&str, BTreeMap<&str, HashMap<&str, usize>>> = BTreeMap::new();
        for (beat, _) in self.workers.values() {
            for (tool, digest) in &beat.tools {
                let groups = votes.entry(tool).or_default();
                let digests = groups.entry(&beat.group).or_default();
                *digests.entry(digest).or_default() += 1;
            }
        }
        let elected = |(name, groups): (&str, BTreeMap<&str, HashMap<&str, usize>>)| {
            let (group, digests) = groups.into_iter().next()?;
            let most = digests
                .into_iter()
                // The digest decides between equal counts, so that all callers choose the same one and keep it.
                .max_by_key(|(digest, count)| (*count, *digest));
            let (digest, _) = most?;
            Some((name.to_owned(), (group.to_owned(), digest.to_owned())))
        };
        votes.into_iter().filter_map(elected).collect()
    }
}

fn is_valid(beat: &Beat) -> bool {
    let is_digest =
        |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    check_name("worker", &beat.worker).is_ok()
        && check_name("group", &beat.group).is_ok()
        && beat.interval_ms > 0
        && beat.tools.len() <= MAX_TOOLS
        && beat.tools.values().all(|digest| is_digest(digest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn digest(number: u8) -> String {
        format!("{number:064x}")
    }

    fn bytes(worker: &str, group: &str, tools: &[(&str, u8)]) -> Vec<u8> {
        let tool = |(name, number): &(&str, u8)| ((*name).to_owned(), digest(*number));
        let tools: BTreeMap<_, _> = tools.iter().map(tool).collect();
        let beat = json!({"worker": worker, "group": group, "interval_ms": 1000, "tools": tools});
        serde_json::to_vec(&beat).unwrap()
    }

    #[test]
    fn most_workers_and_first_group_decide() {
        let (mut directory, now) = (Directory::default(), Instant::now());
        for (worker, group, tools) in [
            ("w1", "b", &[("pay", 1), ("list", 1)][..]),
            ("w2", "b", &[("pay", 2)]),
            ("w3", "b", &[("pay", 1)]),
            ("w4", "c", &[("pay", 3), ("draw", 4)]),
        ] {
            assert!(directory.beat(worker, &bytes(worker, group, tools), now));
        }

        let tools = directory.tools();

        assert_eq!(tools.get("pay"), Some(&("b".to_owned(), digest(1))));
        assert_eq!(tools.get("draw"), Some(&("c".to_owned(), digest(4))));
        assert_eq!(tools.len(), 3);
    }

    #[test]
    fn workers_expire_after_three_missed_heartbeats() {
        let (mut directory, now) = (Directory::default(), Instant::now());
        directory.beat("w1", &bytes("w1", "a", &[("pay", 1)]), now);

        directory.expire(now + Duration::from_secs(3));
        assert_eq!(directory.workers().len(), 1);
        directory.expire(now + Duration::from_millis(3001));
        assert!(directory.workers().is_empty());
    }

    #[test]
    fn rejects_damaged_heartbeats() {
        let mut directory = Directory::default();
        let spaces = json!({"worker": "w", "group": "a b", "interval_ms": 1, "tools": {}});
        let never = json!({"worker": "w", "group": "a", "interval_ms": 0, "tools": {}});
        let path = json!({"worker": "w", "group": "a", "interval_ms": 1, "tools": {"f": "../x"}});
        for bytes in [
            b"garbage".to_vec(),
            bytes("other", "a", &[]),
            spaces.to_string().into_bytes(),
            never.to_string().into_bytes(),
            path.to_string().into_bytes(),
        ] {
            assert!(!directory.beat("w", &bytes, Instant::now()));
        }
    }
}
