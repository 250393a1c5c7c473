//! Rules that calls without grants share, because adding rules is most of the cost of a sandbox.

use std::sync::Arc;
use std::time::{Duration, Instant};

use landlock::{ABI, RulesetCreated};
use seccompiler::BpfProgram;

use super::files;
use super::listed::ListedDirectories;
use super::temporary::{PrivateDirectory, SharedDirectory};
use super::thread::RestrictedThread;
use crate::shell::sandbox::{Sandbox, SandboxUnavailable};
use crate::workspace::Workspace;

/// Time after which the rules are created again. A rule applies to the file that had the path when
/// the rule was created, so a file that replaces it is inaccessible until then.
const MAX_AGE: Duration = Duration::from_secs(10);

/// Rules for the calls of a sandbox without grants.
#[derive(Debug)]
pub(super) struct SharedRules {
    /// Thread and temporary directory of the next call. Dropped before their parent directory.
    prepared: Option<Prepared>,
    rules: RulesetCreated,
    /// Parent directory of the temporary directories of the calls.
    directory: Arc<SharedDirectory>,
    listed: ListedDirectories,
    created: Instant,
    system_calls: Arc<BpfProgram>,
}

/// Temporary directory of a call, and the thread that starts its program.
pub(super) type Prepared = (PrivateDirectory, RestrictedThread);

impl SharedRules {
    pub(super) fn create(
        sandbox: &Sandbox,
        workspace: &Workspace,
        directory: Arc<SharedDirectory>,
        abi: ABI,
        system_calls: Arc<BpfProgram>,
    ) -> Result<Self, SandboxUnavailable> {
        // Before the rules, so that changes in the meantime are detected.
        let (listed, created) = (ListedDirectories::now(), Instant::now());
        let private = [directory.path()].into_iter();
        Ok(Self {
            prepared: None,
            rules: files::of_call(sandbox, workspace, private, abi)?,
            directory,
            listed,
            created,
            system_calls,
        })
    }

    /// Returns whether the rules still apply to the files that have their paths.
    pub(super) fn are_current(&self, directory: &Arc<SharedDirectory>) -> bool {
        Arc::ptr_eq(&self.directory, directory)
            && self.created.elapsed() < MAX_AGE
            && self.listed.is_current()
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
        let thread = RestrictedThread::spawn(files, Arc::clone(&self.system_calls))?;
        Ok((temporary, thread))
    }
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::super::kernel::Kernel;
    use super::super::system_calls;
    use super::*;

    #[test]
    fn old_rules_and_other_directories_are_not_current() {
        let scratch = Scratch::new();
        let workspace = Workspace::open(scratch.path()).unwrap();
        let directory = || Arc::new(SharedDirectory::make().unwrap());
        let (first, second) = (directory(), directory());
        let abi = Kernel::of_host().abi().unwrap();
        let sandbox = Sandbox::workspace();

        let filter = Arc::new(system_calls::filter(&sandbox).unwrap());
        let shared = Arc::clone(&first);
        let rules = SharedRules::create(&sandbox, &workspace, shared, abi, filter).unwrap();
        // Another program may have changed `/etc`.
        assert_eq!(rules.are_current(&first), rules.listed.is_current());
        assert!(!rules.are_current(&second));

        let old = SharedRules {
            created: rules.created.checked_sub(MAX_AGE).unwrap(),
            ..rules
        };
        assert!(!old.are_current(&first));
    }
}
