//! Signals to the process group of a program.

use super::Tree;
use crate::descendants::Descendant;

#[cfg(unix)]
impl Tree {
    pub(super) fn anything_runs(&mut self, found: &[Descendant]) -> bool {
        // Other systems can only query the group; on Linux it may consist of zombies.
        !self.has_ended()
            || found.iter().any(|found| found.runs())
            || (cfg!(not(target_os = "linux"))
                && self
                    .group()
                    .is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok()))
    }

    pub(super) fn terminate_group(&mut self) {
        self.signal_group(rustix::process::Signal::TERM);
    }

    pub(super) fn kill_group(&mut self) {
        self.signal_group(rustix::process::Signal::KILL);
    }

    fn signal_group(&self, signal: rustix::process::Signal) {
        if let Some(group) = self.group() {
            // An error means that the group is gone or belongs to another user; the scans detect
            // both.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    fn group(&self) -> Option<rustix::process::Pid> {
        // 0 would signal our own group, 1 every process.
        let leader = i32::try_from(self.leader).ok().filter(|id| *id > 1)?;
        rustix::process::Pid::from_raw(leader)
    }
}

#[cfg(not(unix))]
impl Tree {
    pub(super) fn anything_runs(&mut self, _found: &[Descendant]) -> bool {
        !self.has_ended()
    }

    pub(super) fn terminate_group(&mut self) {
        let _ = self.child.start_kill();
    }

    pub(super) fn kill_group(&mut self) {
        let _ = self.child.start_kill();
    }
}
