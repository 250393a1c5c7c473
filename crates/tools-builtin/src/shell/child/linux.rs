//! A program that the runtime is only told of when somebody waits for it.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{self, Command, ExitStatus};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions, WaitIdStatus, pidfd_open, waitid};
use tokio::time::sleep;

use super::pipe::{PAUSE, Pipe};
use super::start_in;

/// Programs that nobody waits for any more. They are collected when the next one is started.
static ORPHANS: Mutex<Vec<process::Child>> = Mutex::new(Vec::new());

/// A program that was started.
///
/// One that ends at once never makes the runtime's own thread look up: that would cost as much as the program takes
/// from its end to being collected.
#[derive(Debug)]
pub(crate) struct Child {
    /// Nothing only while it is dropped.
    program: Option<process::Child>,
    /// The runtime's way to be told of the end.
    end: Option<Pipe>,
    /// How it ended, once that was seen.
    ended: Option<ExitStatus>,
}

impl Child {
    /// Starts it in the first of `folders` that it can be started in.
    pub(crate) fn spawn(
        mut command: Command,
        folders: &[&Path],
    ) -> io::Result<(Self, [Option<Pipe>; 2])> {
        collect_orphans();
        let mut child = start_in(folders, |folder| command.current_dir(folder).spawn())?;
        let stdout = child.stdout.take().map(Pipe::new);
        let stderr = child.stderr.take().map(Pipe::new);
        let child = Self {
            program: Some(child),
            end: None,
            ended: None,
        };
        Ok((child, [stdout, stderr]))
    }

    /// What the system calls it by.
    pub(crate) fn id(&self) -> u32 {
        self.program.as_ref().map_or(0, process::Child::id)
    }

    /// How it ended, if it has. Until this is dropped, nobody else is given its number, which is also that of its group.
    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        if self.ended.is_none() {
            let child = self.program.as_ref().ok_or(io::ErrorKind::NotFound)?;
            let only_look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let ended = waitid(WaitId::Pid(Pid::from_child(child)), only_look)?;
            self.ended = ended.as_ref().and_then(exit_status);
        }
        Ok(self.ended)
    }

    /// Waits for its end. Giving up the wait loses nothing.
    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.try_wait()? {
                return Ok(status);
            }
            self.come_to_end().await;
        }
    }

    /// Returns when it has probably ended.
    async fn come_to_end(&mut self) {
        if self.end.is_none() {
            self.end = self.program.as_ref().and_then(end_of);
        }
        if let Some(end) = &mut self.end {
            // There is never anything in it. It can be read when the program has ended, and then says that it cannot.
            let _ = end.read(&mut [0]).await;
            // Once told, it would tell again at once.
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

/// The same in the form of the standard library, which knows only that of `waitpid`.
fn exit_status(ended: &WaitIdStatus) -> Option<ExitStatus> {
    let dumped = if ended.dumped() { 0x80 } else { 0 };
    let by_signal = ended.terminating_signal().map(|signal| signal | dumped);
    let raw = ended.exit_status().map(|code| code << 8).or(by_signal)?;
    Some(ExitStatus::from_raw(raw))
}

/// A handle of the process, which the runtime can wait for as for a pipe.
fn end_of(child: &process::Child) -> Option<Pipe> {
    let handle = pidfd_open(Pid::from_child(child), PidfdFlags::empty()).ok()?;
    Some(Pipe::new(handle))
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
    async fn the_wait_ends_with_the_program() {
        for script in ["exit 3", "sleep 0.1; exit 3"] {
            let status = shell(script).wait().await.unwrap();

            assert_eq!(status.code(), Some(3), "{script}");
        }
    }

    #[tokio::test]
    async fn a_wait_that_was_given_up_can_be_taken_up_again() {
        let mut child = shell("sleep 0.2; exit 3");

        for _ in 0..3 {
            let wait = tokio::time::timeout(Duration::from_millis(20), child.wait()).await;
            assert!(wait.is_err());
        }

        assert_eq!(child.wait().await.unwrap().code(), Some(3));
    }

    #[test]
    fn what_a_program_ended_with_is_told_as_the_standard_library_tells_it() {
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
    fn the_number_of_a_program_that_ended_is_taken_until_that_is_dropped() {
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
    fn a_program_that_nobody_waits_for_is_collected_by_the_next() {
        let child = shell("sleep 0.1");
        let place = format!("/proc/{}", child.id());
        drop(child);
        std::thread::sleep(Duration::from_millis(300));

        shell("exit 0");

        assert!(!Path::new(&place).exists());
    }

    #[test]
    fn where_one_folder_cannot_be_entered_the_next_one_is() {
        let folders = ["/proc/self/fd/9999", "/proc"].map(Path::new);

        let (mut child, [stdout, _]) = Child::spawn(pwd(), &folders).unwrap();

        let mut text = [0; 6];
        assert_eq!(stdout.unwrap().read_now(&mut text).unwrap(), 6);
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
