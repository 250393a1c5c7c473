//! Termination of a program and all processes that it started.

mod processes;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitStatus;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{io, thread};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::adoption::{self, Leader};
use super::child::Child;
use super::host::Mechanism;
use super::marks::Marks;
pub(crate) use processes::Contained;
use processes::{AfterExit, Tree};

/// Running program with its descendants.
///
/// On Linux the program is reaped last: until then its id, which is also the id of its process group,
/// can't be reused, so a signal can't hit a stranger. On other systems it's reaped when it exits.
///
/// If you drop the tree, another thread kills all its processes. A runtime that shuts down waits at
/// most 5 seconds for this thread.
///
/// # Examples
/// ```
/// use std::process::Command;
/// use process_tree::ProcessTrees;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// let mut command = Command::new("sleep");
/// command.arg("600");
/// let mut tree = ProcessTrees::prepare().start(command, &["/".as_ref()])?.tree;
/// assert!(tree.id().is_some());
///
/// tree.end().await;
/// assert!(tree.id().is_none());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct ProcessTree {
    tree: Option<Tree>,
    runtime: Option<Handle>,
    mechanism: Mechanism,
}

impl ProcessTree {
    /// Creates a tree for a program that leads its own process group and has the marks.
    /// `started` is a time just before its start.
    pub(crate) fn new(
        child: Child,
        adopter: Leader,
        marks: Marks,
        contained: Option<Contained>,
        started: Instant,
    ) -> Self {
        let is_complete = contained.as_ref().is_some_and(|all| all.is_complete);
        let tree = Tree {
            leader: child.id(),
            child,
            marks,
            contained,
            started,
            started_at: None,
            ended: false,
            after_exit: Vec::new(),
            adopter,
            kept: None,
        };
        Self {
            tree: Some(tree),
            runtime: Handle::try_current().ok(),
            mechanism: mechanism(is_complete),
        }
    }

    /// Returns the mechanism that finds the processes of this tree.
    ///
    /// It's weaker than that of [`ProcessTrees`](crate::ProcessTrees) if the cgroup may lack some of
    /// them: the program started and abandoned a process before it could be moved, or no cgroup could
    /// be created.
    pub fn mechanism(&self) -> Mechanism {
        self.mechanism
    }

    /// Returns the process id of the program, or `None` after the tree was terminated.
    pub fn id(&self) -> Option<u32> {
        Some(self.tree.as_ref()?.leader)
    }

    /// Adds what to do after all processes have exited, even if the tree is dropped: for example
    /// removing the directory in which they worked. `work` may block.
    pub fn after_exit(&mut self, work: impl FnOnce() + Send + Sync + 'static) {
        if let Some(tree) = &mut self.tree {
            tree.after_exit.push(AfterExit(Box::new(work)));
        }
    }

    /// Keeps `value` until all processes have exited and the program is reaped, even if the tree is
    /// dropped, so that the other end of a channel tells you when that is. Replaces an earlier value.
    /// Dropping `value` must not block; use [`after_exit`](Self::after_exit) for work that may.
    ///
    /// # Examples
    /// ```
    /// use std::process::Command;
    /// use std::sync::mpsc::{self, RecvTimeoutError};
    /// use std::time::Duration;
    /// use process_tree::ProcessTrees;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
    /// let mut command = Command::new("sleep");
    /// command.arg("600");
    /// let mut tree = ProcessTrees::prepare().start(command, &["/".as_ref()])?.tree;
    /// let (sender, receiver) = mpsc::channel::<()>();
    /// tree.keep(sender);
    ///
    /// drop(tree);
    /// let ended = receiver.recv_timeout(Duration::from_secs(10));
    /// assert_eq!(ended, Err(RecvTimeoutError::Disconnected));
    /// # Ok(()) }
    /// ```
    pub fn keep(&mut self, value: impl Send + Sync + 'static) {
        if let Some(tree) = &mut self.tree {
            tree.kept = Some(Box::new(value));
        }
    }

