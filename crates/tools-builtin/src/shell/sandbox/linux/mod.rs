//! Linux sandbox: Landlock for files and seccomp for system calls, applied to the thread that
//! starts a program.

mod access;
mod cleanup;
mod etc;
mod files;
mod kernel;
mod layout;
mod new_repository;
mod protected;
mod removal;
mod report;
mod snapshot;
mod state;
mod strict;
mod system_calls;
mod temporary;
mod thread;

#[cfg(test)]
mod tests;

use serde_json::Value;
use tool_core::ToolError;

use super::{Sandbox, SandboxUnavailable};
use crate::shell::process::Run;
use crate::shell::program::Program;
use crate::workspace::Workspace;
use cleanup::Cleanup;
use kernel::Kernel;
use temporary::PrivateDirectory;
use thread::Restrictions;

pub(super) use state::State;

/// Checks whether `sandbox` can be enforced, by applying it to a short-lived thread.
pub(super) fn check(sandbox: &Sandbox) -> Result<(), SandboxUnavailable> {
    let abi = Kernel::of_host().abi()?;
    let filter = system_calls::filter(sandbox)?;
    let files = files::of_sandbox(sandbox, abi)?;
    thread::restricted(Restrictions::new(files, &filter), || ())
}

/// Checks whether rules can confine programs to `workspace`.
pub(super) fn check_workspace(workspace: &Workspace) -> Result<(), SandboxUnavailable> {
    files::check_read_only_roots(workspace)
}

/// Calls `start` with `program` in the sandbox, and returns the enforced restrictions.
pub(super) fn start(
    sandbox: &Sandbox,
    workspace: &Workspace,
    state: &State,
    program: Program,
    start: impl FnOnce(&Program) -> Result<Run, ToolError> + Send,
) -> Result<(Run, Value), ToolError> {
    let caches = state
        .caches(sandbox)
        .map_err(SandboxUnavailable::into_tool_error)?;
    let (cleanup, restrictions) = prepare(sandbox, workspace, state, caches.as_deref())
        .map_err(SandboxUnavailable::into_tool_error)?;
    let mut environment = cleanup.temporary().set_in(program.environment);
    if let Some(caches) = &caches {
        environment = caches.set_caches_in(environment);
    }
    let program = Program {
        environment,
        // This path goes through our `/proc` entry, which sandboxed programs cannot access.
        short_cut: None,
        ..program
    };
    let mut run = thread::restricted(restrictions, || start(&program))
        .map_err(SandboxUnavailable::into_tool_error)??;
    run.after_exit(move || cleanup.clean_up());
    Ok((run, report::enforced(sandbox, state.kernel())))
}

fn prepare<'s>(
    sandbox: &Sandbox,
    workspace: &Workspace,
    state: &'s State,
    caches: Option<&PrivateDirectory>,
) -> Result<(Cleanup, Restrictions<'s>), SandboxUnavailable> {
    let abi = state.kernel().abi()?;
    let filter = state.filter(sandbox)?;
    let snapshot = (!sandbox.strict).then(|| state.snapshot(workspace));
    let cleanup = Cleanup::new(snapshot.transpose()?, &sandbox.granted)?;
    let private = [Some(cleanup.temporary()), caches];
    let private = private.into_iter().flatten().map(PrivateDirectory::path);
    let files = files::of_call(sandbox, workspace, private, abi)?;
    Ok((cleanup, Restrictions::new(files, filter)))
}
