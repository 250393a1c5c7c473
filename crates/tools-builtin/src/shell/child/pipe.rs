//! An output of a program, read by a thread that may block or by a task.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::AsyncReadExt;
use tokio::process::ChildStdout;
use tokio::time::sleep;

/// How long to wait before looking again, where the runtime cannot be told of a pipe or of the end of a program.
pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// One output of a program.
#[derive(Debug)]
pub(crate) enum Pipe {
    /// No task has waited for it yet.
    Plain(File),
    /// The runtime tells when there is something.
    Driven(ChildStdout),
}

impl Pipe {
    /// The end of a pipe that is read from.
    pub(crate) fn new(end: impl Into<OwnedFd>) -> Self {
        Self::Plain(File::from(end.into()))
    }

    /// Reads what is there, or waits for it. Giving up loses nothing.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // It fails where no more files may be open; the program must not stand still for that.
        if let Self::Plain(file) = self
            && let Ok(driven) = drive(file)
        {
            *self = Self::Driven(driven);
        }
        match self {
            Self::Driven(driven) => driven.read(buffer).await,
            Self::Plain(_) => self.read_by_looking(buffer).await,
        }
    }

    async fn read_by_looking(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while readable([Some(self), None], Duration::ZERO) == [false; 2] {
            sleep(PAUSE).await;
        }
        self.read_now(buffer)
    }

    /// Reads what is there, on a thread that may block; it waits where nothing is.
    pub(crate) fn read_now(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| {
            rustix::io::read(&*self, &mut *buffer)
        })?)
    }
}

impl AsFd for Pipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Plain(file) => file.as_fd(),
            Self::Driven(driven) => driven.as_fd(),
        }
    }
}

fn drive(file: &File) -> io::Result<ChildStdout> {
    let end = OwnedFd::from(file.try_clone()?);
    ChildStdout::from_std(process::ChildStdout::from(end))
}

/// Waits until something can be read or `limit` is over, and says from which. It blocks.
pub(crate) fn readable(pipes: [Option<&Pipe>; 2], limit: Duration) -> [bool; 2] {
    let mut polled: Vec<PollFd<'_>> = pipes
        .into_iter()
        .flatten()
        .map(|pipe| PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN))
        .collect();
    let limit = Timespec::try_from(limit).unwrap_or_default();
    if poll(&mut polled, Some(&limit)).is_err() {
        return [false; 2];
    }
    let mut told = polled.iter().map(|pipe| !pipe.revents().is_empty());
    pipes.map(|pipe| pipe.is_some() && told.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    #[tokio::test]
    async fn what_the_runtime_cannot_be_told_of_is_read_all_the_same() {
        // No runtime can wait for a file on a disk.
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"text").unwrap();
        file.rewind().unwrap();
        let mut pipe = Pipe::new(file);
        let mut text = [0; 8];

        let count = pipe.read(&mut text).await.unwrap();

        assert_eq!(&text[..count], b"text");
        assert!(matches!(pipe, Pipe::Plain(_)));
    }
}
