//! Search for the processes of a call in `/proc`.

#![expect(clippy::disallowed_methods, reason = "only paths in /proc")]

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::shell::process_marker::ProcessMarker;

/// Maximum bytes read of an environment. A process with a larger one is found through its parent.
const MAX_ENVIRON_BYTES: u64 = 4 * 1024 * 1024;

/// Buffer size that fits most environments in one read: the rest of a partial read is lost if the
/// process calls `exec` in between.
const USUAL_ENVIRON_BYTES: usize = 16 * 1024;

/// Number of new processes above which listing all is cheaper than checking each.
const MAX_PROBED: u32 = 64;

/// Minimum time to create a process or thread, on all CPUs together, because the kernel serializes
/// a part of it.
const MIN_TIME_PER_ID: Duration = Duration::from_micros(1);

/// Maximum number of listings while new processes appear, before the result is treated as complete.
const MAX_LISTINGS: u32 = 3;

/// Number of and interval between attempts to read an empty environment. During `exec`, the kernel
/// sets the environment last, and loading the program may take a while.
const MAX_ATTEMPTS: u32 = 10;
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// `PF_KTHREAD`: the flag of kernel threads.
const KERNEL_THREAD: u32 = 0x0020_0000;

/// Running process of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descendant {
    id: u32,
    entry: Entry,
    in_group: bool,
}

impl Descendant {
    /// Sends SIGTERM, unless its group already received it: a handler should run only once.
    pub(crate) fn terminate(self) {
        if !self.in_group {
            self.signal(Signal::TERM);
        }
    }

    pub(crate) fn kill(self) {
        self.signal(Signal::KILL);
    }

    /// Returns `true` if the process is still running.
    pub(crate) fn runs(self) -> bool {
        // The id may have been reused; the start time would then differ.
        Entry::read(self.id).is_some_and(|now| now.started == self.entry.started)
    }

    fn signal(self, signal: Signal) {
        let pid = i32::try_from(self.id).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid.filter(|_| self.runs()) {
            // An error means that it has exited or belongs to another user; the next scan detects
            // both.
            let _ = kill_process(pid, signal);
        }
    }
}

/// Required fields of `/proc/<id>/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    parent: u32,
    group: u32,
    started: u64,
}

impl Entry {
    /// Reads the entry of `id`. Returns `None` for zombies and kernel threads.
    fn read(id: u32) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{id}/stat")).ok()?)
    }

    fn parse(stat: &[u8]) -> Option<Self> {
        let stat = String::from_utf8_lossy(stat);
        // The name is in parentheses and may contain any character, including parentheses.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        if matches!(fields.next()?, "Z" | "X") {
            return None;
        }
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let flags: u32 = fields.nth(3)?.parse().ok()?;
        let started = fields.nth(12)?.parse().ok()?;
        let entry = Self {
            parent,
            group,
            started,
        };
        (flags & KERNEL_THREAD == 0).then_some(entry)
    }
}

/// Returns the start time of a running process, in clock ticks since boot.
pub(crate) fn started(id: u32) -> Option<u64> {
    Some(Entry::read(id)?.started)
}

/// Returns every running process that is in the group of `leader`, has the marker, or descends from
/// such a process.
///
/// Reading environments is expensive, so only processes started at or after `since` are checked for
/// the marker.
pub(crate) fn find(marker: &ProcessMarker, leader: u32, since: Option<u64>) -> Vec<Descendant> {
    let mut youngest = youngest_id();
    let mut found = Vec::new();
    for _ in 0..MAX_LISTINGS {
        found = listed(marker, leader, since);
        let youngest_now = youngest_id();
        // A process that exits during the scan may have started another one that was not listed.
        if !found.is_empty() || youngest_now == youngest {
            break;
        }
        youngest = youngest_now;
    }
    found
}

fn listed(marker: &ProcessMarker, leader: u32, since: Option<u64>) -> Vec<Descendant> {
    let entries: HashMap<u32, Entry> = listed_ids()
        .filter_map(|id| Some((id, Entry::read(id)?)))
        .collect();
    let (grouped, others): (Vec<_>, Vec<_>) =
        entries.iter().partition(|(_, entry)| entry.group == leader);
    let young = others
        .into_iter()
        .filter(|(_, entry)| since.is_none_or(|since| entry.started >= since))
        .map(|(id, _)| *id);
    let mut ours = with_marker(young.collect(), marker);
    ours.extend(grouped.into_iter().map(|(id, _)| *id));
    add_descendants(&mut ours, &entries);
    ours.remove(&std::process::id());
    entries
        .into_iter()
        .filter(|(id, _)| ours.contains(id))
        .map(|(id, entry)| Descendant {
            id,
            entry,
            in_group: entry.group == leader,
        })
        .collect()
}

