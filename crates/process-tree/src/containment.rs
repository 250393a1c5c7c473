//! Start of programs in a containment that holds all processes that they start.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use tokio::process::ChildStdin;

use super::adoption::Leader;
use super::cgroup::Lease;
use super::child::Child;
use super::descendants::{self, Descendant};
use super::marks::{COOKIE_VARIABLE, Cookie, Marks};
use super::pipe::Pipe;
use super::tree::ProcessTree;

/// Containment for one program and its descendants, created by
/// [`ProcessTrees::prepare`](crate::ProcessTrees::prepare).
///
/// It's a value of its own because it opens files, which a thread in a sandbox couldn't: prepare it
/// first, then restrict the thread, then start the program. Clones share one containment, so start
/// only one program in it.
///
/// # Examples
/// ```
/// use std::process::Command;
/// use process_tree::ProcessTrees;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// let mut started = ProcessTrees::prepare().start(Command::new("true"), &[".".as_ref()])?;
/// assert!(started.tree.wait().await?.success());
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Containment {
    cookie: Cookie,
    lease: Option<Arc<Lease>>,
}

/// Program that was started, with the pipes that its command asked for.
///
/// # Examples
/// ```
/// use std::process::{Command, Stdio};
/// use process_tree::ProcessTrees;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// let mut command = Command::new("echo");
/// command.arg("text").stdout(Stdio::piped());
/// let mut started = ProcessTrees::prepare().start(command, &["/".as_ref()])?;
/// let mut stdout = started.stdout.take().ok_or(std::io::ErrorKind::NotFound)?;
///
/// let mut buffer = [0; 64];
/// let count = stdout.read(&mut buffer).await?;
/// assert_eq!(buffer.get(..count), Some(&b"text\n"[..]));
/// started.tree.end().await;
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Started {
    /// The program and its descendants.
    pub tree: ProcessTree,
    /// Standard input, if the command has a pipe for it.
    pub stdin: Option<ChildStdin>,
    /// Standard output, if the command has a pipe for it.
    pub stdout: Option<Pipe>,
    /// Standard error, if the command has a pipe for it.
    pub stderr: Option<Pipe>,
}

impl Containment {
    pub(crate) fn new(cookie: Cookie, lease: Option<Lease>) -> Self {
        Self {
            cookie,
            lease: lease.map(Arc::new),
        }
    }

    /// Starts `command` in the first usable directory of `directories`, as the leader of a new
    /// process group and with the variable `TOOL_CALL_ID` in its environment, by which its
    /// descendants are recognized. Blocks while the system starts the program.
    ///
    /// With cgroups, the program is stopped right after its start until its cgroup contains it. The
    /// kernel needs less than 0.1 ms if programs follow each other, and about 5 ms after a pause.
    ///
    /// # Errors
    /// Returns the error of the system, or `InvalidInput` if `directories` is empty.
    pub fn start(self, mut command: Command, directories: &[&Path]) -> io::Result<Started> {
        command.env(COOKIE_VARIABLE, self.cookie.value());
        #[cfg(unix)]
        // Not a session: `setsid` needs `pre_exec`, which is unsafe and forces a slow fork (docs/decisions/0017).
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        // Before the start: the proof that ids have not wrapped around needs the earliest possible time.
        let started = Instant::now();
        let (child, streams) = Child::spawn(command, directories)?;
        let id = child.id();
        let outputs = [streams.stdout.as_ref(), streams.stderr.as_ref()];
        let marks = Marks::new(self.cookie, outputs);
        let leader = Leader::new(id);
        let contained = self.lease.map(|lease| Contained::new(lease, id, &marks));
        let tree = ProcessTree::new(child, leader, marks, contained, started);
        Ok(Started {
            tree,
            stdin: streams.stdin.transpose()?,
            stdout: streams.stdout,
            stderr: streams.stderr,
        })
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

/// Pipes of a program.
#[derive(Debug)]
pub(crate) struct Streams {
    /// The registration with the runtime may fail.
    pub(crate) stdin: Option<io::Result<ChildStdin>>,
    pub(crate) stdout: Option<Pipe>,
    pub(crate) stderr: Option<Pipe>,
}

/// Starts a program in the first usable directory of `directories`.
pub(crate) fn start_in<T>(
    directories: &[&Path],
    mut start: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<T> {
    let mut outcome = Err(io::ErrorKind::InvalidInput.into());
    for directory in directories {
        outcome = start(directory);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}
