//! Ending a program together with everything it started.

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
use super::cookie::Cookie;
use super::remark::Remark;
use super::survivors::{self, Survivor};

/// How long programs may tidy up between being asked and being made to end.
const TERM_GRACE: Duration = Duration::from_millis(100);

/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(5);

/// Up to this age of a program a quick look is enough. Ids of processes are given out in order and come round again;
/// nothing makes that many processes in this time, and after a longer run a thorough look is cheap by comparison.
const QUICK_LOOK_AGE: Duration = Duration::from_secs(1);

/// How often to look before a process that does not end is left alone.
const MAX_SCANS: u32 = 20;

/// How long a runtime that goes down waits for programs to end; they take a tenth of that at most.
const LONGEST_END: Duration = Duration::from_secs(5);

/// What is to be done when nothing of a call runs any more.
struct Afterwards(Box<dyn FnOnce() -> Vec<Remark> + Send + Sync>);

impl fmt::Debug for Afterwards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Afterwards")
    }
}

/// A running program with its descendants. The program is collected last of all: as long as it is not, no other process
/// and no other group has its number, by which its group is ended. (Elsewhere than on Linux it is collected when it ends.)
///
/// Dropping it ends them all, on a thread of its own.
///
/// A runtime that goes down meanwhile waits for that, so that a host which ends leaves nothing behind.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    tree: Option<Tree>,
    runtime: Option<Handle>,
}

#[derive(Debug)]
struct Tree {
    child: Child,
    leader: u32,
    cookie: Cookie,
    started: Instant,
    /// The same by the clock of the system, once it was asked for.
    started_at: Option<u64>,
    ended: bool,
    afterwards: Option<Afterwards>,
}

impl ProcessTree {
    /// Guards a program that was started as the leader of a new group, with the cookie in its environment.
    pub(crate) fn new(child: Child, cookie: Cookie) -> Self {
        let leader = child.id();
        let tree = Tree {
            child,
            leader,
            cookie,
            started: Instant::now(),
            started_at: None,
            ended: false,
            afterwards: None,
        };
        Self {
            tree: Some(tree),
            runtime: Handle::try_current().ok(),
        }
    }

    /// Does `work` when nothing runs any more, however the call ends. It may block.
    #[cfg(feature = "sandbox")]
    pub(crate) fn afterwards(
        &mut self,
        work: impl FnOnce() -> Vec<Remark> + Send + Sync + 'static,
    ) {
        if let Some(tree) = &mut self.tree {
            tree.afterwards = Some(Afterwards(Box::new(work)));
        }
    }

    /// Waits for the program itself. Giving up the wait loses nothing.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.tree {
            Some(tree) => tree.child.wait().await,
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// How the program itself ended, if it has.
    #[cfg(target_os = "linux")]
    pub(crate) fn try_wait(&mut self) -> Option<ExitStatus> {
        self.tree.as_mut()?.child.try_wait().ok()?
    }

    /// Whether a quick look tells that there is nothing to end.
    pub(crate) fn is_over(&mut self) -> bool {
        let is_over = self.tree.as_mut().is_none_or(Tree::needs_no_end);
        if is_over {
            self.tree = None;
        }
        is_over
    }

    /// Ends whatever still runs, and returns when it is gone, with what is to be said of it.
    pub(crate) async fn end(&mut self) -> Vec<Remark> {
        if self.is_over() {
            return Vec::new();
        }
        let (done, ended) = oneshot::channel();
        self.end_in_background(move |remarks| {
            let _ = done.send(remarks);
        });
        // An error means that the thread is gone, so that there is nothing to wait for.
        ended.await.unwrap_or_default()
    }

