//! Processes in `/proc`, and the proof that all descendants of a program are known.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

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
    pub(super) fn new(id: u32, entry: Entry, leader: u32) -> Self {
        Self {
            id,
            entry,
            in_group: entry.group == leader,
        }
    }

    pub(crate) fn id(self) -> u32 {
        self.id
    }

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
        if self.runs() {
            send(self.id, signal);
        }
    }
}

/// Sends a signal to a process.
pub(super) fn send(id: u32, signal: Signal) {
    if let Some(id) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // An error means that it has exited or belongs to another user; the next scan detects both.
        let _ = kill_process(id, signal);
    }
}

/// Required fields of `/proc/<id>/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(super) parent: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    /// Start time in clock ticks since boot.
    pub(crate) started: u64,
    pub(crate) is_zombie: bool,
}

impl Entry {
    /// Reads the entry of a running process. Returns `None` for zombies and kernel threads.
    pub(crate) fn read(id: u32) -> Option<Self> {
        Self::read_any(id).filter(|entry| !entry.is_zombie)
    }

    /// Reads the entry of a process that may have exited. Returns `None` for kernel threads.
    pub(crate) fn read_any(id: u32) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{id}/stat")).ok()?)
    }

    fn parse(stat: &[u8]) -> Option<Self> {
        let stat = String::from_utf8_lossy(stat);
        // The name is in parentheses and may contain any character, including parentheses.
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        let is_zombie = matches!(fields.next()?, "Z" | "X");
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        let flags: u32 = fields.nth(2)?.parse().ok()?;
        let started = fields.nth(12)?.parse().ok()?;
        let entry = Self {
            parent,
            group,
            session,
            started,
            is_zombie,
        };
        (flags & KERNEL_THREAD == 0).then_some(entry)
    }
}

/// Maximum number of processes that are visited.
const MAX_PROCESSES: usize = 64;

/// Bit of `SIGCHLD` in the signals that a process ignores.
const CHILD_SIGNAL: u64 = 1 << 16;

/// Passes a running process and all its descendants to `contain`, parents first. Returns `true` if
/// the processes passed are certainly all, and later ones inherit the containment.
///
/// A descendant is unknown only if its parent has exited. Then the parent is a zombie, was counted
/// when it was reaped, or was a child of a process that ignores the exit of its children.
pub(crate) fn contain_family(leader: u32, contain: impl Fn(u32) -> bool) -> bool {
    let mut open = vec![leader];
    for _ in 0..MAX_PROCESSES {
        let Some(id) = open.pop() else {
            return true;
        };
        if !contain(id) {
            return false;
        }
        // Read the children after containing their parent: later children are contained, too.
        let found = children(id);
        // Check the parent last: when it exits, it loses its children as it becomes a zombie.
        if !StatFields::read(id).is_some_and(|record| record.keeps_children()) {
            return false;
        }
        open.extend(found);
    }
    false
}

/// Fields of `/proc/<id>/stat` about children.
#[derive(Debug, PartialEq, Eq)]
struct StatFields {
    is_zombie: bool,
    /// Page faults of children that were waited for. Each child has at least one.
    faults_of_children: u64,
    ignored_signals: u64,
}

impl StatFields {
    fn read(id: u32) -> Option<Self> {
        Self::parse(&String::from_utf8_lossy(
            &fs::read(format!("/proc/{id}/stat")).ok()?,
        ))
    }

    fn parse(stat: &str) -> Option<Self> {
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_ascii_whitespace();
        Some(Self {
            is_zombie: matches!(fields.next()?, "Z" | "X"),
            faults_of_children: fields.nth(7)?.parse().ok()?,
            ignored_signals: fields.nth(21)?.parse().ok()?,
        })
    }

    fn keeps_children(&self) -> bool {
        !self.is_zombie && self.faults_of_children == 0 && self.ignored_signals & CHILD_SIGNAL == 0
    }
}

/// Returns the children of all threads of a process.
fn children(id: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{id}/task"));
    let lists = threads.into_iter().flatten().flatten();
    let lists = lists.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let lists: Vec<String> = lists.collect();
    let ids = lists.iter().flat_map(|list| list.split_ascii_whitespace());
    ids.filter_map(|id| id.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    #[test]
    fn parses_stat_with_any_program_name() {
        let tail = "4 5 6 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 77 2 3";
        for (stat, entry) in [
            (format!("9 (sh) S {tail}"), Some(false)),
            (format!("9 (a) b (c) R {tail}"), Some(false)),
            (format!("9 (sh) Z {tail}"), Some(true)),
            (
                format!("9 (kthread) S {}", tail.replace("4194560", "2129984")),
                None,
            ),
            ("9 (sh".to_owned(), None),
            ("9 (sh) S 4".to_owned(), None),
        ] {
            let entry = entry.map(|is_zombie| Entry {
                parent: 4,
                group: 5,
                session: 6,
                started: 77,
                is_zombie,
            });
            assert_eq!(Entry::parse(stat.as_bytes()), entry, "{stat}");
        }
    }

    /// Maximum time for a script to reach its state on a busy system.
    const MAX_WAIT: Duration = Duration::from_secs(30);

    /// Waits until the family of a script has the expected state. Returns the last state.
    fn family_after(script: &str, is_expected: impl Fn((bool, usize)) -> bool) -> (bool, usize) {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", script])
            .process_group(0)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        let found = loop {
            let count = Cell::new(0);
            let known = contain_family(shell.id(), |_| {
                count.set(count.get() + 1);
                true
            });
            let found = (known, count.get());
            if is_expected(found) || began.elapsed() > MAX_WAIT {
                break found;
            }
            sleep(Duration::from_millis(5));
        };
        let _ = kill_process_group(Pid::from_child(&shell), Signal::KILL);
        shell.wait().unwrap();
        found
    }

    #[test]
    fn family_without_exited_members_is_known() {
        for (script, expected) in [
            ("exec sleep 60", (true, 1)),
            ("sleep 60 & sleep 60; true", (true, 3)),
            ("(sleep 60; true) & wait", (true, 3)),
            ("setsid sleep 5 & wait", (true, 2)),
        ] {
            let found = family_after(script, |found| found == expected);

            assert_eq!(found, expected, "{script}");
        }
    }

    #[test]
    fn family_with_exited_member_is_unknown() {
        for script in [
            "(sleep 60 &); sleep 60; true",
            "/bin/true; sleep 60; true",
            "/bin/true & exec sleep 60",
            "exec env --ignore-signal=CHLD sleep 60",
            "exit 0",
        ] {
            let (is_known, _) = family_after(script, |(is_known, _)| !is_known);

            assert!(!is_known, "{script}");
        }
    }

    #[test]
    fn parses_fields_about_children() {
        let stat = "9 (a) b) S 1 2 3 4 5 6 7 88 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 \
            26 27 28 29 65536";

        assert_eq!(
            StatFields::parse(stat),
            Some(StatFields {
                is_zombie: false,
                faults_of_children: 88,
                ignored_signals: 65536,
            })
        );
    }
}
