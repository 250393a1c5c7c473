//! Search for and termination of processes that outlive their program, including those outside its
//! process group.

mod entry;

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use entry::send;
pub(crate) use entry::{Descendant, Entry, contain_family};

use super::marks::Marks;

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

/// Number of and interval between attempts to read an empty environment, and the larger number for a
/// process without arguments. During `exec`, the kernel sets the arguments and then the environment
/// last, and a busy system may take long to load the program.
const MAX_ATTEMPTS: u32 = 10;
const MAX_ATTEMPTS_IN_EXEC: u32 = 200;
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// Returns the start time of a running process, in clock ticks since boot.
pub(crate) fn started(id: u32) -> Option<u64> {
    Some(Entry::read(id)?.started)
}

/// Stops a process until [`resume`].
pub(crate) fn stop(id: u32) {
    send(id, Signal::STOP);
}

pub(crate) fn resume(id: u32) {
    send(id, Signal::CONT);
}

/// Returns every running process that is in the group of `leader` or in `known`, has a mark, or
/// descends from such a process.
///
/// Reading environments is expensive, so only processes started at or after `since` are checked for
/// marks.
pub(crate) fn find(
    marks: &Marks,
    leader: u32,
    since: Option<u64>,
    known: &[u32],
) -> Vec<Descendant> {
    let mut youngest = youngest_id();
    let mut found = Vec::new();
    for _ in 0..MAX_LISTINGS {
        found = listed(marks, leader, since, known);
        let youngest_now = youngest_id();
        // A process that exits during the scan may have started another one that was not listed.
        if !found.is_empty() || youngest_now == youngest {
            break;
        }
        youngest = youngest_now;
    }
    found
}

fn listed(marks: &Marks, leader: u32, since: Option<u64>, known: &[u32]) -> Vec<Descendant> {
    let entries: HashMap<u32, Entry> = listed_ids()
        .filter_map(|id| Some((id, Entry::read(id)?)))
        .collect();
    let (certain, others): (Vec<_>, Vec<_>) = entries
        .iter()
        .partition(|(id, entry)| entry.group == leader || known.contains(id));
    let young = others
        .into_iter()
        .filter(|(_, entry)| since.is_none_or(|since| entry.started >= since))
        .map(|(id, _)| *id);
    let mut ours = with_marks(young.collect(), marks);
    ours.extend(certain.into_iter().map(|(id, _)| *id));
    add_descendants(&mut ours, &entries);
    // This process may carry a mark itself, and must never be killed with the tree.
    ours.remove(&std::process::id());
    entries
        .into_iter()
        .filter(|(id, _)| ours.contains(id))
        .map(|(id, entry)| Descendant::new(id, entry, leader))
        .collect()
}

/// Returns `true` if no process of the tree is running, by checking only the few processes younger
/// than `leader`, which has exited.
///
/// Returns `false` if process ids may have wrapped around since `started`, the time just before
/// `leader` was started. `false` is not a proof of the contrary; use [`find`] then.
pub(crate) fn are_excluded(marks: &Marks, leader: u32, started: Instant) -> bool {
    let last = leader.saturating_add(MAX_PROBED);
    let mut checked = leader;
    while let Some(youngest) = youngest_id().filter(|id| (checked..=last).contains(id)) {
        // A process that exited before it was checked may have started another one, which is
        // younger.
        if youngest == checked {
            return started.elapsed() < wrap_time();
        }
        let mut ids = checked.saturating_add(1)..=youngest;
        if ids.any(|id| may_be_ours(id, marks, leader)) {
            return false;
        }
        checked = youngest;
    }
    false
}

fn may_be_ours(id: u32, marks: &Marks, leader: u32) -> bool {
    Entry::read(id)
        .is_some_and(|entry| entry.group == leader || has_marks(id, marks) != Some(false))
}

/// Returns `true` if no process or thread was created after this process.
pub(crate) fn is_youngest(id: u32) -> bool {
    youngest_id() == Some(id)
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
        let limit = fs::read_to_string("/proc/sys/kernel/pid_max").unwrap_or_default();
        limit.trim().parse().unwrap_or_default()
    });
    MIN_TIME_PER_ID * *limit
}

fn listed_ids() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Returns the processes that have a mark.
fn with_marks(mut checked: Vec<u32>, marks: &Marks) -> HashSet<u32> {
    let mut marked = HashSet::new();
    for attempt in 0..MAX_ATTEMPTS_IN_EXEC {
        checked.retain(|id| {
            let found = has_marks(*id, marks);
            if found == Some(true) {
                marked.insert(*id);
            }
            found.is_none() && (attempt < MAX_ATTEMPTS || is_in_exec(*id))
        });
        if checked.is_empty() {
            break;
        }
        thread::sleep(RETRY_INTERVAL);
    }
    marked
}

