//! Processes of one program: the cgroup that contains them, and the signals that terminate them.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::adoption::Leader;
use crate::cgroup::Lease;
use crate::child::Child;
use crate::descendants::{self, Descendant};
use crate::marks::Marks;

/// Time between SIGTERM and SIGKILL, in which programs can clean up.
const TERM_GRACE: Duration = Duration::from_millis(100);

/// Interval between checks.
const PAUSE: Duration = Duration::from_millis(5);

/// Maximum age of a program for the quick check. After a longer run, the cost of a complete scan is
/// negligible.
const QUICK_CHECK_AGE: Duration = Duration::from_secs(1);

/// Maximum time before a killed process that does not exit is abandoned. On a busy system, a process
/// needs CPU time to exit.
const MAX_KILL_TIME: Duration = Duration::from_secs(3);

/// Work to do after all processes have exited.
pub(super) struct AfterExit(pub(super) Box<dyn FnOnce() + Send + Sync>);

impl fmt::Debug for AfterExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AfterExit")
    }
}

/// Processes of one program.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) child: Child,
    pub(super) leader: u32,
    pub(super) marks: Marks,
    /// `None` without cgroups.
    pub(super) contained: Option<Contained>,
    pub(super) started: Instant,
    /// Start time in clock ticks since boot, once it was read.
    pub(super) started_at: Option<u64>,
    pub(super) ended: bool,
    pub(super) after_exit: Vec<AfterExit>,
    /// Dropped after the program is reaped.
    pub(super) adopter: Leader,
    /// Dropped last.
    pub(super) kept: Option<Box<dyn Any + Send + Sync>>,
}

impl Tree {
    /// Returns `true` if no process is left to kill and no work remains.
    pub(super) fn is_finished(&mut self) -> bool {
        self.after_exit.is_empty() && self.is_proven_gone()
    }

    /// Returns `true` if a quick check proves that neither the program nor its descendants are
    /// running.
    pub(super) fn is_proven_gone(&mut self) -> bool {
        let gone = self.has_ended()
            && match &self.contained {
                Some(contained) if contained.is_complete => !contained.lease.is_populated(),
                Some(contained) if contained.lease.is_populated() => false,
                _ => {
                    self.started.elapsed() < QUICK_CHECK_AGE
                        && descendants::are_excluded(&self.marks, self.leader, self.started)
                        && self.adopter.release()
                }
            };
        self.ended |= gone;
        gone
    }

    /// Kills all processes, waits for them to exit and returns how many there were without the program.
    pub(super) fn end(&mut self) -> usize {
        if self.is_proven_gone() {
            return 0;
        }
        // Its id cannot be reused before the program is reaped.
        if !self.has_ended() {
            self.started_at = descendants::started(self.leader);
        }
        // Search before the signal: once a parent has exited, its children can no longer be found through it.
        let found = self.descendants();
        let left = self.left(&found);
        self.terminate_group();
        found.iter().copied().for_each(Descendant::terminate);
        let since = Instant::now();
        // Wait only for the signalled processes; processes that they start now are found below.
        while since.elapsed() < TERM_GRACE && self.anything_runs(&found) {
            thread::sleep(PAUSE);
        }
        let since = Instant::now();
        while !self.ended && since.elapsed() < MAX_KILL_TIME {
            self.ended = self.kill_once();
        }
        if !self.ended {
            tracing::warn!("a process could not be killed");
        }
        left
    }

    /// Returns how many of the processes outlive the program.
    fn left(&self, found: &[Descendant]) -> usize {
        let others = found.iter().filter(|found| found.id() != self.leader);
        let others: Vec<Descendant> = others.copied().collect();
        if others.is_empty() {
            return 0;
        }
        // The last process of a pipeline may exit just after the shell. It outlives nothing.
        thread::sleep(PAUSE);
        others.into_iter().filter(|other| other.runs()).count()
    }

    /// Kills all processes found. Returns `true` if there were none.
    fn kill_once(&mut self) -> bool {
        self.kill_group();
        if let Some(contained) = &self.contained {
            contained.lease.kill();
        }
        let found = self.descendants();
        let contained = self.contained.as_ref();
        let is_populated = contained.is_some_and(|contained| contained.lease.is_populated());
        let is_alone = found.is_empty() && self.has_ended() && !is_populated;
        // An orphan may have been adopted after the search began.
        let clean = is_alone && self.adopter.release();
        found.into_iter().for_each(Descendant::kill);
        if !clean {
            thread::sleep(PAUSE);
        }
        clean
    }

