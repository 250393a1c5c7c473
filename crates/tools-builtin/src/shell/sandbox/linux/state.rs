//! State shared by the calls of a confinement, because adding rules is most of the cost of a sandbox.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use landlock::{ABI, LandlockStatus, RestrictSelf, RulesetCreated};
use seccompiler::BpfProgram;

use super::files;
use super::loopback;
use super::record::Record;
use super::repositories::Searches;
use super::snapshot::{Allowed, Snapshot};
use super::system_calls;
use super::temporary::{PrivateDirectory, SharedDirectory};
use super::thread::RestrictedThread;
use crate::shell::sandbox::{Network, Sandbox, SandboxUnavailable};
use crate::workspace::Workspace;

/// State shared by the calls of a confinement.
#[derive(Debug, Default)]
pub(in crate::shell::sandbox) struct State {
    kernel: OnceLock<Kernel>,
    baseline: Baseline,
    searches: Searches,
    directory: Mutex<Option<Arc<SharedDirectory>>>,
    rules: Mutex<BTreeMap<Network, SharedRules>>,
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

    /// Returns whether programs can get a separate network.
    pub(in crate::shell::sandbox) fn has_loopback(&self) -> bool {
        self.kernel().has_loopback
    }

    /// Returns the directory that the calls share.
    pub(super) fn directory(&self) -> Result<Arc<SharedDirectory>, SandboxUnavailable> {
        let kept = self.directory.lock();
        let mut kept = kept.unwrap_or_else(PoisonError::into_inner);
        // Systems remove old temporary files, even those of running programs.
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
        let shared = kept.get_mut(&sandbox.network);
        if let Some(rules) = shared.filter(|rules| rules.are_current(directory)) {
            return rules.next();
        }
        let abi = self.kernel().abi()?;
        let mut rules = SharedRules::create(sandbox, workspace, Arc::clone(directory), abi)?;
        let prepared = rules.next();
        kept.insert(sandbox.network, rules);
        prepared
    }

    /// Prepares the next call of the same kind while the program of this call runs.
    pub(super) fn prepare_next(&self, sandbox: &Sandbox) {
        let mut kept = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = kept.get_mut(&sandbox.network) {
            rules.prepare();
        }
    }

    /// Returns the snapshots that the calls share.
    pub(super) fn baseline(&self) -> Baseline {
        self.baseline.clone()
    }

    /// Returns the content of the protected names before the running calls.
    pub(super) fn snapshot(
        &self,
        workspace: &Workspace,
    ) -> Result<Arc<Snapshot>, SandboxUnavailable> {
        self.baseline.snapshot(workspace, &self.searches)
    }
}

/// Snapshots that calls share.
#[derive(Debug, Clone, Default)]
pub(super) struct Baseline(Arc<Mutex<Snapshots>>);

#[derive(Debug, Default)]
struct Snapshots {
    // Weak, so that the snapshot is taken again after the last overlapping call: the user may have changed the files.
    current: Weak<Snapshot>,
    /// Snapshot that could not be restored, with what the call was allowed to change.
    lost: Option<(Arc<Snapshot>, Allowed)>,
    /// Record of the snapshots, opened before the first one; `None` if there is no place for a record.
    record: OnceCell<Option<Arc<Record>>>,
}

impl Baseline {
    /// Returns the current snapshot, or takes one. Overlapping calls share it, because the program of a
    /// running call may already have changed the names.
    fn snapshot(
        &self,
        workspace: &Workspace,
        searches: &Searches,
    ) -> Result<Arc<Snapshot>, SandboxUnavailable> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retry()?;
        if let Some(snapshot) = kept.current.upgrade() {
            return Ok(snapshot);
        }
        // Before the snapshot, because it may restore what an earlier process left.
        let record = kept.record(workspace)?;
        let snapshot = Snapshot::take(workspace, searches)?;
        let snapshot = Arc::new(match &record {
            Some(record) => snapshot.hold_in(record),
            None => snapshot,
        });
        kept.current = Arc::downgrade(&snapshot);
        Ok(snapshot)
    }

    /// Keeps a snapshot that could not be restored. Otherwise, what the command has left would be the
    /// content that later calls protect.
    pub(super) fn lose(&self, snapshot: Arc<Snapshot>, allowed: Allowed) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        snapshot.set_lost(true);
        kept.lost.get_or_insert((snapshot, allowed));
    }
}

impl Snapshots {
    /// Restores again what could not be restored.
    fn retry(&mut self) -> Result<(), SandboxUnavailable> {
        let Some((snapshot, allowed)) = &self.lost else {
            return Ok(());
        };
        if let Some(name) = snapshot.restore(allowed).failed.into_iter().next() {
            return Err(SandboxUnavailable::Lost(name));
        }
        snapshot.set_lost(false);
        self.lost = None;
        Ok(())
    }

    fn record(&self, workspace: &Workspace) -> Result<Option<Arc<Record>>, SandboxUnavailable> {
        if let Some(record) = self.record.get() {
            return Ok(record.clone());
        }
        let record = Record::open(workspace)?.map(Arc::new);
        Ok(self.record.get_or_init(|| record).clone())
    }
}

/// Time after which the rules are created again. A rule applies to the file that had the path when
/// the rule was created, so a file that replaces it is inaccessible until then, such as one in `/etc`, whose entries have
/// rules of their own for root.
const MAX_AGE: Duration = Duration::from_secs(10);

