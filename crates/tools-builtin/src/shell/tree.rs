//! Termination of a program and all processes that it started.

mod group;

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitStatus;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::child::Child;
use super::descendants::{self, Descendant};
use super::notice::RunNotice;
use super::process_marker::ProcessMarker;

/// Time between SIGTERM and SIGKILL, in which programs can clean up.
const TERM_GRACE: Duration = Duration::from_millis(100);

/// Interval between checks.
const PAUSE: Duration = Duration::from_millis(5);

/// Maximum age of a program for the quick check. After a longer run, the cost of a complete scan is
/// negligible.
const QUICK_CHECK_AGE: Duration = Duration::from_secs(1);

/// Maximum number of scans before a process that does not exit is abandoned.
const MAX_SCANS: u32 = 20;

/// Maximum time for which a runtime that shuts down waits for programs to exit. They normally need
/// less than a tenth of it.
const LONGEST_END: Duration = Duration::from_secs(5);

/// Work to do after all processes of a call have exited.
struct AfterExit(Box<dyn FnOnce() -> Vec<RunNotice> + Send + Sync>);

impl fmt::Debug for AfterExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AfterExit")
    }
}

/// Running program with its descendants.
///
/// On Linux the program is reaped last, because its id, which is also the id of its process group,
/// cannot be reused before that. On other systems it is reaped when it exits.
///
/// Dropping the tree kills all its processes on a separate thread. A runtime that shuts down waits
/// for this thread.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    tree: Option<Tree>,
    runtime: Option<Handle>,
}

#[derive(Debug)]
struct Tree {
    child: Child,
    leader: u32,
    marker: ProcessMarker,
    started: Instant,
    /// Start time in clock ticks since boot, once it was read.
    started_at: Option<u64>,
    ended: bool,
    after_exit: Option<AfterExit>,
}

impl ProcessTree {
    /// Creates a tree for a program that leads its own process group and has the marker in its
    /// environment. `started` is a time just before its start.
    pub(crate) fn new(child: Child, marker: ProcessMarker, started: Instant) -> Self {
        let leader = child.id();
        let tree = Tree {
            child,
            leader,
            marker,
            started,
            started_at: None,
            ended: false,
            after_exit: None,
        };
        Self {
            tree: Some(tree),
            runtime: Handle::try_current().ok(),
        }
    }

    /// Sets `work` to be called after all processes have exited, also if the call is dropped. It
    /// may block.
    #[cfg(feature = "sandbox")]
    pub(crate) fn after_exit(
        &mut self,
        work: impl FnOnce() -> Vec<RunNotice> + Send + Sync + 'static,
    ) {
        if let Some(tree) = &mut self.tree {
            tree.after_exit = Some(AfterExit(Box::new(work)));
        }
    }

    /// Waits for the program itself. Cancel safe.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.tree {
            Some(tree) => tree.child.wait().await,
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Returns the exit status of the program itself, if it has exited.
    #[cfg(target_os = "linux")]
    pub(crate) fn try_wait(&mut self) -> Option<ExitStatus> {
        self.tree.as_mut()?.child.try_wait().ok()?
    }

    /// Returns `true` if a quick check finds no process to kill.
    pub(crate) fn is_over(&mut self) -> bool {
        let is_over = self.tree.as_mut().is_none_or(Tree::needs_no_kill);
        if is_over {
            self.tree = None;
        }
        is_over
    }

    /// Kills all remaining processes, waits for them to exit and returns the notices of the
    /// cleanup.
    pub(crate) async fn end(&mut self) -> Vec<RunNotice> {
        if self.is_over() {
            return Vec::new();
        }
        let (done, ended) = oneshot::channel();
        self.kill_in_background(move |notices| {
            let _ = done.send(notices);
        });
        // An error means that the thread is gone, so there is nothing to wait for.
        ended.await.unwrap_or_default()
    }

    fn kill_in_background(&mut self, done: impl FnOnce(Vec<RunNotice>) + Send + 'static) {
        let Some(mut tree) = self.tree.take() else {
            return;
        };
        // Not a thread of the runtime: they may all be busy, or the runtime may be shutting down.
        let started = thread::Builder::new()
            .name("process-reaper".into())
            .spawn(move || {
                tree.end();
                let notices = tree.clean_up();
                // Reap the program before the call returns.
                drop(tree);
                done(notices);
            });
        if let Err(error) = started {
            tracing::warn!(%error, "no thread to end a process tree with");
        }
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        if self.tree.is_none() {
            return;
        }
        // Do not signal here: processes outside the group are found only while their parents live.
        let (done, ended) = mpsc::channel();
        self.kill_in_background(move |_notices| {
            let _ = done.send(());
        });
        if let Some(runtime) = self.runtime.take() {
            hold(&runtime, Awaited(ended));
        }
    }
}

