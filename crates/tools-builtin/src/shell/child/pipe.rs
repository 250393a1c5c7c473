//! An output of a program, read by a thread that may block or by a task.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::process;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::AsyncReadExt;
use tokio::process::ChildStdout;

/// One output of a program.
#[derive(Debug)]
pub(crate) struct Pipe {
    file: File,
    /// The same for the runtime, once a task has waited for it.
    driven: Option<ChildStdout>,
}

impl Pipe {
    /// The end of a pipe that is read from.
    pub(crate) fn new(end: impl Into<OwnedFd>) -> Self {
        Self {
            file: File::from(end.into()),
            driven: None,
        }
    }

    /// Reads what is there, or waits for it. Giving up loses nothing.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let driven = match &mut self.driven {
            Some(driven) => driven,
            none => none.insert(drive(&self.file)?),
        };
        driven.read(buffer).await
    }

    /// Reads what is there, on a thread that may block; it waits where nothing is.
    pub(crate) fn read_now(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
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
        .map(|pipe| PollFd::from_borrowed_fd(pipe.file.as_fd(), PollFlags::IN))
        .collect();
    let limit = Timespec::try_from(limit).unwrap_or_default();
    if poll(&mut polled, Some(&limit)).is_err() {
        return [false; 2];
    }
    let mut told = polled.iter().map(|pipe| !pipe.revents().is_empty());
    pipes.map(|pipe| pipe.is_some() && told.next().unwrap_or_default())
}
