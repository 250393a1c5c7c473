//! Start of programs with a containment for all processes that they start.

use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use tokio::process::ChildStdin;

use crate::adoption::Leader;
use crate::cgroup::Lease;
use crate::child::{Child, Pipe};
use crate::contained::Contained;
use crate::cookie::{COOKIE_VARIABLE, Cookie};
use crate::marks::Marks;
use crate::tree::ProcessTree;

/// Containment for one program and its descendants, created by
/// [`ProcessTrees::prepare`](crate::ProcessTrees::prepare). Clones share one containment; start only
/// one program in it.
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

/// Started program and its pipes.
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
    /// process group and with [`COOKIE_VARIABLE`] in its environment. Blocks while the system
    /// starts the program.
    ///
    /// With cgroups, the program is stopped from its start until its cgroup contains it. The kernel
    /// needs less than 0.1 ms if programs are started in sequence, and about 5 ms after a pause.
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