    /// Waits for the program itself; its descendants may still run. Cancel safe.
    ///
    /// # Errors
    /// Returns an error if the system does not report the exit status, or if the tree was
    /// terminated before.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        match &mut self.tree {
            Some(tree) => tree.child.wait().await,
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Waits for at most `limit` until the program itself exits. Blocks, but needs no runtime, which
    /// is faster for programs that exit at once. May return `None` before the limit.
    #[cfg(target_os = "linux")]
    pub fn wait_now(&mut self, limit: Duration) -> Option<ExitStatus> {
        self.tree.as_mut()?.child.wait_now(limit).ok()?
    }

    /// Returns `true` if a quick check proves that no process is left to kill, after doing the work of
    /// [`after_exit`](Self::after_exit) on this thread, which may block.
    ///
    /// `false` doesn't mean that a process is left; call [`end`](Self::end) then.
    pub fn end_if_over(&mut self) -> bool {
        drop(self.tree.take_if(Tree::is_proven_gone));
        self.tree.is_none()
    }

    /// Kills all remaining processes, waits for them to exit and returns how many there were,
    /// without the program itself.
    ///
    /// The processes receive SIGTERM, and SIGKILL after 100 ms, so that they can clean up. If you drop
    /// the returned future, another thread completes the work.
    pub async fn end(&mut self) -> usize {
        // Usually nothing is left, and then no thread is needed.
        drop(self.tree.take_if(Tree::is_finished));
        let (done, ended) = oneshot::channel();
        self.kill_in_background(move |left| {
            // An error means that nobody waits any more.
            let _ = done.send(left);
        });
        // An error means that there was nothing to kill, or no thread to do it.
        ended.await.unwrap_or_default()
    }

    /// Terminates the tree on a separate thread, and then calls `done` with the number of processes that
    /// were left. Drops `done` if there is no tree.
    fn kill_in_background(&mut self, done: impl FnOnce(usize) + Send + 'static) {
        let Some(mut tree) = self.tree.take() else {
            return;
        };
        // Not a thread of the runtime: they may all be busy, or the runtime may be shutting down.
        let started = thread::Builder::new()
            .name("process-reaper".into())
            .spawn(move || {
                let left = tree.end();
                // Reap the program before the caller continues.
                drop(tree);
                done(left);
            });
        if let Err(error) = started {
            tracing::warn!(%error, "no thread to end a process tree with");
        }
    }
}

/// Returns the mechanism for programs with or without a cgroup.
pub(crate) fn mechanism(has_cgroup: bool) -> Mechanism {
    if has_cgroup {
        Mechanism::Cgroup
    } else if adoption::is_enabled() {
        Mechanism::Subreaper
    } else if cfg!(target_os = "linux") {
        Mechanism::Cookie
    } else if cfg!(unix) {
        Mechanism::ProcessGroup
    } else {
        Mechanism::Program
    }
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        if self.tree.is_none() {
            return;
        }
        // Do not signal here: processes outside the group are found only while their parents live.
        let (done, ended) = mpsc::channel::<()>();
        self.kill_in_background(move |_| drop(done));
        if let Some(runtime) = self.runtime.take() {
            delay_shutdown(&runtime, ended);
        }
    }
}

/// Maximum time for which a runtime that shuts down waits for programs to exit. They normally need
/// less than a tenth of it.
const MAX_SHUTDOWN_WAIT: Duration = Duration::from_secs(5);

/// Delays the shutdown of a runtime until the processes have exited: the runtime waits for running
/// blocking tasks, and drops queued ones, whose drop waits too.
fn delay_shutdown(runtime: &Handle, ended: mpsc::Receiver<()>) {
    let awaited = WaitOnDrop(ended);
    // `spawn_blocking` panics if the system can't start a thread, and a drop must not panic.
    let held = catch_unwind(AssertUnwindSafe(|| {
        runtime.spawn_blocking(move || drop(awaited))
    }));
    if held.is_err() {
        tracing::warn!("no thread to wait for the end of a process tree with");
    }
}

struct WaitOnDrop(mpsc::Receiver<()>);

impl Drop for WaitOnDrop {
    fn drop(&mut self) {
        // An error means that the thread is gone or takes too long.
        let _ = self.0.recv_timeout(MAX_SHUTDOWN_WAIT);
    }
}
