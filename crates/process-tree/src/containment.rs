//! Start of programs in a containment that holds all processes that they start.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use tokio::process::ChildStdin;

use super::adoption::{self, Leader};
use super::cgroup::Lease;
use super::child::Child;
use super::host::{self, HostEndScript, Mechanism};
use super::marks::{COOKIE_VARIABLE, Cookie, Marks};
use super::pipe::Pipe;
use super::tree::{Contained, ProcessTree, mechanism};

/// All process trees of this process.
///
/// The first program decides the mechanism, or [`start`](Self::start) does. On Linux, a small shell
/// starts at the same time. It waits for the end of this process, even by a signal, and then kills
/// the programs that are still running. So you don't need a signal handler, and this crate installs
/// none.
///
/// # Examples
/// ```
/// use process_tree::{Mechanism, ProcessTrees};
///
/// assert_eq!(ProcessTrees::start(Mechanism::Cookie), ProcessTrees::mechanism());
/// ```
#[derive(Debug)]
pub struct ProcessTrees(());

impl ProcessTrees {
    /// Decides the mechanism now, with at most `strongest`, and returns it.
    ///
    /// Call it to avoid cgroups, for example because you can't afford their 5 ms per program; without
    /// it, the strongest available mechanism is used. It has no effect after the first program, and
    /// none on [`Mechanism::Subreaper`].
    pub fn start(strongest: Mechanism) -> Mechanism {
        host::start(strongest);
        Self::mechanism()
    }

    /// Returns the mechanism in use. A program whose cgroup fails has a weaker one; see
    /// [`ProcessTree::mechanism`].
    pub fn mechanism() -> Mechanism {
        mechanism(host::start(Mechanism::Cgroup).has_cgroups())
    }

    /// Makes this process the parent of orphaned descendants (`PR_SET_CHILD_SUBREAPER`), so that
    /// processes are found even if they left their group and hide from the other searches. Affects
    /// programs that are started after this call.
    ///
    /// Don't call it in a process that starts children in sessions or process groups of their own by
    /// other means. They look like orphans of a program, so they would be killed with the tree during
    /// which they were started, and reaped.
    ///
    /// # Errors
    /// Returns an error if the system is not Linux or does not list the children of a process.
    pub fn adopt_orphans() -> io::Result<()> {
        adoption::enable()
    }

    /// Runs the shell script at `path` after this process has ended, even by a signal, and its programs
    /// have been killed. It replaces a signal handler for what must not stay as a program has left it.
    ///
    /// Nothing runs if there is no such file at that time, so you can create it only while it's needed.
    /// `/bin/sh` runs it in `/`, with a `PATH` of the system and no other variables. Choose a place where
    /// only the user can write.
    ///
    /// # Errors
    /// Returns an error if the system is not Linux, the shell that waits for the end couldn't be started,
    /// or the path has more than about 4,000 bytes or a newline.
    ///
    /// # Examples
    /// ```
    /// use process_tree::ProcessTrees;
    ///
    /// # if cfg!(target_os = "linux") {
    /// let restored = ProcessTrees::at_host_end("/home/user/.local/state/app/restore.sh")?;
    /// drop(restored); // the script won't run
    /// # }
    /// # Ok::<_, std::io::Error>(())
    /// ```
    pub fn at_host_end(path: impl Into<PathBuf>) -> io::Result<HostEndScript> {
        HostEndScript::add(path.into())
    }

    /// Prepares the start of one program.
    ///
    /// Call it before you restrict the thread that starts the program, because it opens the files of
    /// a cgroup.
    pub fn prepare() -> Containment {
        let lease = host::start(Mechanism::Cgroup).lease();
        Containment::new(Cookie::next(), lease)
    }
}

/// Containment for one program and its descendants, created by
/// [`ProcessTrees::prepare`].
///
/// It's a separate value because it opens files, which a thread in a sandbox couldn't: prepare it
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
        let marks = Marks::new(self.cookie, &streams);
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
