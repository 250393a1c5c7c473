//! Systems on which the runtime is told at once of programs and pipes.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process;

use super::start_in;

/// A program that was started.
#[derive(Debug)]
pub(crate) struct Child(process::Child);

impl Child {
    /// Starts it in the first of `folders` that it can be started in.
    pub(crate) fn spawn(
        command: Command,
        folders: &[&Path],
    ) -> io::Result<(Self, [Option<Pipe>; 2])> {
        let mut command = process::Command::from(command);
        let mut child = start_in(folders, |folder| command.current_dir(folder).spawn())?;
        let stdout = child.stdout.take().map(|pipe| Pipe(Box::new(pipe)));
        let stderr = child.stderr.take().map(|pipe| Pipe(Box::new(pipe)));
        Ok((Self(child), [stdout, stderr]))
    }

    /// What the system calls it by.
    pub(crate) fn id(&self) -> u32 {
        self.0.id().unwrap_or_default()
    }

    /// How it ended, if it has.
    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.try_wait()
    }

    /// Waits for its end. Giving up the wait loses nothing.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.0.wait().await
    }

    /// Makes it end.
    #[cfg(not(unix))]
    pub(crate) fn start_kill(&mut self) -> io::Result<()> {
        self.0.start_kill()
    }
}

/// One output of a program.
pub(crate) struct Pipe(Box<dyn AsyncRead + Send + Sync + Unpin>);

impl Pipe {
    /// Reads what is there, or waits for it. Giving up loses nothing.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).await
    }
}

impl std::fmt::Debug for Pipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pipe")
    }
}
