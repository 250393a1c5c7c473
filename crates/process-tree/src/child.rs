//! Child processes, which the runtime watches only while a task waits for them.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{self, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{io, thread};

use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, WaitIdStatus, pidfd_open, waitid};
use tokio::process::ChildStdin;
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::marks::Streams;
use crate::pipe::{PAUSE, Pipe, readable};

/// Abandoned programs, which are reaped when the next program starts.
static ORPHANS: Mutex<Vec<process::Child>> = Mutex::new(Vec::new());

/// Started program.
///
/// A program that exits immediately does not wake the runtime's driver, which would take as long as
/// the program takes from its exit to being reaped.
#[derive(Debug)]
pub(crate) struct Child {
    /// `None` only during drop.
    program: Option<process::Child>,
    /// Handle of the process for the runtime's driver.
    end: Option<Pipe>,
    /// Exit status, once it was read.
    ended: Option<ExitStatus>,
}

impl Child {
    /// Starts the program in the first usable directory of `directories`.
    pub(crate) fn spawn(
        mut command: Command,
        directories: &[&Path],
    ) -> io::Result<(Self, Streams)> {
        // Without this, abandoned programs would stay zombies until the next tree is dropped.
        collect_orphans();
        let mut started = Err(io::ErrorKind::InvalidInput.into());
        for directory in directories {
            started = command.current_dir(directory).spawn();
            if started.is_ok() {
                break;
            }
        }
        let mut child = started?;
        let streams = Streams {
            stdin: child.stdin.take().map(drive),
            stdout: child.stdout.take().map(Pipe::new),
            stderr: child.stderr.take().map(Pipe::new),
        };
        let child = Self {
            program: Some(child),
            end: None,
            ended: None,
        };
        Ok((child, streams))
    }

    pub(crate) fn id(&self) -> u32 {
        self.program.as_ref().map_or(0, process::Child::id)
    }

    /// Returns the exit status, if the program has exited. Does not reap the program, so that its
    /// id, which is also the id of its group, is not reused before this value is dropped.
    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.ended.is_none() {
            let child = self.program.as_ref().ok_or(io::ErrorKind::NotFound)?;
            let without_reaping =
                WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let ended = waitid(WaitId::Pid(Pid::from_child(child)), without_reaping)?;
            self.ended = ended.as_ref().and_then(exit_status);
        }
        Ok(self.ended)
    }

    /// Waits for at most `limit` until the program exits. Blocks. May return `None` early.
    pub(crate) fn wait_now(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        if let Some(status) = self.try_wait()? {
            return Ok(Some(status));
        }
        match self.program.as_ref().and_then(exit_handle) {
            Some(end) => {
                let _ = readable([Some(&end), None], limit);
            }
            // No pidfd, for example at the limit of open files.
            None => thread::sleep(limit.min(PAUSE)),
        }
        self.try_wait()
    }

    /// Waits until the program exits. Cancel safe.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.try_wait()? {
                return Ok(status);
            }
            self.wait_for_exit().await;
        }
    }

    /// Waits until the program has probably exited.
    async fn wait_for_exit(&mut self) {
        if self.end.is_none() {
            self.end = self.program.as_ref().and_then(exit_handle);
        }
        if let Some(end) = &mut self.end {
            // A pidfd has no data: it becomes readable on exit, and then the read fails.
            let _ = end.read(&mut [0]).await;
            // Drop it, because it stays readable.
            self.end = None;
            if !matches!(self.try_wait(), Ok(None)) {
                return;
            }
        }
        sleep(PAUSE).await;
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(child) = self.program.take() {
            orphans().push(child);
        }
        collect_orphans();
    }
}

/// Converts the status of `waitid` to the `waitpid` encoding of the standard library.
fn exit_status(ended: &WaitIdStatus) -> Option<ExitStatus> {
    let dumped = if ended.dumped() { 0x80 } else { 0 };
    let by_signal = ended.terminating_signal().map(|signal| signal | dumped);
    let raw = ended.exit_status().map(|code| code << 8).or(by_signal)?;
    Some(ExitStatus::from_raw(raw))
}