/// Delays the shutdown of a runtime until the processes have exited: the runtime waits for running
/// blocking tasks, and drops queued ones, whose drop waits too.
fn hold(runtime: &Handle, awaited: Awaited) {
    let held = catch_unwind(AssertUnwindSafe(|| {
        runtime.spawn_blocking(move || drop(awaited))
    }));
    if held.is_err() {
        tracing::warn!("no thread to wait for the end of a process tree with");
    }
}

struct Awaited(mpsc::Receiver<()>);

impl Drop for Awaited {
    fn drop(&mut self) {
        // An error means that the thread is gone or takes too long.
        let _ = self.0.recv_timeout(LONGEST_END);
    }
}

impl Tree {
    fn needs_no_kill(&mut self) -> bool {
        self.after_exit.is_none() && self.is_proven_gone()
    }

    /// Returns `true` if a quick check proves that neither the program nor its descendants are
    /// running.
    fn is_proven_gone(&mut self) -> bool {
        let gone = self.has_ended()
            && self.started.elapsed() < QUICK_CHECK_AGE
            && descendants::are_excluded(&self.marker, self.leader, self.started);
        self.ended |= gone;
        gone
    }

    fn end(&mut self) {
        if self.is_proven_gone() {
            return;
        }
        // Its id cannot be reused before the program is reaped.
        if !self.has_ended() {
            self.started_at = descendants::started(self.leader);
        }
        let found = self.descendants();
        self.terminate_group();
        found.iter().copied().for_each(Descendant::terminate);
        let since = Instant::now();
        // Wait only for the signalled processes; processes that they start now are found below.
        while since.elapsed() < TERM_GRACE && self.anything_runs(&found) {
            thread::sleep(PAUSE);
        }
        self.ended = (0..MAX_SCANS).any(|_| self.kill_once());
        if !self.ended {
            tracing::warn!("a process of a call could not be killed");
        }
    }

    fn clean_up(&mut self) -> Vec<RunNotice> {
        self.after_exit
            .take()
            .map_or_else(Vec::new, |AfterExit(work)| work())
    }

    /// Kills all processes found. Returns `true` if there were none.
    fn kill_once(&mut self) -> bool {
        self.kill_group();
        let found = self.descendants();
        let clean = self.has_ended() && found.is_empty();
        found.into_iter().for_each(Descendant::kill);
        if !clean {
            thread::sleep(PAUSE);
        }
        clean
    }

    fn descendants(&self) -> Vec<Descendant> {
        descendants::find(&self.marker, self.leader, self.started_at)
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // Only if no thread could be created to kill it.
        if !self.ended {
            self.kill_group();
        }
        self.clean_up();
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::fs;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::Command;

    use rustix::process::{Pid, Signal, kill_process};

    use super::*;
    use crate::shell::process::tests::{descendants, marker, wait_for};

    fn started(script: &str) -> ProcessTree {
        let marker = ProcessMarker::random();
        let started = Instant::now();
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", script])
            .env(ProcessMarker::VARIABLE, marker.to_string())
            .process_group(0);
        let (child, _pipes) = Child::spawn(command, &[Path::new("/")]).unwrap();
        ProcessTree::new(child, marker, started)
    }

    fn youngest_id() -> u32 {
        let load = fs::read_to_string("/proc/loadavg").unwrap();
        load.split_ascii_whitespace()
            .nth(4)
            .unwrap()
            .parse()
            .unwrap()
    }

    #[tokio::test]
    #[ignore = "uses up all process ids of the host once"]
    async fn kills_processes_after_ids_wrap_around() {
        let marker = marker();
        // The descendant's id is higher than those that a quick check reads.
        let mut tree = started(&format!(
            "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done; \
             setsid sleep {marker} & kill -STOP $$"
        ));
        let leader = tree.tree.as_ref().unwrap().leader;
        let is_stopped = || {
            fs::read_to_string(format!("/proc/{leader}/stat"))
                .is_ok_and(|stat| stat.contains(") T "))
        };
        assert!(wait_for(is_stopped).await);
        while !(leader..leader + 50).contains(&youngest_id()) {
            thread::spawn(|| ()).join().unwrap();
        }
        // A faster host needs less than a second to get here.
        tree.tree.as_mut().unwrap().started = Instant::now()
            .checked_sub(Duration::from_millis(200))
            .unwrap();
        kill_process(Pid::from_raw(leader.cast_signed()).unwrap(), Signal::CONT).unwrap();
        tree.wait().await.unwrap();

        let is_over = tree.is_over();
        tree.end().await;

        assert_eq!((is_over, descendants(&marker)), (false, Vec::new()));
    }
}
