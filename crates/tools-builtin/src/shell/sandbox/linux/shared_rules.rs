//! Rules that calls without grants share, because adding rules is most of the cost of a sandbox.

use std::sync::Arc;
use std::time::{Duration, Instant};

use landlock::{ABI, RulesetCreated};

use super::files;
use super::listed::Listed;
use super::temporary::PrivateDirectory;
use crate::shell::sandbox::{Sandbox, SandboxUnavailable};
use crate::workspace::Workspace;

/// Time after which the rules are created again. A rule applies to the file that had the path when
/// the rule was created, so a file that replaces it is inaccessible until then.
const MAX_AGE: Duration = Duration::from_secs(10);

/// Rules for the calls of a sandbox without grants.
#[derive(Debug)]
pub(super) struct SharedRules {
    rules: RulesetCreated,
    /// Parent directory of the temporary directories of the calls.
    directory: Arc<PrivateDirectory>,
    listed: Listed,
    created: Instant,
}

impl SharedRules {
    pub(super) fn create(
        sandbox: &Sandbox,
        workspace: &Workspace,
        directory: Arc<PrivateDirectory>,
        abi: ABI,
    ) -> Result<Self, SandboxUnavailable> {
        // Before the rules, so that changes in the meantime are detected.
        let (listed, created) = (Listed::now(), Instant::now());
        let private = [directory.path()].into_iter();
        Ok(Self {
            rules: files::of_call(sandbox, workspace, private, abi)?,
            directory,
            listed,
            created,
        })
    }

    /// Returns whether the rules still apply to the files that have their paths.
    pub(super) fn are_current(&self, directory: &Arc<PrivateDirectory>) -> bool {
        Arc::ptr_eq(&self.directory, directory)
            && self.created.elapsed() < MAX_AGE
            && self.listed.is_current()
    }

    /// Returns a handle of the rules. No rule may be added to it, because it would apply to all
    /// calls.
    pub(super) fn handle(&self) -> Result<RulesetCreated, SandboxUnavailable> {
        self.rules.try_clone().map_err(SandboxUnavailable::refused)
    }
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::super::kernel::Kernel;
    use super::*;

    #[test]
    fn old_rules_and_other_directories_are_not_current() {
        let scratch = Scratch::new();
        let workspace = Workspace::open(scratch.path()).unwrap();
        let directory = || Arc::new(PrivateDirectory::make().unwrap());
        let (first, second) = (directory(), directory());
        let abi = Kernel::of_host().abi().unwrap();
        let sandbox = Sandbox::workspace();

        let rules = SharedRules::create(&sandbox, &workspace, Arc::clone(&first), abi).unwrap();
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