/// Returns whether a process has a mark, or `None` if its environment is empty, perhaps during
/// `exec`.
fn has_marks(id: u32, marks: &Marks) -> Option<bool> {
    let mut environ = Vec::with_capacity(USUAL_ENVIRON_BYTES);
    let read = File::open(format!("/proc/{id}/environ"))
        .and_then(|file| file.take(MAX_ENVIRON_BYTES).read_to_end(&mut environ));
    match read {
        Ok(1..) => Some(marks.cookie.is_in(&environ) || has_pipe(id, marks)),
        // It belongs to another user.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some(false),
        // A process that has just exited has no environment either.
        _ if has_pipe(id, marks) => Some(true),
        _ => Entry::read(id).is_none().then_some(false),
    }
}

fn is_in_exec(id: u32) -> bool {
    fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| line.is_empty())
}

/// Adds all descendants of `ours`, visiting each process once.
fn add_descendants(ours: &mut HashSet<u32>, entries: &HashMap<u32, Entry>) {
    let mut foreign = HashSet::from([0]);
    for id in entries.keys() {
        let mut line = HashSet::new();
        let mut above = *id;
        // The entries were read one at a time, so parents may form a cycle when ids are reused; `insert` stops at it.
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

/// Bits of `flags` in `/proc/<id>/fdinfo/<fd>`, an octal number: opened for writing, and closed by
/// `exec`.
const WRITE_ONLY: u32 = 0o1;
const CLOSED_BY_EXEC: u32 = 0o2_000_000;

/// Maximum number of descriptors of a process that are checked.
const MAX_DESCRIPTORS: usize = 256;

/// Returns `true` if a process has inherited a pipe of the program.
///
/// A process of this host that has not yet called `exec` has all descriptors of the host, but these
/// are closed by `exec`.
fn has_pipe(id: u32, marks: &Marks) -> bool {
    if marks.pipes.iter().all(Option::is_none) || id == std::process::id() {
        return false;
    }
    let entries = fs::read_dir(format!("/proc/{id}/fd"));
    let descriptors = entries.into_iter().flatten().flatten();
    descriptors.take(MAX_DESCRIPTORS).any(|descriptor| {
        let target = fs::read_link(descriptor.path()).ok();
        let target = target.as_deref().and_then(|target| target.to_str());
        target.is_some_and(|target| marks.is_pipe(target))
            && is_inherited(id, &descriptor.file_name().to_string_lossy())
    })
}

fn is_inherited(id: u32, descriptor: &str) -> bool {
    let info = fs::read_to_string(format!("/proc/{id}/fdinfo/{descriptor}")).unwrap_or_default();
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
    // The reading ends are those of this process, so only a writing end proves anything.
    flags.is_some_and(|flags| flags & WRITE_ONLY != 0 && flags & CLOSED_BY_EXEC == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::Cookie;

    #[test]
    fn finds_descendants_at_any_depth() {
        let entries = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 7), (7, 6)].map(|(id, parent)| {
            let entry = Entry {
                parent,
                group: 0,
                session: 0,
                started: 0,
                is_zombie: false,
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

        let found = find(&Marks::of(Cookie::next()), own_group, None, &[]);

        assert!(found.iter().all(|found| found.id() != std::process::id()));
    }

    /// After this time, another process may have the id of an earlier one.
    #[test]
    fn excludes_nothing_after_ids_may_have_wrapped() {
        let marks = Marks::of(Cookie::next());
        let exclude_after = |elapsed: Duration| {
            let started = Instant::now().checked_sub(elapsed).unwrap();
            youngest_id().is_some_and(|youngest| are_excluded(&marks, youngest, started))
        };

        assert!(!exclude_after(wrap_time()));
        assert!(!exclude_after(wrap_time() * 2));
    }

    #[test]
    fn finds_process_by_inherited_pipe() {
        let (reader, writer) = std::io::pipe().unwrap();
        let mut program = std::process::Command::new("sleep")
            .arg("60")
            .env_clear()
            .stdout(writer)
            .spawn()
            .unwrap();
        let marks = Marks {
            pipes: [crate::marks::inode(&reader), None],
            ..Marks::of(Cookie::next())
        };

        let found = find(&marks, u32::MAX, None, &[]);

        program.kill().unwrap();
        program.wait().unwrap();
        let found: Vec<u32> = found.into_iter().map(Descendant::id).collect();
        assert_eq!(found, [program.id()]);
    }
}
