//! Child processes on systems where the runtime waits for programs and pipes.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process;

use super::{Streams, start_in};

/// Started program.
#[derive(Debug)]
pub(crate) struct Child(process::Child);

impl Child {
    /// Starts the program in the first usable directory of `directories`.
    pub(crate) fn spawn(command: Command, directories: &[&Path]) -> io::Result<(Self, Streams)> {
        let mut command = process::Command::from(command);
        let mut child = start_in(directories, |directory| {
            command.current_dir(directory).spawn()
        })?;
        let streams = Streams {
            stdin: child.stdin.take().map(Ok),
            stdout: child.stdout.take().map(|pipe| Pipe(Box::new(pipe))),
            stderr: child.stderr.take().map(|pipe| Pipe(Box::new(pipe))),
        };
        Ok((Self(child), streams))
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id().unwrap_or_default()
    }

    /// Returns the exit status, if the program has exited.
    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }

    /// Waits until the program exits. Cancel safe.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.0.wait().await
    }

    #[cfg(not(unix))]
    pub(crate) fn start_kill(&mut self) -> io::Result<()> {
        self.0.start_kill()
    }
}

/// Output pipe of a program.
///
/// # Examples
/// ```
/// use std::process::{Command, Stdio};
/// use process_tree::ProcessTrees;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// let mut command = Command::new("echo");
/// command.arg("text").stdout(Stdio::piped());
/// let started = ProcessTrees::prepare().start(command, &["/".as_ref()])?;
/// let mut stdout = started.stdout.ok_or(std::io::ErrorKind::NotFound)?;
///
/// let mut buffer = [0; 64];
/// let count = stdout.read(&mut buffer).await?;
/// assert_eq!(buffer.get(..count), Some(&b"text\n"[..]));
/// # Ok(()) }
/// ```
pub struct Pipe(Box<dyn AsyncRead + Send + Sync + Unpin>);

impl Pipe {
    /// Reads available bytes, or waits for them. Cancel safe.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).await
    }
}

impl std::fmt::Debug for Pipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pipe")
    }
}
