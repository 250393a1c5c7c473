//! Workers and their tools, as last announced.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tokio::time::Instant;

use crate::name;
use crate::wire::Beat;
use crate::worker::{MAX_TOOLS, MISSED};

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
            tools: beat.tools.iter().map(|tool| tool.name.clone()).collect(),
        };
        beats.map(worker).collect()
    }

    /// Returns the tools. A name belongs to the first group that offers it. If workers of the group have different
    /// definitions, as during an update, most workers decide.
    pub(super) fn tools(&self) -> Tools {
        let mut votes: BTreeMap<&str, BTreeMap<&str, HashMap<&str, usize>>> = BTreeMap::new();
        for (beat, _) in self.workers.values() {
            for tool in &beat.tools {
                let groups = votes.entry(&tool.name).or_default();
                let digests = groups.entry(&beat.group).or_default();
                *digests.entry(&tool.digest).or_default() += 1;
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
    name::check("worker", &beat.worker).is_ok()
        && name::check("group", &beat.group).is_ok()
        && beat.interval_ms > 0
        && beat.tools.len() <= MAX_TOOLS
        && beat.tools.iter().all(|tool| is_digest(&tool.digest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn digest(number: u8) -> String {
        format!("{number:064x}")
    }

    fn bytes(worker: &str, group: &str, tools: &[(&str, u8)]) -> Vec<u8> {
        let tool = |(name, number): &(&str, u8)| json!({"name": name, "digest": digest(*number)});
        let tools: Vec<_> = tools.iter().map(tool).collect();
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
        let spaces = json!({"worker": "w", "group": "a b", "interval_ms": 1, "tools": []});
        let never = json!({"worker": "w", "group": "a", "interval_ms": 0, "tools": []});
        let path = json!({"worker": "w", "group": "a", "interval_ms": 1, "tools": [{"name": "f", "digest": "../x"}]});
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
