//! What `/proc` tells of the processes of a call.

#![expect(clippy::disallowed_methods, reason = "only paths of /proc, made here")]

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Read;
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, kill_process};

use crate::shell::cookie::Cookie;

/// The environment is read this far; a program that hides behind more is found through its parent.
const MAX_ENVIRON_BYTES: u64 = 4 * 1024 * 1024;

/// Above this many new processes a listing of all is cheaper than asking for each.
const MAX_PROBED: u32 = 64;

/// A running process of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Survivor {
    id: u32,
    entry: Entry,
    in_group: bool,
}

impl Survivor {
    /// Asks the process to end, unless its group was asked already: a handler should run once.
    pub(crate) fn terminate(self) {
        if !self.in_group {
            self.signal(Signal::TERM);
        }
    }

    /// Makes the process end.
    pub(crate) fn kill(self) {
        self.signal(Signal::KILL);
    }

    /// Whether it has not ended since it was found.
    pub(crate) fn runs(self) -> bool {
        // Its id may have passed to another process; the start time would then differ.
        Entry::read(self.id).is_some_and(|now| now.started == self.entry.started)
    }

    fn signal(self, signal: Signal) {
        let pid = i32::try_from(self.id).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid.filter(|_| self.runs()) {
            // An error means that it has ended, or is another user's; the next scan tells.
            let _ = kill_process(pid, signal);
        }
    }
}

/// One line of `/proc/<id>/stat`, as far as it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    parent: u32,
    group: u32,
    started: u64,
}

impl Entry {
    /// What runs under `id`; nothing for a process that has ended and only waits to be collected.
    fn read(id: u32) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{id}/stat")).ok()?)
    }

    fn parse(stat: &[u8]) -> Option<Self> {
        let stat = String::from_utf8_lossy(stat);
        // The name stands in parentheses and may hold anything, closing parentheses too.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        if matches!(fields.next()?, "Z" | "X") {
            return None;
        }
        Some(Self {
            parent: fields.next()?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
            started: fields.nth(16)?.parse().ok()?,
        })
    }
}

/// When a running process was started, in ticks of the system since its own start.
pub(crate) fn started(id: u32) -> Option<u64> {
    Some(Entry::read(id)?.started)
}

/// Every running process in the group of `leader`, with the cookie, or descended from one of these.
///
/// Only those that are not older than `since` are asked for their environment, which is the dear part.
pub(crate) fn find(cookie: &Cookie, leader: u32, since: Option<u64>) -> Vec<Survivor> {
    let entries: HashMap<u32, Entry> = listed_ids()
        .filter_map(|id| Some((id, Entry::read(id)?)))
        .collect();
    let mut ours: HashSet<u32> = entries
        .iter()
        .filter(|(id, entry)| {
            let is_young = since.is_none_or(|since| entry.started >= since);
            entry.group == leader || (is_young && carries(**id, cookie))
        })
        .map(|(id, _)| *id)
        .collect();
    add_descendants(&mut ours, &entries);
    ours.remove(&std::process::id());
    entries
        .into_iter()
        .filter(|(id, _)| ours.contains(id))
        .map(|(id, entry)| Survivor {
            id,
            entry,
            in_group: entry.group == leader,
        })
        .collect()
}

/// Whether nothing of the call can run any more, found by asking only for the few processes younger than `leader`, which
/// was collected.
///
/// This holds as long as the ids of processes have not come round since `leader` was started. A no is no proof of the
/// contrary: [`find`] tells.
pub(crate) fn are_excluded(cookie: &Cookie, leader: u32) -> bool {
    let Some(youngest) = youngest_id() else {
        return false;
    };
    (leader..=leader.saturating_add(MAX_PROBED)).contains(&youngest)
        && (leader.saturating_add(1)..=youngest).all(|id| !is_of_call(id, cookie, leader))
}

fn is_of_call(id: u32, cookie: &Cookie, leader: u32) -> bool {
    Entry::read(id).is_some_and(|entry| entry.group == leader || carries(id, cookie))
}

fn youngest_id() -> Option<u32> {
    // Open for as long as the host runs: opening it takes longer than reading it.
    static LOAD: OnceLock<Option<File>> = OnceLock::new();
    let file = LOAD
        .get_or_init(|| File::open("/proc/loadavg").ok())
        .as_ref()?;
    let mut line = [0; 128];
    let count = rustix::io::pread(file, &mut line, 0).ok()?;
    let load = std::str::from_utf8(line.get(..count)?).ok()?;
    load.split_ascii_whitespace().nth(4)?.parse().ok()
}

fn listed_ids() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn carries(id: u32, cookie: &Cookie) -> bool {
    let mut environ = Vec::new();
    File::open(format!("/proc/{id}/environ"))
        .and_then(|file| file.take(MAX_ENVIRON_BYTES).read_to_end(&mut environ))
        .is_ok_and(|_| cookie.is_in(&environ))
}

/// Walks up from every process once; what hangs below one of ours is ours.
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
    fn a_line_of_stat_is_read_whatever_the_program_is_called() {
        let tail = "4 5 5 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 77 2 3";
        for (stat, entry) in [
            (format!("9 (sh) S {tail}"), Some((4, 5, 77))),
            (format!("9 (a) b (c) R {tail}"), Some((4, 5, 77))),
            (format!("9 (sh) Z {tail}"), None),
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
    fn descendants_are_found_at_any_depth_and_circles_end() {
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
    fn this_process_is_never_among_the_survivors() {
        let own_group = Entry::read(std::process::id()).unwrap().group;

        let found = find(&Cookie::random(), own_group, None);

        assert!(found.iter().all(|found| found.id != std::process::id()));
    }
}