/// Rules for the calls of a sandbox without grants.
#[derive(Debug)]
pub(super) struct SharedRules {
    /// Thread and temporary directory of the next call. Dropped before their parent directory.
    prepared: Option<Prepared>,
    rules: RulesetCreated,
    /// Parent directory of the temporary directories of the calls.
    directory: Arc<SharedDirectory>,
    created: Instant,
    system_calls: Arc<BpfProgram>,
    network: Network,
}

/// Temporary directory of a call, and the thread that starts its program.
pub(super) type Prepared = (PrivateDirectory, RestrictedThread);

impl SharedRules {
    pub(super) fn create(
        sandbox: &Sandbox,
        workspace: &Workspace,
        directory: Arc<SharedDirectory>,
        abi: ABI,
    ) -> Result<Self, SandboxUnavailable> {
        let created = Instant::now();
        let private = [directory.path()].into_iter();
        Ok(Self {
            prepared: None,
            rules: files::of_call(sandbox, workspace, private, abi)?,
            directory,
            created,
            system_calls: Arc::new(system_calls::filter(sandbox)?),
            network: sandbox.network,
        })
    }

    /// Returns whether the rules still apply to the files that have their paths.
    pub(super) fn are_current(&self, directory: &Arc<SharedDirectory>) -> bool {
        Arc::ptr_eq(&self.directory, directory) && self.created.elapsed() < MAX_AGE
    }

    /// Returns the directory and the thread of a call.
    pub(super) fn next(&mut self) -> Result<Prepared, SandboxUnavailable> {
        // Another call may have changed the directory.
        match self.prepared.take() {
            Some(prepared) if prepared.0.is_unused() => Ok(prepared),
            _ => self.prepared(),
        }
    }

    /// Prepares the directory and the thread of the next call.
    pub(super) fn prepare(&mut self) {
        if self.prepared.is_none() {
            // The next call returns the error.
            self.prepared = self.prepared().ok();
        }
    }

    fn prepared(&self) -> Result<Prepared, SandboxUnavailable> {
        let temporary = self.directory.temporary()?;
        // No rule may be added to the clone, because it would apply to all calls.
        let files = self.rules.try_clone();
        let files = files.map_err(SandboxUnavailable::refused)?;
        let thread = RestrictedThread::spawn(files, Arc::clone(&self.system_calls), self.network)?;
        Ok((temporary, thread))
    }
}

/// First version of Landlock that restricts truncation.
const MIN_VERSION: i32 = ABI::V3 as i32;

/// Newest version of Landlock with which the rules were tested.
const MAX_VERSION: i32 = ABI::V7 as i32;

/// Sandbox support of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kernel {
    /// Landlock version; 0 if it is not available.
    landlock: i32,
    has_loopback: bool,
}

impl Kernel {
    /// Queries the running kernel.
    pub(super) fn of_host() -> Self {
        // Without a ruleset, this only queries the version.
        let status = RestrictSelf::default().no_new_privs(false).apply();
        let landlock = match status.map(|status| status.landlock) {
            Ok(LandlockStatus::Available { effective_abi, .. }) => effective_abi as i32,
            _ => 0,
        };
        Self {
            landlock,
            has_loopback: loopback::is_available(),
        }
    }

    #[cfg(test)]
    pub(super) fn with_landlock(landlock: i32) -> Self {
        Self {
            landlock,
            has_loopback: false,
        }
    }

    #[cfg(test)]
    pub(super) fn without_loopback(self) -> Self {
        Self {
            has_loopback: false,
            ..self
        }
    }

    /// Returns the Landlock version to use.
    pub(super) fn abi(self) -> Result<ABI, SandboxUnavailable> {
        if self.landlock < MIN_VERSION {
            return Err(SandboxUnavailable::Kernel {
                found: self.landlock,
                needed: MIN_VERSION,
            });
        }
        Ok(ABI::from(self.landlock.min(MAX_VERSION)))
    }
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;

    #[test]
    fn old_rules_and_other_directories_are_not_current() {
        let scratch = Scratch::new();
        let workspace = Workspace::open(scratch.path()).unwrap();
        let directory = || Arc::new(SharedDirectory::make().unwrap());
        let (first, second) = (directory(), directory());
        let abi = Kernel::of_host().abi().unwrap();
        let sandbox = Sandbox::workspace();

        let shared = Arc::clone(&first);
        let rules = SharedRules::create(&sandbox, &workspace, shared, abi).unwrap();
        assert!(rules.are_current(&first) && !rules.are_current(&second));

        let old = SharedRules {
            created: rules.created.checked_sub(MAX_AGE).unwrap(),
            ..rules
        };
        assert!(!old.are_current(&first));
    }

    #[test]
    fn rejects_kernels_that_cannot_restrict_truncation() {
        for found in [0, 1, 2] {
            let error = Kernel::with_landlock(found).abi().unwrap_err();

            assert_eq!(
                error.to_string(),
                format!("the kernel supports Landlock {found}; version 3 is required")
            );
        }
    }

    #[test]
    fn newer_kernels_use_latest_known_version() {
        for (found, used) in [(3, ABI::V3), (6, ABI::V6), (7, ABI::V7), (12, ABI::V7)] {
            assert_eq!(Kernel::with_landlock(found).abi().unwrap(), used, "{found}");
        }
    }
}
