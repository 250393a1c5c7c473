//! The thread that a program is started from. What binds it binds the program, and ends with the thread for the host.

use std::thread;

use landlock::{RulesetCreated, RulesetStatus};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
use seccompiler::{BpfProgram, apply_filter};

use crate::shell::sandbox::SandboxUnavailable;

/// What root keeps: in a container, the files of a workspace often belong to another user.
const KEPT: CapabilitySet = CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH);

/// What a thread may do once it is restricted.
#[derive(Debug)]
pub(super) struct Restrictions<'f> {
    files: RulesetCreated,
    system_calls: &'f BpfProgram,
}

impl<'f> Restrictions<'f> {
    /// Restrictions of files and of system calls.
    pub(super) fn new(files: RulesetCreated, system_calls: &'f BpfProgram) -> Self {
        Self {
            files,
            system_calls,
        }
    }

    /// Restricts this thread and what it will start. There is no way back.
    fn apply(self) -> Result<(), SandboxUnavailable> {
        drop_capabilities().map_err(SandboxUnavailable::refused)?;
        let status = self
            .files
            .restrict_self()
            .map_err(SandboxUnavailable::refused)?;
        if status.ruleset != RulesetStatus::FullyEnforced || !status.no_new_privs {
            return Err(SandboxUnavailable::refused("not all rules hold"));
        }
        apply_filter(self.system_calls).map_err(SandboxUnavailable::refused)
    }
}

/// Does `work` on a thread of its own that is restricted, once everything holds.
pub(super) fn restricted<T: Send>(
    restrictions: Restrictions<'_>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, SandboxUnavailable> {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("sandbox".into())
            .spawn_scoped(scope, || restrictions.apply().map(|()| work()))
            .map_err(SandboxUnavailable::refused)?;
        thread
            .join()
            .unwrap_or_else(|_| Err(SandboxUnavailable::refused("the thread ended too early")))
    })
}

/// Without new privileges, not even root gets back at the start of a program what is dropped here.
fn drop_capabilities() -> rustix::io::Result<()> {
    let now = capabilities(None)?;
    if now.permitted.is_empty() && now.inheritable.is_empty() {
        return Ok(());
    }
    let sets = CapabilitySets {
        effective: now.effective & KEPT,
        permitted: now.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, sets)
}