/// Returns a pidfd, which the runtime can watch like a pipe.
fn exit_handle(child: &process::Child) -> Option<Pipe> {
    let handle = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()?;
    Some(Pipe::new(handle))
}

/// Registers standard input with the runtime.
fn drive(stdin: process::ChildStdin) -> io::Result<ChildStdin> {
    Handle::try_current().map_err(io::Error::other)?;
    ChildStdin::from_std(stdin)
}

fn orphans() -> std::sync::MutexGuard<'static, Vec<process::Child>> {
    ORPHANS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn collect_orphans() {
    orphans().retain_mut(|child| matches!(child.try_wait(), Ok(None)));
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;
    use std::time::Duration;

    use super::*;

    fn shell(script: &str) -> Child {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        Child::spawn(command, &[Path::new("/")]).unwrap().0
    }

    #[tokio::test]
    async fn wait_returns_exit_status() {
        for script in ["exit 3", "sleep 0.1; exit 3"] {
            let status = shell(script).wait().await.unwrap();

            assert_eq!(status.code(), Some(3), "{script}");
        }
    }

    #[test]
    fn wait_now_is_bounded() {
        let mut child = shell("sleep 0.2; exit 3");

        assert_eq!(child.wait_now(Duration::from_millis(1)).unwrap(), None);
        let status = child.wait_now(Duration::from_mins(1)).unwrap();
        assert_eq!(status.and_then(|status| status.code()), Some(3));
        assert_eq!(child.wait_now(Duration::ZERO).unwrap(), status);
    }

    #[tokio::test]
    async fn wait_is_cancel_safe() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "read x; exit 3"]);
        command.stdin(process::Stdio::piped());
        let (mut child, streams) = Child::spawn(command, &[Path::new("/")]).unwrap();

        for _ in 0..3 {
            let wait = tokio::time::timeout(Duration::from_millis(20), child.wait()).await;
            assert!(wait.is_err());
        }
        drop(streams);

        assert_eq!(child.wait().await.unwrap().code(), Some(3));
    }

    #[test]
    fn exit_status_matches_standard_library() {
        for script in [
            "exit 0",
            "exit 3",
            "exit 255",
            "kill -9 $$",
            "kill -TERM $$",
        ] {
            let mut command = Command::new("/bin/sh");
            let expected = command.args(["-c", script]).status().unwrap();

            let status = end(&mut shell(script));

            assert_eq!(status, expected, "{script}");
        }
    }

    #[test]
    fn process_id_is_reserved_until_drop() {
        let mut child = shell("exit 3");
        let place = format!("/proc/{}", child.id());

        let status = end(&mut child);

        assert_eq!(status.code(), Some(3));
        assert!(Path::new(&place).exists());
        assert_eq!(end(&mut child), status);
        drop(child);
        assert!(!Path::new(&place).exists());
    }

    fn end(child: &mut Child) -> ExitStatus {
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn next_spawn_reaps_abandoned_programs() {
        let child = shell("sleep 0.1");
        let place = format!("/proc/{}", child.id());
        drop(child);
        // Another test may start a program, too.
        let runs = || {
            let stat = std::fs::read_to_string(format!("{place}/stat"));
            stat.is_ok_and(|stat| !stat.contains(") Z "))
        };
        while runs() {
            std::thread::sleep(Duration::from_millis(5));
        }

        shell("exit 0");

        assert!(!Path::new(&place).exists());
    }

    #[test]
    fn uses_next_directory_if_first_is_inaccessible() {
        let directories = ["/proc/self/fd/9999", "/proc"].map(Path::new);

        let (mut child, streams) = Child::spawn(pwd(), &directories).unwrap();

        let mut text = [0; 6];
        assert_eq!(streams.stdout.unwrap().read_now(&mut text).unwrap(), 6);
        assert_eq!(&text, b"/proc\n");
        while child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
    }

    fn pwd() -> Command {
        let mut command = Command::new("/bin/pwd");
        command.stdout(process::Stdio::piped());
        command
    }
}
