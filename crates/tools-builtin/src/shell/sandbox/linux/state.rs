//! State shared by the calls of a confinement.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use seccompiler::BpfProgram;

use super::kernel::Kernel;
use super::snapshot::Snapshot;
use super::system_calls;
use super::temporary::PrivateDirectory;
use crate::shell::sandbox::{Sandbox, SandboxUnavailable};
use crate::workspace::Workspace;

/// State shared by the calls of a confinement.
#[derive(Debug, Default)]
pub(in crate::shell::sandbox) struct State {
    kernel: OnceLock<Kernel>,
    filter: OnceLock<BpfProgram>,
    /// Filter for calls with network access.
    network_filter: OnceLock<BpfProgram>,
    kept: Mutex<Weak<Snapshot>>,
    caches: Mutex<Option<Arc<PrivateDirectory>>>,
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
    pub(super) fn filter(&self, sandbox: &Sandbox) -> Result<&BpfProgram, SandboxUnavailable> {
        let kept = if sandbox.network {
            &self.network_filter
        } else {
            &self.filter
        };
        if let Some(filter) = kept.get() {
            return Ok(filter);
        }
        let filter = system_calls::filter(sandbox)?;
        Ok(kept.get_or_init(|| filter))
    }

    /// Returns the directory for caches of programs, if `sandbox` limits reads. Calls share it, so that
    /// builds are incremental; nothing outside the sandbox reads it.
    pub(super) fn caches(
        &self,
        sandbox: &Sandbox,
    ) -> Result<Option<Arc<PrivateDirectory>>, SandboxUnavailable> {
        if sandbox.readable.is_none() {
            return Ok(None);
        }
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        // Systems remove old temporary files, also of running programs.
        if !caches.as_deref().is_some_and(PrivateDirectory::exists) {
            *caches = Some(Arc::new(PrivateDirectory::make()?));
        }
        Ok(caches.clone())
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
