//! What `/proc` tells of the processes of a call.

#![expect(clippy::disallowed_methods, reason = "only paths of /proc, made here")]

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::shell::cookie::Cookie;

/// The environment is read this far; a program that hides behind more is found through its parent.
const MAX_ENVIRON_BYTES: u64 = 4 * 1024 * 1024;

/// Most environments are read at once: of one read in pieces the rest is missing where the program changes in between.
const USUAL_ENVIRON_BYTES: usize = 16 * 1024;

/// Above this many new processes a listing of all is cheaper than asking for each.
const MAX_PROBED: u32 = 64;

/// How often to list all processes when new ones are made meanwhile, before what was seen is taken for all there is.
const MAX_LISTINGS: u32 = 3;

/// How often to ask a process that has no environment yet, and how long to wait in between: while it becomes another
/// program it is given that last, and reading what the program needs may take a while.
const MAX_ASKED: u32 = 10;
const ASK_AGAIN: Duration = Duration::from_millis(1);

/// The flag of what is a thread of the kernel's own.
const KERNEL_THREAD: u32 = 0x0020_0000;

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
    /// What runs under `id`; nothing for a process that has ended and only waits to be collected, or that is the kernel's.
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

/// When a running process was started, in ticks of the system since its own start.
pub(crate) fn started(id: u32) -> Option<u64> {
    Some(Entry::read(id)?.started)
}

/// Every running process in the group of `leader`, with the cookie, or descended from one of these.
///
/// Only those that are not older than `since` are asked for their environment, which is the dear part.
pub(crate) fn find(cookie: &Cookie, leader: u32, since: Option<u64>) -> Vec<Survivor> {
    let mut youngest = youngest_id();
    let mut found = Vec::new();
    for _ in 0..MAX_LISTINGS {
        found = listed(cookie, leader, since);
        let youngest_now = youngest_id();
        // One that ends while it is asked may have started another behind the end of the list.
        if !found.is_empty() || youngest_now == youngest {
            break;
        }
        youngest = youngest_now;
    }
    found
}

fn listed(cookie: &Cookie, leader: u32, since: Option<u64>) -> Vec<Survivor> {
    let entries: HashMap<u32, Entry> = listed_ids()
        .filter_map(|id| Some((id, Entry::read(id)?)))
        .collect();
    let (grouped, others): (Vec<_>, Vec<_>) =
        entries.iter().partition(|(_, entry)| entry.group == leader);
    let young = others
        .into_iter()
        .filter(|(_, entry)| since.is_none_or(|since| entry.started >= since))
        .map(|(id, _)| *id);
    let mut ours = bearers(young.collect(), cookie);
    ours.extend(grouped.into_iter().map(|(id, _)| *id));
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
/// has ended.
///
/// This holds as long as the ids of processes have not come round since `leader` was started. A no is no proof of the
/// contrary: [`find`] tells.
pub(crate) fn are_excluded(cookie: &Cookie, leader: u32) -> bool {
    let last = leader.saturating_add(MAX_PROBED);
    let mut asked = leader;
    while let Some(youngest) = youngest_id().filter(|id| (asked..=last).contains(id)) {
        // Whoever has ended before it was asked may have started another, which is younger.
        if youngest == asked {
            return true;
        }
        let mut ids = asked.saturating_add(1)..=youngest;
        if ids.any(|id| may_be_of_call(id, cookie, leader)) {
            return false;
        }
        asked = youngest;
    }
    false
}

fn may_be_of_call(id: u32, cookie: &Cookie, leader: u32) -> bool {
    Entry::read(id).is_some_and(|entry| entry.group == leader || carries(id, cookie) != Some(false))
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

/// Which of these carry the cookie.
fn bearers(mut asked: Vec<u32>, cookie: &Cookie) -> HashSet<u32> {
    let mut bearers = HashSet::new();
    for _ in 0..MAX_ASKED {
        asked.retain(|id| {
            let answer = carries(*id, cookie);
            if answer == Some(true) {
                bearers.insert(*id);
            }
            answer.is_none()
        });
        if asked.is_empty() {
            break;
        }
        thread::sleep(ASK_AGAIN);
    }
    bearers
}

/// Whether a process carries the cookie; `None` where it has no environment, perhaps not yet.
fn carries(id: u32, cookie: &Cookie) -> Option<bool> {
    let mut environ = Vec::with_capacity(USUAL_ENVIRON_BYTES);
    let read = File::open(format!("/proc/{id}/environ"))
        .and_then(|file| file.take(MAX_ENVIRON_BYTES).read_to_end(&mut environ));
    match read {
        Ok(1..) => Some(cookie.is_in(&environ)),
        // Another user's.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some(false),
        // One that has just ended has none either.
        _ => Entry::read(id).is_none().then_some(false),
    }
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