/// Returns `true` if no process of the call is running, by checking only the few processes younger
/// than `leader`, which has exited.
///
/// Returns `false` if process ids may have wrapped around since `started`, the time just before
/// `leader` was started. `false` is not a proof of the contrary; use [`find`] then.
pub(crate) fn are_excluded(marker: &ProcessMarker, leader: u32, started: Instant) -> bool {
    let last = leader.saturating_add(MAX_PROBED);
    let mut checked = leader;
    while let Some(youngest) = youngest_id().filter(|id| (checked..=last).contains(id)) {
        // A process that exited before it was checked may have started another one, which is
        // younger.
        if youngest == checked {
            return started.elapsed() < wrap_time();
        }
        let mut ids = checked.saturating_add(1)..=youngest;
        if ids.any(|id| may_be_of_call(id, marker, leader)) {
            return false;
        }
        checked = youngest;
    }
    false
}

fn may_be_of_call(id: u32, marker: &ProcessMarker, leader: u32) -> bool {
    Entry::read(id)
        .is_some_and(|entry| entry.group == leader || has_marker(id, marker) != Some(false))
}

fn youngest_id() -> Option<u32> {
    // Keep the file open, because opening it takes longer than reading it.
    static LOAD: OnceLock<Option<File>> = OnceLock::new();
    let file = LOAD
        .get_or_init(|| File::open("/proc/loadavg").ok())
        .as_ref()?;
    let mut line = [0; 128];
    let count = rustix::io::pread(file, &mut line, 0).ok()?;
    let load = std::str::from_utf8(line.get(..count)?).ok()?;
    load.split_ascii_whitespace().nth(4)?.parse().ok()
}

/// Returns a time in which process ids cannot wrap around; zero if unknown.
fn wrap_time() -> Duration {
    static LIMIT: OnceLock<u32> = OnceLock::new();
    let limit = LIMIT.get_or_init(|| {
        let limit = fs::read_to_string("/proc/sys/kernel/pid_max").ok();
        limit
            .and_then(|limit| limit.trim().parse().ok())
            .unwrap_or_default()
    });
    MIN_TIME_PER_ID * *limit
}

fn listed_ids() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Returns the processes that have the marker.
fn with_marker(mut checked: Vec<u32>, marker: &ProcessMarker) -> HashSet<u32> {
    let mut with_marker = HashSet::new();
    for _ in 0..MAX_ATTEMPTS {
        checked.retain(|id| {
            let found = has_marker(*id, marker);
            if found == Some(true) {
                with_marker.insert(*id);
            }
            found.is_none()
        });
        if checked.is_empty() {
            break;
        }
        thread::sleep(RETRY_INTERVAL);
    }
    with_marker
}

/// Returns whether a process has the marker, or `None` if its environment is empty, perhaps during
/// `exec`.
fn has_marker(id: u32, marker: &ProcessMarker) -> Option<bool> {
    let mut environ = Vec::with_capacity(USUAL_ENVIRON_BYTES);
    let read = File::open(format!("/proc/{id}/environ"))
        .and_then(|file| file.take(MAX_ENVIRON_BYTES).read_to_end(&mut environ));
    match read {
        Ok(1..) => Some(marker.is_in(&environ)),
        // It belongs to another user.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some(false),
        // A process that has just exited has no environment either.
        _ => Entry::read(id).is_none().then_some(false),
    }
}

/// Adds all descendants of `ours`, visiting each process once.
fn add_descendants(ours: &mut HashSet<u32>, entries: &HashMap<u32, Entry>) {
    let mut foreign = HashSet::from([0]);
    for id in entries.keys() {
        let mut line = HashSet::new();
        let mut above = *id;
        while !ours.contains(&above) && !foreign.contains(&above) && line.insert(above) {
            above = entries.get(&above).map_or(0, |entry| entry.parent);
        }
        if ours.contains(&above) {
            ours.extend(line);
        } else {
            foreign.extend(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_stat_with_any_program_name() {
        let tail = "4 5 5 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 77 2 3";
        for (stat, entry) in [
            (format!("9 (sh) S {tail}"), Some((4, 5, 77))),
            (format!("9 (a) b (c) R {tail}"), Some((4, 5, 77))),
            (format!("9 (sh) Z {tail}"), None),
            (
                format!("9 (kthread) S {}", tail.replace("4194560", "2129984")),
                None,
            ),
            ("9 (sh".to_owned(), None),
            ("9 (sh) S 4".to_owned(), None),
        ] {
            let entry = entry.map(|(parent, group, started)| Entry {
                parent,
                group,
                started,
            });
            assert_eq!(Entry::parse(stat.as_bytes()), entry, "{stat}");
        }
    }

    #[test]
    fn finds_descendants_at_any_depth() {
        let entries = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 7), (7, 6)].map(|(id, parent)| {
            let entry = Entry {
                parent,
                group: 0,
                started: 0,
            };
            (id, entry)
        });
        let mut ours = HashSet::from([2]);

        add_descendants(&mut ours, &HashMap::from(entries));

        assert_eq!(ours, HashSet::from([2, 3, 4]));
    }

    #[test]
    fn find_excludes_own_process() {
        let own_group = Entry::read(std::process::id()).unwrap().group;

        let found = find(&ProcessMarker::random(), own_group, None);

        assert!(found.iter().all(|found| found.id != std::process::id()));
    }
}