    fn end_in_background(&mut self, done: impl FnOnce(Vec<Remark>) + Send + 'static) {
        let Some(mut tree) = self.tree.take() else {
            return;
        };
        // Not a thread of the runtime's: all of them may be taken, or the runtime may be going down.
        let started = thread::Builder::new()
            .name("process-reaper".into())
            .spawn(move || {
                tree.end();
                done(tree.tidy());
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
        // Nothing is told here: whoever leaves the group is only found as long as its parents live.
        let (done, ended) = mpsc::channel();
        self.end_in_background(move |_remarks| {
            let _ = done.send(());
        });
        if let Some(runtime) = self.runtime.take() {
            hold(&runtime, Awaited(ended));
        }
    }
}

/// Keeps a runtime from going down before the end has come: it waits for blocking work that runs, and drops what does not
/// run yet, which waits as well.
fn hold(runtime: &Handle, awaited: Awaited) {
    let held = catch_unwind(AssertUnwindSafe(|| {
        runtime.spawn_blocking(move || drop(awaited))
    }));
    if held.is_err() {
        tracing::warn!("no thread to wait for the end of a process tree with");
    }
}

/// Waits when it is dropped.
struct Awaited(mpsc::Receiver<()>);

impl Drop for Awaited {
    fn drop(&mut self) {
        // An error means that the thread is gone, or that it takes too long.
        let _ = self.0.recv_timeout(LONGEST_END);
    }
}

impl Tree {
    fn needs_no_end(&mut self) -> bool {
        self.afterwards.is_none() && self.is_surely_gone()
    }

    /// Whether a quick look tells that neither the program nor anything it started can run any more.
    fn is_surely_gone(&mut self) -> bool {
        let gone = self.has_ended()
            && self.started.elapsed() < QUICK_LOOK_AGE
            && survivors::are_excluded(&self.cookie, self.leader);
        self.ended |= gone;
        gone
    }

    fn end(&mut self) {
        if self.is_surely_gone() {
            return;
        }
        // As long as it was not collected, nobody else has its id.
        if !self.has_ended() {
            self.started_at = survivors::started(self.leader);
        }
        let found = self.survivors();
        self.terminate_group();
        found.iter().copied().for_each(Survivor::terminate);
        let since = Instant::now();
        // Only those that were asked are waited for; what they start in answer is found below.
        while since.elapsed() < TERM_GRACE && self.anything_runs(&found) {
            thread::sleep(PAUSE);
        }
        self.ended = (0..MAX_SCANS).any(|_| self.kill_once());
        if !self.ended {
            tracing::warn!("a process of a call could not be ended");
        }
    }

    fn tidy(&mut self) -> Vec<Remark> {
        self.afterwards
            .take()
            .map_or_else(Vec::new, |Afterwards(work)| work())
    }

    /// Kills what is found; true when there was nothing to kill.
    fn kill_once(&mut self) -> bool {
        self.kill_group();
        let found = self.survivors();
        let clean = self.has_ended() && found.is_empty();
        found.into_iter().for_each(Survivor::kill);
        if !clean {
            thread::sleep(PAUSE);
        }
        clean
    }

    fn survivors(&self) -> Vec<Survivor> {
        survivors::find(&self.cookie, self.leader, self.started_at)
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

#[cfg(unix)]
impl Tree {
    fn anything_runs(&mut self, found: &[Survivor]) -> bool {
        // Elsewhere than on Linux there is only the group to ask; on Linux it may hold mere zombies.
        !self.has_ended()
            || found.iter().any(|found| found.runs())
            || (cfg!(not(target_os = "linux"))
                && self
                    .group()
                    .is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok()))
    }

    fn terminate_group(&mut self) {
        self.signal_group(rustix::process::Signal::TERM);
    }

    fn kill_group(&mut self) {
        self.signal_group(rustix::process::Signal::KILL);
    }

    fn signal_group(&self, signal: rustix::process::Signal) {
        if let Some(group) = self.group() {
            // An error means that the group is gone, or is another user's; the scans tell.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    fn group(&self) -> Option<rustix::process::Pid> {
        // Groups 0 and 1 would be the host's own and everybody's.
        let leader = i32::try_from(self.leader).ok().filter(|id| *id > 1)?;
        rustix::process::Pid::from_raw(leader)
    }
}

#[cfg(not(unix))]
impl Tree {
    fn anything_runs(&mut self, _found: &[Survivor]) -> bool {
        !self.has_ended()
    }

    fn terminate_group(&mut self) {
        let _ = self.child.start_kill();
    }

    fn kill_group(&mut self) {
        let _ = self.child.start_kill();
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // Only when there was no thread to end it properly.
        if !self.ended {
            self.kill_group();
        }
        self.tidy();
    }
}
