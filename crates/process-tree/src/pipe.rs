//! Output pipe of a program, for blocking and asynchronous reads.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;
use std::{io, process};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::AsyncReadExt;
use tokio::process::ChildStdout;
use tokio::time::sleep;

/// Polling interval if the runtime cannot watch a file descriptor.
pub(crate) const PAUSE: Duration = Duration::from_millis(5);

/// Output pipe of a program.
///
/// On Linux you can also read it without a runtime: [`readable`] waits for two pipes, and `read_now`
/// reads one.
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
#[derive(Debug)]
pub struct Pipe(State);

#[derive(Debug)]
enum State {
    /// Not registered with the runtime.
    Plain(File),
    /// Registered with the runtime.
    Driven(ChildStdout),
}

impl Pipe {
    pub(crate) fn new(end: impl Into<OwnedFd>) -> Self {
        Self(State::Plain(File::from(end.into())))
    }

    /// Reads available bytes, or waits for them. Returns 0 at the end. Cancel safe.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Registration fails at the limit of open files; poll then, so that the program does not
        // block.
        if let State::Plain(file) = &self.0
            && let Ok(driven) = drive(file)
        {
            self.0 = State::Driven(driven);
        }
        match &mut self.0 {
            State::Driven(driven) => driven.read(buffer).await,
            State::Plain(_) => self.read_by_polling(buffer).await,
        }
    }

    async fn read_by_polling(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while readable([Some(self), None], Duration::ZERO) == [false; 2] {
            sleep(PAUSE).await;
        }
        self.read_now(buffer)
    }

    /// Reads available bytes. Blocks until there are some. Returns 0 at the end.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn read_now(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| {
            rustix::io::read(self.descriptor(), &mut *buffer)
        })?)
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        match &self.0 {
            State::Plain(file) => file.as_fd(),
            State::Driven(driven) => driven.as_fd(),
        }
    }
}

fn drive(file: &File) -> io::Result<ChildStdout> {
    let end = OwnedFd::from(file.try_clone()?);
    ChildStdout::from_std(process::ChildStdout::from(end))
}

/// Waits for at most `limit` until a pipe is readable, and returns which pipes are. Blocks.
pub fn readable(pipes: [Option<&Pipe>; 2], limit: Duration) -> [bool; 2] {
    let mut polled: Vec<PollFd<'_>> = pipes
        .into_iter()
        .flatten()
        .map(|pipe| PollFd::from_borrowed_fd(pipe.descriptor(), PollFlags::IN))
        .collect();
    let limit = Timespec::try_from(limit).unwrap_or_default();
    if poll(&mut polled, Some(&limit)).is_err() {
        return [false; 2];
    }
    // Any event: a closed pipe reports `POLLHUP` only, and its end has to be read too.
    let mut ready = polled.iter().map(|pipe| !pipe.revents().is_empty());
    pipes.map(|pipe| pipe.is_some() && ready.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    #[tokio::test]
    async fn reads_regular_files() {
        // The runtime cannot watch regular files.
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"text").unwrap();
        file.rewind().unwrap();
        let mut pipe = Pipe::new(file);
        let mut text = [0; 8];

        let count = pipe.read(&mut text).await.unwrap();

        assert_eq!(&text[..count], b"text");
        assert!(matches!(pipe.0, State::Plain(_)));
    }
}
