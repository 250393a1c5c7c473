//! Processes in `/proc`.

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

#[cfg(test)]
mod tests {
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
}
