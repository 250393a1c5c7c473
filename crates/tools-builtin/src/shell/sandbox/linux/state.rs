//! State shared by the calls of a confinement.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use seccompiler::BpfProgram;

use super::kernel::Kernel;
use super::shared_rules::{Prepared, SharedRules};
use super::snapshot::Snapshot;
use super::system_calls;
use super::temporary::SharedDirectory;
use crate::shell::sandbox::{Sandbox, SandboxUnavailable};
use crate::workspace::Workspace;

/// State shared by the calls of a confinement.
#[derive(Debug, Default)]
pub(in crate::shell::sandbox) struct State {
    kernel: OnceLock<Kernel>,
    filter: OnceLock<Arc<BpfProgram>>,
    /// Filter for calls with network access.
    network_filter: OnceLock<Arc<BpfProgram>>,
    // Weak, so that the snapshot is taken again after the last overlapping call: the user may have changed the files.
    kept: Mutex<Weak<Snapshot>>,
    directory: Mutex<Option<Arc<SharedDirectory>>>,
    rules: Mutex<Option<SharedRules>>,
}

impl State {
    /// Creates the state for tests with another kernel.
    #[cfg(test)]
    pub(super) fn on(kernel: Kernel) -> Self {
        Self {
            kernel: kernel.into(),
            ..Self::default()
        }
    }

    pub(super) fn kernel(&self) -> Kernel {
        *self.kernel.get_or_init(Kernel::of_host)
    }

    /// Returns the system call filter, compiled once. Of all grants, only network access changes it.
    pub(super) fn filter(&self, sandbox: &Sandbox) -> Result<Arc<BpfProgram>, SandboxUnavailable> {
        let kept = if sandbox.network {
            &self.network_filter
        } else {
            &self.filter
        };
        if let Some(filter) = kept.get() {
            return Ok(Arc::clone(filter));
        }
        let filter = Arc::new(system_calls::filter(sandbox)?);
        Ok(Arc::clone(kept.get_or_init(|| filter)))
    }

    /// Returns the directory that the calls share.
    pub(super) fn directory(&self) -> Result<Arc<SharedDirectory>, SandboxUnavailable> {
        let kept = self.directory.lock();
        let mut kept = kept.unwrap_or_else(PoisonError::into_inner);
        // Systems remove old temporary files, also of running programs.
        if let Some(directory) = kept.as_ref().filter(|directory| directory.exists()) {
            return Ok(Arc::clone(directory));
        }
        let directory = Arc::new(SharedDirectory::make()?);
        // The rules that name the old directory are created again, because `are_current` compares the directories.
        *kept = Some(Arc::clone(&directory));
        Ok(directory)
    }

    /// Returns the temporary directory in `directory` and the thread of a call without grants.
    pub(super) fn next(
        &self,
        sandbox: &Sandbox,
        workspace: &Workspace,
        directory: &Arc<SharedDirectory>,
    ) -> Result<Prepared, SandboxUnavailable> {
        let mut kept = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = kept.as_mut().filter(|rules| rules.are_current(directory)) {
            return rules.next();
        }
        let abi = self.kernel().abi()?;
        let (directory, filter) = (Arc::clone(directory), self.filter(sandbox)?);
        let files = SharedRules::create(sandbox, workspace, directory, abi, filter);
        kept.insert(files?).next()
    }

    /// Prepares the next call while the program of this call runs.
    pub(super) fn prepare_next(&self) {
        let mut kept = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = kept.as_mut() {
            rules.prepare();
        }
    }

    /// Returns the content of the protected names. Overlapping calls share a snapshot, because the
    /// program of a running call may already have changed the names.
    pub(super) fn snapshot(
        &self,
        workspace: &Workspace,
    ) -> Result<Arc<Snapshot>, SandboxUnavailable> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(snapshot) = kept.upgrade() {
            return Ok(snapshot);
        }
        let snapshot = Arc::new(Snapshot::take(workspace)?);
        *kept = Arc::downgrade(&snapshot);
        Ok(snapshot)
    }
}
