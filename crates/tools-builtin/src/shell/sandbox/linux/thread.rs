//! Thread that starts a program. Its restrictions apply to the program and, in the host, only to
//! this thread.

use std::thread;

use landlock::{RulesetCreated, RulesetStatus};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
use seccompiler::{BpfProgram, apply_filter};

use crate::shell::sandbox::SandboxUnavailable;

/// Capabilities kept for root: in containers, the files of a workspace often belong to another
/// user.
const KEPT: CapabilitySet = CapabilitySet::DAC_OVERRIDE.union(CapabilitySet::DAC_READ_SEARCH);

/// Restrictions for a thread.
#[derive(Debug)]
pub(super) struct Restrictions<'f> {
    files: RulesetCreated,
    system_calls: &'f BpfProgram,
}

impl<'f> Restrictions<'f> {
    pub(super) fn new(files: RulesetCreated, system_calls: &'f BpfProgram) -> Self {
        Self {
            files,
            system_calls,
        }
    }

    /// Restricts the current thread and its child processes permanently.
    fn apply(self) -> Result<(), SandboxUnavailable> {
        drop_capabilities().map_err(SandboxUnavailable::refused)?;
        let status = self
            .files
            .restrict_self()
            .map_err(SandboxUnavailable::refused)?;
        if status.ruleset != RulesetStatus::FullyEnforced || !status.no_new_privs {
            return Err(SandboxUnavailable::refused("not all rules are enforced"));
        }
        apply_filter(self.system_calls).map_err(SandboxUnavailable::refused)
    }
}

/// Calls `work` on a new thread after applying the restrictions.
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
            .unwrap_or_else(|_| Err(SandboxUnavailable::refused("the thread panicked")))
    })
}

/// Drops capabilities. With `no_new_privs`, even root cannot regain them in a new program.
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