    fn descendants(&self) -> Vec<Descendant> {
        let mut known = self.adopter.orphans();
        let contained = self.contained.iter();
        known.extend(contained.flat_map(|contained| contained.lease.processes()));
        descendants::find(&self.marks, self.leader, self.started_at, &known)
    }

    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // Only if no thread could be created to kill it.
        if !self.ended {
            self.kill_group();
            if let Some(contained) = &self.contained {
                contained.lease.kill();
            }
        }
        for AfterExit(work) in std::mem::take(&mut self.after_exit) {
            work();
        }
    }
}

#[cfg(unix)]
impl Tree {
    pub(super) fn anything_runs(&mut self, found: &[Descendant]) -> bool {
        // Other systems can only query the group; on Linux it may consist of zombies.
        !self.has_ended()
            || found.iter().any(|found| found.runs())
            || (cfg!(not(target_os = "linux"))
                && self
                    .group()
                    .is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok()))
    }

    pub(super) fn terminate_group(&mut self) {
        self.signal_group(rustix::process::Signal::TERM);
    }

    pub(super) fn kill_group(&mut self) {
        self.signal_group(rustix::process::Signal::KILL);
    }

    fn signal_group(&self, signal: rustix::process::Signal) {
        if let Some(group) = self.group() {
            // An error means that the group is gone or belongs to another user; the scans detect
            // both.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    fn group(&self) -> Option<rustix::process::Pid> {
        // 0 would signal our own group, 1 every process.
        let leader = i32::try_from(self.leader).ok().filter(|id| *id > 1)?;
        rustix::process::Pid::from_raw(leader)
    }
}

#[cfg(not(unix))]
impl Tree {
    pub(super) fn anything_runs(&mut self, _found: &[Descendant]) -> bool {
        !self.has_ended()
    }

    pub(super) fn terminate_group(&mut self) {
        let _ = self.child.start_kill();
    }

    pub(super) fn kill_group(&mut self) {
        let _ = self.child.start_kill();
    }
}

/// Maximum number of searches, and the number of subsequent searches without a result after which
/// no process is outside.
const MAX_SEARCHES: usize = 12;
const LAST_SEARCHES: usize = 2;

/// Cgroup of a tree.
#[derive(Debug)]
pub(crate) struct Contained {
    pub(crate) lease: Arc<Lease>,
    /// Whether the cgroup certainly contains all processes of the tree.
    pub(crate) is_complete: bool,
}

impl Contained {
    /// Moves a program that has just started, and its descendants, to a cgroup.
    ///
    /// A busy system may run the program for a while before it continues this process. Processes
    /// that the program has started and abandoned in this time are added only if a search finds
    /// their marks.
    pub(crate) fn new(lease: Arc<Lease>, leader: u32, marks: &Marks) -> Self {
        descendants::stop(leader);
        let contain = |id| lease.add(id).is_ok();
        let is_complete = contain(leader)
            && (descendants::is_youngest(leader) || descendants::contain_family(leader, contain));
        if !is_complete {
            contain_marked(&lease, leader, marks);
        }
        descendants::resume(leader);
        Self { lease, is_complete }
    }
}

/// Moves the processes that a search finds. Repeats the search, because processes outside the cgroup
/// may start others and exit during it.
fn contain_marked(lease: &Lease, leader: u32, marks: &Marks) {
    let mut without_result = 0;
    for _ in 0..MAX_SEARCHES {
        let contained = lease.processes();
        let found = descendants::find(marks, leader, None, &contained);
        let outside = found.into_iter().map(Descendant::id);
        let mut outside = outside.filter(|id| !contained.contains(id)).peekable();
        without_result = if outside.peek().is_some() {
            0
        } else {
            without_result + 1
        };
        if without_result == LAST_SEARCHES {
            return;
        }
        for id in outside {
            // An error means that the process has exited.
            let _ = lease.add(id);
        }
    }
}
